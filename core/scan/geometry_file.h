#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/describe/description_format.h"
#include "core/geometry/check/validate.h"
#include "core/geometry/exchange/exchange.h"
#include "core/io/scan_file/scan_file.h"
#include "core/io/stated_geometry.h"

namespace gantry {

/// The format to write by the file's name: ".xml", ".json", ".csv", ".mat", anything else ASTRA's
/// text. For a file that is read, see geometryFormatAt().
[[nodiscard]] GeometryFormat geometryFormatOf(const std::filesystem::path& path);

/// The geometry that the scan's projections state in their files, taken from the first of several
/// that can be read; nothing if they state none, or if there are no projections.
/// @throws InputError if what they state cannot be used
[[nodiscard]] std::optional<StatedGeometry> statedByProjections(const ScanFile& scan);

/// Reads the geometry of a file. Columns and rows are `detector`'s, except for LEAP and TIGRE.
/// RTK's file leaves pitch, position and row order to the images: `images` gives them if they are
/// stated; otherwise the pitch is `detector`'s, the centre RTK's, and the row order open (RTK
/// assumes that the first row is the lowest).
/// @throws InputError naming the file
/// Tests: tests/core/scan/geometry_file_test.cpp
[[nodiscard]] ExchangedGeometry readGeometryFile(const std::filesystem::path& path,
                                                 GeometryFormat format, const Detector& detector,
                                                 const std::optional<StatedGeometry>& images = {});

/// Writes RTK's XML, ASTRA's text, or poses.
/// @throws InputError naming the file or what is wrong with the geometry; also for GeometryFormat::
///         scan, because a whole scan is saved in that format
void writeGeometryFile(const std::filesystem::path& path, GeometryFormat format,
                       const ExchangedGeometry& exchanged);

/// What must be done to the images so that the other program can use them with the written
/// geometry, in a sentence; empty: nothing.
[[nodiscard]] std::string imagesNote(GeometryFormat format, const ExchangedGeometry& exchanged);

/// Differences between the scan and what the projections' own files state: row order, mirroring,
/// pitch, axis, angles, and an offset that the scan leaves out; and what they state that is not
/// used. They are warnings, because either may be right; nothing if the files state nothing or
/// cannot be read.
/// Tests: tests/core/scan/guess_metaimage_test.cpp, tests/core/scan/stated_axis_test.cpp
[[nodiscard]] std::vector<Problem> contradictedByImages(const ScanFile& scan);

}  // namespace gantry
