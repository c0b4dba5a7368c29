#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>

#include "core/base/file.h"

namespace gantry {

/// Takes the lock of a job's folder, and writes this process' number into it. jobHolder() holds it
/// for a moment too, so this tries for about half a second.
/// @throws InputError when another process is working on the job
[[nodiscard]] File takeJobLock(const std::filesystem::path& folder);

/// The holder of the lock of a job's folder.
struct JobHolder {
    /// Whether any process holds it; nothing if the disk has no locks.
    std::optional<bool> isHeld = false;
    std::optional<int> pid;  ///< of a process on this machine
};

/// Checks without waiting. A folder that does not exist is held by nobody.
/// Tests: tests/core/job/job_status_test.cpp
[[nodiscard]] JobHolder jobHolder(const std::filesystem::path& folder);

/// Waits until nobody has held any of these jobs for two seconds (a worker may just be starting),
/// or its folder is gone. A run that resumes one meanwhile in another session of this machine is
/// not waited for, because it may be waiting for this one. @throws Cancelled Tests:
/// tests/cli/test_queue.py
void waitForJobs(std::span<const std::filesystem::path> folders, const std::stop_token& stop);

}  // namespace gantry
