#pragma once

#include <filesystem>
#include <string>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// How a geometry is exchanged with other programs; which way follows from the file's name.
enum class GeometryFormat {
    rtk,    ///< ".xml"
    astra,  ///< anything else: text of cone vectors
    scan,   ///< ".json": the geometry of a scan.json
};
[[nodiscard]] GeometryFormat geometryFormatOf(const std::filesystem::path& path);

/// Reads the geometry of a file; what it lacks of the detector is taken from `detector`.
/// @throws InputError naming the file
/// Tests: tests/ui/workspace/geometry_file_test.cpp
[[nodiscard]] ScanGeometry readGeometryFile(const std::filesystem::path& path,
                                            const Detector& detector);
/// Writes ".xml" or ASTRA's text. @throws InputError naming the file or what is wrong with the
/// geometry; also for ".json", which is what a whole scan is saved as
void writeGeometryFile(const std::filesystem::path& path, const ScanGeometry& geometry);

}  // namespace gantry
