#pragma once

#include <chrono>
#include <stop_token>

namespace gantry {

/// Waits for this time. @throws Cancelled as soon as a stop is requested, also if it was before
/// Tests: tests/core/base/wait_test.cpp
void waitFor(std::chrono::milliseconds time, const std::stop_token& stop);

}  // namespace gantry
