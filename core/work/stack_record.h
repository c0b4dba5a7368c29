#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// The entry of one scan in the record of a stack's volume.
struct RecordedScan {
    std::filesystem::path scan;
    double heightMm = 0;        ///< see StackedScan
    IndexRange slices;          ///< of the volume, to which it contributes
    std::filesystem::path job;  ///< the job that has made its part
    /// The volume of its part; the record of that job lies beside it.
    std::filesystem::path part;
};

/// The record beside a volume of several scans, JSON: like that of a single volume, with the
/// checksums of all files that were read, and for each scan its heights, its slices and the record
/// of its part. whole: the request for the volume, taken from the first scan. notes: how heights
/// were found, and how neighbours match
/// @throws InputError naming the record of a part that is missing or damaged
/// Tests: tests/cli/test_main_path.py
[[nodiscard]] std::string stackRecord(const JobSpec& whole, const std::vector<RecordedScan>& scans,
                                      const std::vector<std::string>& notes);

}  // namespace gantry
