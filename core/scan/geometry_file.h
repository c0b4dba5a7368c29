#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/geometry/exchange.h"
#include "core/io/scan_file/scan_file.h"
#include "core/io/stated_geometry.h"

namespace gantry {

/// How a geometry is exchanged with other programs.
enum class GeometryFormat {
    rtk,    ///< ThreeDCircularGeometry XML
    astra,  ///< text of cone vectors
    scan,   ///< the geometry of a scan.json
    poses,  ///< CSV of calibrated poses, core/io/scan_file/pose_file.h
    leap,   ///< LEAP's parameters, which are read and not written
    tigre,  ///< TIGRE's, in a file of MATLAB; also only read
};
/// By the file's name: ".xml", ".json", ".csv", ".mat", anything else ASTRA's text.
[[nodiscard]] GeometryFormat geometryFormatOf(const std::filesystem::path& path);
/// Of a file that is there: a text may be ASTRA's or LEAP's. @throws InputError
[[nodiscard]] GeometryFormat geometryFormatIn(const std::filesystem::path& path);

/// What the scan's projections say of themselves in their files, of several of them the first that
/// can be read; nothing where they do not, or where there are none.
/// @throws InputError where what they say cannot be used
[[nodiscard]] std::optional<StatedGeometry> statedByProjections(const ScanFile& scan);

/// Reads the geometry of a file. Columns and rows are `detector`'s, but for LEAP's and TIGRE's.
/// RTK's file leaves pitch, place and row order to the images: `images` has them where they say so;
/// else the pitch is `detector`'s, the middle RTK's, and the row order open (RTK takes the first
/// row for the lowest).
/// @throws InputError naming the file
/// Tests: tests/core/scan/geometry_file_test.cpp
[[nodiscard]] ExchangedGeometry readGeometryFile(const std::filesystem::path& path,
                                                 GeometryFormat format, const Detector& detector,
                                                 const std::optional<StatedGeometry>& images = {});

/// Writes RTK's XML, ASTRA's text, or poses.
/// @throws InputError naming the file or what is wrong with the geometry; also for GeometryFormat::
///         scan, which is what a whole scan is saved as
void writeGeometryFile(const std::filesystem::path& path, GeometryFormat format,
                       const ExchangedGeometry& exchanged);

/// What has to be done to the images before the other program takes them with the written geometry,
/// a sentence; empty: nothing.
[[nodiscard]] std::string imagesNote(GeometryFormat format, const ExchangedGeometry& exchanged);

}  // namespace gantry
