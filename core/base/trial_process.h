#pragma once

#include <functional>

namespace gantry {

/// How work that was tried in another process ended.
enum class TrialEnd {
    returned,     ///< or threw anything but the errors listed below
    crashed,      ///< a memory fault, or more memory than allowed
    tookTooLong,  ///< it was killed
};

/// Limits of a trial beyond what this process uses.
struct TrialLimits {
    int seconds = 60;
    std::size_t memoryBytes = std::size_t{4} << 30;
};

/// Does `work` in a copy of this process and returns only how that ended: this shows safely whether
/// a library survives a file of unknown origin. The copy has only this thread, so `work` must not
/// wait for locks that other threads may hold.
/// @throws InputError  if `work` threw one: its code and message, up to 4000 bytes of it
/// @throws ResourceError  the system allows no further process
/// Tests: tests/core/base/trial_process_test.cpp
[[nodiscard]] TrialEnd tryInAnotherProcess(const std::function<void()>& work,
                                           const TrialLimits& limits = {});

}  // namespace gantry
