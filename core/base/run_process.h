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

/// A program to be run, and how.
struct ProcessCall {
    /// The program, looked up in PATH where it has no slash, and its arguments. No shell sees them.
    std::vector<std::string> words;
    /// Variables beside those of this process.
    std::vector<std::pair<std::string, std::string>> environment{};
    /// Fills the bytes with what the program reads next; 0: there is no more. None: it reads
    /// nothing. Is called by runProcess() itself, as are the others.
    std::function<std::size_t(std::span<std::byte>)> input{};
    /// Takes what the program prints; none: ProcessEnd::output keeps it.
    std::function<void(std::span<const std::byte>)> output{};
    Index mostOutputBytes = 16'000'000;  ///< of what is kept
    /// The program is ended when it has neither read nor printed for so long; 0: never.
    double quietSeconds = 0;
    double graceSeconds = 2;  ///< for it to end when it is asked to; then it is ended
    /// Of its group, it alone is ended: the rest serves others, as ssh's shared connections do.
    bool leavesGroup = false;
};

/// How a program ended.
struct ProcessEnd {
    int code = -1;  ///< its exit code; −1 where it was ended by a signal
    int signal = 0;
    std::string output;
    std::string complaints;   ///< what it wrote to its error output, 64 kB at most
    bool wasQuiet = false;    ///< it was ended for ProcessCall::quietSeconds
    bool isCutShort = false;  ///< it was ended for it printed more than may be kept
};

/// Runs a program and waits for its end. It gets a process group of its own, none of which is left
/// when this returns; what makes itself a session of its own, as daemons do, stays.
/// May be called from several threads at a time.
/// @throws ResourceError  it cannot be started; Cancelled, when it has ended; what `input` and
///         `output` throw
/// Tests: tests/core/base/run_process_test.cpp
[[nodiscard]] ProcessEnd runProcess(const ProcessCall& call, const std::stop_token& stop = {});

}  // namespace gantry
