#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "core/base/file.h"

namespace gantry {

/// Takes the lock of a job's folder, and writes into it which process has it. jobHolder() holds it
/// for a moment too, so this tries for about half a second.
/// @throws InputError when another process is working on the job
[[nodiscard]] File takeJobLock(const std::filesystem::path& folder);

/// Who holds the lock of a job's folder.
struct JobHolder {
    /// Whether any process holds it; nothing where the disk has no locks.
    std::optional<bool> isHeld = false;
    std::optional<int> pid;  ///< of a process on this machine
};

/// Asks without waiting. A folder that is gone is held by nobody.
/// Tests: tests/core/job/job_status_test.cpp
[[nodiscard]] JobHolder jobHolder(const std::filesystem::path& folder);

/// Waits until each of these jobs has been held by nobody for two seconds (a worker may just be
/// starting), or its folder is gone. A run that resumes one meanwhile, in another session of this
/// machine, is not waited for: it may wait in turn. @throws Cancelled
/// Tests: tests/cli/test_queue.py
void waitForJobs(std::span<const std::filesystem::path> folders, const std::stop_token& stop);

}  // namespace gantry
