#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// A program to be run, and its settings.
struct ProcessCall {
    /// The program, looked up in PATH if it has no slash, and its arguments. No shell is involved.
    std::vector<std::string> words;
    /// Variables to add to those of this process.
    std::vector<std::pair<std::string, std::string>> environment{};
    /// Fills the bytes with the next input of the program; 0: there is no more. Empty: no input.
    /// runProcess() itself calls it, like the others.
    std::function<std::size_t(std::span<std::byte>)> input{};
    /// Gets the program's output; empty: ProcessEnd::output keeps it.
    std::function<void(std::span<const std::byte>)> output{};
    Index maxOutputBytes = 16'000'000;  ///< limit of kept output
    /// The program is killed when it has neither read nor printed for so long; 0: never.
    double quietSeconds = 0;
    double graceSeconds = 2;  ///< time to end when asked; then it is killed
    /// Only this process of its group is ended: the rest serves others, like ssh's shared
    /// connections.
    bool leavesGroup = false;
};

/// How a program ended.
struct ProcessEnd {
    int code = -1;  ///< its exit code; −1 if a signal ended it
    int signal = 0;
    std::string output;
    std::string complaints;   ///< what it wrote to its error output, 64 kB at most
    bool wasQuiet = false;    ///< it was ended for ProcessCall::quietSeconds
    bool isCutShort = false;  ///< it was ended because it printed more than may be kept
};

/// Runs a program and waits for its end. It gets a process group of its own, of which nothing is
/// left when this returns, except processes that start their own session, like daemons. Our own,
/// because Boost.Process knows no groups of processes and core does without QProcess. Several
/// threads may call it at a time.
/// @throws ResourceError  it cannot be started; Cancelled, when it has ended; what `input` and
///         `output` throw
/// Tests: tests/core/base/run_process_test.cpp
[[nodiscard]] ProcessEnd runProcess(const ProcessCall& call, const std::stop_token& stop = {});

}  // namespace gantry
