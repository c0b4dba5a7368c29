#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/remote/job/job_host.h"

namespace gantry {

/// Checks everything that a job needs of the host, line by line, in one round trip: it does what a
/// job does, with the same words, up to two ranks that the launcher starts and that have to see
/// each other. found: see JobHost::check(). Does not throw if the host is not reached: that is a
/// finding. Tests: tests/core/remote/host_check_test.cpp, tests/cli/test_remote.py
std::vector<HostFinding> checkHost(const Host& host, const HostShell& shell,
                                   const FindingHandler& found, const std::stop_token& stop);

}  // namespace gantry
