#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/remote/job/job_host.h"

namespace gantry {

/// Checks everything that a job needs of the host, line by line, in one round trip. found: see
/// JobHost::check(). Does not throw if the host is not reached: that is a finding.
/// Tests: tests/core/remote/host_check_test.cpp, tests/cli/test_remote.py
std::vector<HostFinding> checkHost(const Host& host, const HostShell& shell,
                                   const FindingHandler& found, const std::stop_token& stop);

/// Whether the output of `gantry --version` on a host is a version that can run jobs of this one.
/// Tests: tests/core/remote/host_check_test.cpp
[[nodiscard]] HostFinding versionFinding(const Host& host, const std::string& printed);

/// Findings from the host's output so far: "key value" lines, and "asked PART" behind those of a
/// part. Only parts that have arrived, in order. localSeconds: of this machine's clock
[[nodiscard]] std::vector<HostFinding> findingsIn(const Host& host, const std::string& printed,
                                                  double localSeconds);

}  // namespace gantry
