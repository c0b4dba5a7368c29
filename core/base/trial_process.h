#pragma once

#include <functional>

namespace gantry {

/// How work ended that was tried in a process of its own.
enum class TrialEnd {
    returned,     ///< or threw anything but what is told below
    crashed,      ///< a memory fault, or more memory than allowed
    tookTooLong,  ///< it was stopped
};

/// What a trial may take beside what this process has.
struct TrialLimits {
    int seconds = 60;
    std::size_t memoryBytes = std::size_t{4} << 30;
};

/// Does `work` in a copy of this process, whose end is all that is left of it: whether a library
/// survives a file of unknown origin is seen there and not here. The copy has this thread alone: it
/// may not wait for locks that others hold.
/// @throws InputError  where `work` threw one: its code and message, up to 4000 bytes of it
/// @throws ResourceError  the system allows no further process
/// Tests: tests/core/base/trial_process_test.cpp
[[nodiscard]] TrialEnd tryInAnotherProcess(const std::function<void()>& work,
                                           const TrialLimits& limits = {});

}  // namespace gantry
