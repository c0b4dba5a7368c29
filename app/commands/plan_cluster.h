#pragma once

#include <filesystem>
#include <string>

#include "app/cli/command_line.h"
#include "app/cli/reconstruction_options.h"

namespace gantry {

/// Options of `gantry plan` for a run on a cluster, instead of one on this machine.
struct ClusterOptions {
    std::filesystem::path cluster;  ///< empty: not requested
    Index ranks = 0;
    std::string problem;
    Index slabs = 1;
    std::filesystem::path timeline;

    /// Whether the plan is for a described cluster, not for ranks on this machine.
    [[nodiscard]] bool isAsked() const { return !cluster.empty(); }
};

/// A stage's time for a table; "–" if it takes none.
[[nodiscard]] std::string secondsText(double seconds);

void addClusterOptions(Command& command, ClusterOptions& options);

/// Prints the forecast for both ways to exchange views, or for the requested one.
/// request: what is reconstructed, unless a problem is named
/// @throws InputError naming the option or field
int planCluster(const ClusterOptions& options, const ReconstructionOptions& request, bool json,
                Session& session);

}  // namespace gantry
