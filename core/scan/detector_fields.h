#pragma once

#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/projection_source.h"
#include "core/io/scan_file/scan_file.h"
#include "core/prep/calibration.h"

namespace gantry {

/// The dark and flat fields of a scan and its bad pixels, and the files that they come from.
struct DetectorFields {
    DetectorCalibration calibration;
    std::vector<std::filesystem::path> files;
    /// What looks wrong with single frames, a whole sentence each.
    std::vector<std::string> notes;
};

/// Opens and averages the dark and flat frames of a scan, those of each time by themselves: from
/// before and after the scan (darkAfter, flatAfter), or in between, where the file of the
/// projections says how many of them were taken before (SourceInfo::projectionsBefore). What a beam
/// monitor states is taken into the calibration, where projections and flat frames both have it; a
/// note says where only the projections do. A frame that is far brighter or darker than most of its
/// kind is left out, with a note. projections: of the views, as stored; numbers: theirs in the
/// trajectory
/// @throws InputError naming the file or field, which its details have, too; Cancelled
/// Tests: tests/core/scan/detector_fields_test.cpp, tests/core/scan/open_scan_test.cpp
[[nodiscard]] DetectorFields openDetectorFields(const ScanFile& scan, const SourceInfo& projections,
                                                std::span<const Index> numbers,
                                                const std::stop_token& stop);

/// @throws InputError where the images of a field are not of the detector's size. first: their file
void requireDetectorSize(const ScanFile& scan, const SourceInfo& info,
                         const std::filesystem::path& first, std::string_view field);

}  // namespace gantry
