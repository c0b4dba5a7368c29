#pragma once

#include <filesystem>

#include "core/geometry/exchange/exchange.h"

namespace gantry {

/// TIGRE's geometry from a MATLAB file (`save('scan.mat', 'geo', 'angles', '-v7')`): the struct
/// with DSD, DSO, nDetector and dDetector, and `angles` in radians, one a view or three (Euler
/// angles about z, y, z). DSD, DSO, offDetector, rotDetector and COR may be one for all views or
/// one a view. TIGRE's world is ours except that its source begins on the x axis; row 0 of its
/// images is the lowest. If offOrigin is the same in all views it is the volume's position, which
/// is not read; if it changes, the object moves, which is read as everything else moving the other
/// way. Source: TIGRE's Common/CUDA/Siddon_projection.cu, computeDeltas_Siddon().
/// @throws InputError naming the file and the field: another version of MATLAB's files, missing
///         fields, counts that do not match, values that are not finite, a parallel beam
/// Tests: tests/core/io/tigre_geometry_test.cpp
[[nodiscard]] ExchangedGeometry readTigreGeometry(const std::filesystem::path& path);

/// The same without a trial in another process first: libmatio may end the program, or take much
/// memory, where a file is damaged.
[[nodiscard]] ExchangedGeometry readTigreGeometryHere(const std::filesystem::path& path);

}  // namespace gantry
