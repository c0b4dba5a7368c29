#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// A scan of a stack as its volume's record has it.
struct RecordedScan {
    std::filesystem::path scan;
    double heightMm = 0;        ///< see StackedScan
    IndexRange slices;          ///< of the volume, that it has a part in
    std::filesystem::path job;  ///< that has made its part
    /// The volume of its part, beside which lies the record of that job.
    std::filesystem::path part;
};

/// The record beside a volume of several scans, JSON: that of a single volume, with the checksums
/// of all files that were read, and for each scan its heights, its slices and the record of its
/// part. whole: the request for the volume, as of the first scan. notes: how heights were found,
/// and how neighbours fit
/// @throws InputError naming the record of a part that is missing or damaged
/// Tests: tests/cli/test_main_path.py
[[nodiscard]] std::string stackRecord(const JobSpec& whole, const std::vector<RecordedScan>& scans,
                                      const std::vector<std::string>& notes);

}  // namespace gantry
