#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/reconstruction_options.h"

namespace gantry {

/// What makes one command ask for several jobs.
struct ManyJobs {
    std::vector<std::filesystem::path> scans;  ///< one or more
    std::vector<std::string> over;             ///< "cutoff=0.5,0.8": a field and its values

    [[nodiscard]] bool isAsked() const { return scans.size() > 1 || !over.empty(); }
};

void addManyJobs(Command& command, ManyJobs& options);

/// The requests for each scan and each combination of values. Volumes have the name of `base` with
/// the scan's, if there are several, and the values: volume_walnut_cutoff_0.5.mha.
/// @throws InputError naming the option, what was found and what is allowed; also if two volumes
/// would have the same name
/// Tests: tests/cli/test_arrays.py
[[nodiscard]] std::vector<ReconstructionOptions> requestsOf(const ReconstructionOptions& base,
                                                            const ManyJobs& many);

}  // namespace gantry
