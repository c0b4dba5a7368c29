#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/plan/job_spec.h"
#include "ui/models/job/job_entry.h"

namespace gantry {

/// What an opened path is.
struct Recognised {
    enum class Kind { scan, volume, job, timeline };
    Kind kind = Kind::scan;          ///< scan: anything that is none of the others
    std::filesystem::path path;      ///< for a job or a timeline: its folder
    std::optional<JobSpec> request;  ///< for a job
    std::optional<JobEntry> job;
    bool hasOutput = false;  ///< for a job: its volume exists
};

/// Accesses the disk; for a background thread. A folder with a job.json is a job, one with a
/// scan.json a scan, one with only an events.jsonl a simulated run's timeline, and a volume must be
/// marked as such.
/// @throws InputError when there is nothing, or a job's request cannot be read
/// Tests: tests/ui/workspace/workspace_test.cpp
[[nodiscard]] Recognised recognise(const std::filesystem::path& path);

}  // namespace gantry
