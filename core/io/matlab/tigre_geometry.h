#pragma once

#include <filesystem>

#include "core/geometry/exchange.h"

namespace gantry {

/// TIGRE's geometry from a file of MATLAB (`save('scan.mat', 'geo', 'angles', '-v7')`): the struct
/// with DSD, DSO, nDetector and dDetector, and `angles` in radians, one a view or three (Euler
/// angles about z, y, z). DSD, DSO, offDetector, rotDetector and COR may be one for all views or
/// one a view. TIGRE's world is ours but that its source begins on the x axis; row 0 of its images
/// is the lowest. Where offOrigin is the same in all views it is the volume's place, which is not
/// read; where it changes, the object moves, and all else moves the other way. Source: TIGRE's
/// Common/CUDA/Siddon_projection.cu, computeDeltas_Siddon().
/// @throws InputError naming the file and the field: another version of MATLAB's files, missing
///         fields, counts that do not fit each other, values that are not finite, a parallel beam
/// Tests: tests/core/io/tigre_geometry_test.cpp
[[nodiscard]] ExchangedGeometry readTigreGeometry(const std::filesystem::path& path);

}  // namespace gantry
