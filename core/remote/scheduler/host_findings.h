#pragma once

#include <string>
#include <vector>

#include "core/remote/job/job_resources.h"

namespace gantry {

/// One line of the result of checking a host.
struct HostFinding {
    std::string what;  ///< "Slurm"
    bool isGood = true;
    std::string found;   ///< "22.05.8, 2 nodes"
    std::string advice;  ///< what to do if it is not good

    /// Whether jobs run all the same if it is not good: none goes by the clock.
    [[nodiscard]] bool isRemark() const { return what == "clock"; }
};

/// The largest job that the host's file speaks of, and a short one of two ranks, or of one where
/// the host has no more.
[[nodiscard]] JobResources largestJob(const Host& host);
[[nodiscard]] JobResources trialJob(const Host& host);

/// Whether the output of `gantry --version` on a host is a version that can run jobs of this one.
/// Tests: tests/core/remote/host_check_test.cpp
[[nodiscard]] HostFinding versionFinding(const Host& host, const std::string& printed);

/// Findings from the output of checkHost()'s script so far: "key value" lines, and "asked PART"
/// behind those of a part. Only parts that have arrived, in order. localSeconds: of this machine's
/// clock
/// Tests: tests/core/remote/host_check_test.cpp
[[nodiscard]] std::vector<HostFinding> findingsIn(const Host& host, const std::string& printed,
                                                  double localSeconds);

}  // namespace gantry
