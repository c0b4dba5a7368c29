#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/plan/job_spec.h"
#include "ui/models/job/job_entry.h"

namespace gantry {

/// What a path to be opened is.
struct Recognised {
    enum class Kind { scan, volume, job, timeline };
    Kind kind = Kind::scan;          ///< scan: whatever is neither of the others
    std::filesystem::path path;      ///< of a job or a timeline: its folder
    std::optional<JobSpec> request;  ///< of a job
    std::optional<JobEntry> job;
    bool hasOutput = false;  ///< of a job: its volume is there
};

/// Looks at the disk; for a background thread. A folder with a job.json is a job, one with a
/// scan.json a scan, one with an events.jsonl alone a simulated run's timeline, and a volume is
/// what says so itself.
/// @throws InputError when there is nothing, or a job's request cannot be read
/// Tests: tests/ui/workspace/workspace_test.cpp
[[nodiscard]] Recognised recognise(const std::filesystem::path& path);

}  // namespace gantry
