#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// The request for a reconstruction, shared by `reconstruct`, `plan` and `verify`: what the table
/// of options sets in a job at once, and what has to be seen together with the scan.
struct ReconstructionOptions {
    ReconstructionOptions() {
        job.output.path = "volume.mha";
        job.cpuKernel.clear();
    }

    JobSpec job;  ///< cpuKernel: empty where none is asked for
    std::filesystem::path scan;
    std::optional<std::string> voxels;
    std::optional<double> pitchMm;
    std::optional<std::array<double, 3>> centerMm;
    std::optional<std::array<double, 2>> offsetMm;
    std::optional<std::string> skipViews;
    std::string entry;  ///< of an HDF5 file that holds several scans; empty: as the scan says
    bool skipBadViews = false;
    std::string preset;  ///< "maker", or empty
};

/// All but the scan itself.
void addReconstructionOptions(Command& command, ReconstructionOptions& options);
/// Those of them that a slice of the volume depends on: none of the volume's file.
void addSliceOptions(Command& command, ReconstructionOptions& options);
inline constexpr const char* kEntryHelp =
    "Which scan or dataset of an HDF5 file that holds several is meant, as /entry2";
inline constexpr const char* kScanHelp =
    "A scan.json, a folder that holds one, or images that have none: a folder, a file";
/// Those of them that say how views become voxels, and where: volume, filter and engine, but no
/// files.
void addSettingOptions(Command& command, ReconstructionOptions& options);

/// The job that the options ask for, with absolute paths. Where they say so, the scan's files are
/// checked first, and the job leaves out unusable views.
/// @throws InputError naming the option or the scan's field; Cancelled
[[nodiscard]] JobSpec makeJobSpec(const ReconstructionOptions& options,
                                  const std::stop_token& stop);

/// What a job that has its request already does otherwise this time.
struct RunOptions {
    std::vector<std::string> words;  ///< of the command line, as they were given
    std::vector<std::function<void(JobSpec&)>> changes;
};

/// Where it runs: engine, GPUs and limits.
void addRunOptions(Command& command, RunOptions& options);

/// The job with what the options say otherwise. On the CPU, wishes for GPUs are cleared.
[[nodiscard]] JobSpec withRunOptions(JobSpec spec, const RunOptions& options);

/// A scan.json, or the one in a folder.
[[nodiscard]] std::filesystem::path scanFileAt(const std::filesystem::path& path);

/// @throws InputError naming the option where the ranks of the job cannot share it so
void checkSharing(const JobSpec& spec);

}  // namespace gantry
