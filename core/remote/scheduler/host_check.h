#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "core/remote/scheduler/host_findings.h"

namespace gantry {

/// Checks everything that a job needs of the host, line by line, in one round trip: it does what a
/// job does, with the same words, up to two ranks that the launcher starts and that have to see
/// each other. found: called with each finding as soon as it is known, in the calling thread; may
/// be empty. Does not throw if the host is not reached: that is a finding. Tests:
/// tests/core/remote/host_check_test.cpp, tests/cli/test_remote.py
std::vector<HostFinding> checkHost(const Host& host,
                                   const std::function<void(const HostFinding&)>& found,
                                   const std::stop_token& stop);

}  // namespace gantry
