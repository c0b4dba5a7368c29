#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/describe/scan_description.h"

namespace gantry {

/// Formats in which a geometry is exchanged with other programs.
enum class GeometryFormat {
    rtk,    ///< ThreeDCircularGeometry XML
    astra,  ///< text of cone vectors
    scan,   ///< that of a whole scan: a scan.json, or what a scanner's maker describes it by
    poses,  ///< CSV of calibrated poses, core/io/scan_file/pose_file.h
    leap,   ///< LEAP's parameters, only read
    tigre,  ///< TIGRE's, in a MATLAB file; also only read
};

/// A format of files that describe a scan, or its geometry alone.
struct DescriptionFormat {
    std::string_view word;                     ///< on the command line: "nikon"
    std::string_view name;                     ///< "Nikon X-Tek"
    std::vector<std::string_view> extensions;  ///< of its files, in lower case, with their dot
    /// Whether a file is of this format. begin: its first bytes, up to 4096
    bool (*recognises)(const std::filesystem::path& file, std::string_view begin);
    /// How a geometry of this format is read.
    GeometryFormat geometry = GeometryFormat::scan;
    /// Reads a whole scan; its images need not be there. Null: the file has a geometry alone.
    /// @throws InputError naming the file and what in it is missing, malformed or out of range
    ScanDescription (*read)(const std::filesystem::path& file, const Answers& answers) = nullptr;
    bool isWritten = false;  ///< whether geometries are exported in it
};

/// All formats of descriptions, in the order in which they are tried on a file: scan.json, those
/// of scanners' makers, then geometries of other programs. Images that state their geometry
/// themselves (NXtomo, Data Exchange, MetaImage, TIFF) are in projectionFormats(). A format is
/// added by its file and a line there.
/// Tests: tests/core/describe/description_format_test.cpp
[[nodiscard]] const std::vector<DescriptionFormat>& descriptionFormats();

/// The format of a file that describes a whole scan; null: it does not, or is no file.
[[nodiscard]] const DescriptionFormat* scanFormatOf(const std::filesystem::path& file);
/// The format of a file that has at least a geometry. @throws InputError if it cannot be read
[[nodiscard]] const DescriptionFormat& geometryFormatAt(const std::filesystem::path& file);

/// The description that the maker of a scanner left in a folder; none: there is no such file.
/// @throws InputError naming two, where there are several
[[nodiscard]] std::optional<std::filesystem::path> makersFileIn(
    const std::filesystem::path& folder);

/// The file that describes the scan at a path: the file itself or, of a folder, its scan.json or
/// what the maker left. None: the path is something else. @throws InputError as makersFileIn()
[[nodiscard]] std::optional<std::filesystem::path> descriptionAt(const std::filesystem::path& path);

/// Reads a file that describes a whole scan. What is wrong with the scan is in its problems.
/// @throws InputError as DescriptionFormat::read, or if the file describes none
[[nodiscard]] ScanDescription readScanDescription(const std::filesystem::path& file,
                                                  const Answers& answers = {});
/// The scan of such a file. @throws InputError also for the first error among its problems
[[nodiscard]] ScanFile readDescribedScan(const std::filesystem::path& file);

}  // namespace gantry
