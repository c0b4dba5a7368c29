#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "core/io/pixel_type.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// The request for a reconstruction as words of the command line, shared by `reconstruct`,
/// `plan` and `verify`.
struct ReconstructionOptions {
    std::filesystem::path scan;
    std::filesystem::path out = "volume.mha";
    std::optional<std::string> voxels;
    std::optional<double> pitchMm;
    std::optional<std::array<double, 3>> centerMm;
    std::optional<std::array<double, 2>> offsetMm;
    std::string window = "ram-lak";
    double cutoff = 1;
    std::string type = "float32";
    std::optional<std::array<double, 2>> range;
    std::optional<std::string> memory;
    int threads = 0;
    std::string engine = "auto";
    std::string kernel = "auto";
    std::string precision = "exact";
    std::string filterOn = "auto";
    std::string filterRows = "auto";
    std::vector<int> devices;
    std::optional<std::string> deviceMemory;
    Index batchViews = 32;
    std::optional<std::string> skipViews;
    bool skipBadViews = false;
    std::string rings = "none";
    Index ringWidthPx = RingSpec().widthPx;
    std::optional<double> zingerRatio;
    std::optional<std::array<double, 3>> phase;
};

/// All but the scan itself.
void addReconstructionOptions(Command& command, ReconstructionOptions& options);
inline constexpr const char* kScanHelp = "A scan.json, or the folder that holds it";
/// Those of them that say how views become voxels, and where: volume, filter and engine, but no
/// files.
void addSettingOptions(Command& command, ReconstructionOptions& options);

/// The job that the options ask for, with absolute paths. Where they say so, the scan's files are
/// checked first, and the job leaves out unusable views.
/// @throws InputError naming the option or the scan's field; Cancelled
[[nodiscard]] JobSpec makeJobSpec(const ReconstructionOptions& options,
                                  const std::stop_token& stop);

/// How voxels are to be stored.
[[nodiscard]] PixelType voxelType(const ReconstructionOptions& options);

/// Where a job that has its request already runs this time, as words of the command line.
struct RunOptions {
    std::string engine = kAsTheJobSays;
    std::optional<std::vector<int>> devices;
    std::optional<std::string> deviceMemory;
    std::optional<std::string> memory;

    static constexpr const char* kAsTheJobSays = "job";
};

void addRunOptions(Command& command, RunOptions& options);

/// The options as they were given.
[[nodiscard]] std::vector<std::string> wordsOf(const RunOptions& options);

/// The job with what the options say otherwise. On the CPU, wishes for GPUs are cleared.
/// @throws InputError naming the option
[[nodiscard]] JobSpec withRunOptions(JobSpec spec, const RunOptions& options);

/// A scan.json, or the one in a folder.
[[nodiscard]] std::filesystem::path scanFileAt(const std::filesystem::path& path);

/// How several ranks share a job.
struct RankOptions {
    int ranks = 1;
    std::string exchange = "auto";
    Index gridRows = 0;
    std::string weights = "measured";
};
/// @throws InputError naming the option
void takeGrid(JobSpec& spec, const RankOptions& options);
void addWeightsOption(Command& command, std::string& weights);

}  // namespace gantry
