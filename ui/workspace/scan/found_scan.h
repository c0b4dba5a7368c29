#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/describe/scan_description.h"
#include "core/plan/job_spec.h"
#include "core/scan/guess/guess_scan.h"
#include "ui/models/job/job_entry.h"
#include "ui/workspace/scan/request.h"

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

/// What an opened path turned out to be.
struct FoundScan {
    Request request;
    std::vector<GuessedScan::Guess> guesses;  ///< none if there is a scan.json
    std::filesystem::path images;             ///< to be inspected: its scan.json, or bare images
    /// The file of a scanner's maker that it was found by.
    std::shared_ptr<const ScanDescription> description = nullptr;
    /// The scans in the file of which one must be chosen first; then nothing else is set.
    std::vector<std::string> entries = {};
    std::string settingsProblem = {};  ///< why kept settings were not applied; empty: they were
};

/// The scan at a path (scanAt()) as a request. A described scan gets the settings that are kept for
/// it (settings_file.h). entry: OpenOptions::entry, where it has been chosen. Statistics of the
/// images come later. For a background thread.
/// @throws InputError naming the path when it is no scan
/// Tests: tests/ui/workspace/found_scan_test.cpp
[[nodiscard]] FoundScan findScan(const std::filesystem::path& path, const std::string& entry = {});

}  // namespace gantry
