#pragma once

#include <filesystem>
#include <string>

#include "app/cli/command_line.h"
#include "app/cli/reconstruction_options.h"
#include "app/cli/session.h"
#include "core/plan/job_spec.h"
#include "core/remote/follow_job.h"

namespace gantry {

/// The options of `reconstruct` and `resume` for running a job on a host.
struct HostOptions {
    std::string host;  ///< empty: run by this machine
    int nodes = 0;
    int minutes = 0;
    std::string data = "auto";
    std::string bring = "volume";
    bool detach = false;
    bool scriptOnly = false;
    std::filesystem::path script;

    [[nodiscard]] bool isAsked() const { return !host.empty(); }
};

void addHostOptions(Command& command, HostOptions& options);

/// The request if its scan is on the host: the scan's file is read there.
/// @throws as makeJobSpec() and JobHost
[[nodiscard]] JobSpec makeHostJobSpec(ReconstructionOptions request, const HostOptions& options,
                                      Session& session);

/// Prints the script, or hands the job over and, unless it is to be detached, follows it to its end
/// and fetches the wanted results. folder: of the job here.
/// @returns the exit code
[[nodiscard]] int runOnHost(const JobSpec& spec, const std::filesystem::path& folder,
                            const HostOptions& options, bool json, Session& session);

/// Follows a job that was handed over, and fetches. @returns the exit code
[[nodiscard]] int followAndFetch(JobHost& host, RemoteJob job, bool json, Session& session);

/// Fetches with progress on the terminal. @throws as JobHost
void fetchWithProgress(JobHost& host, RemoteJob& job, BringBack bring, bool json, Session& session);

/// bringCheckpoint() with progress on the terminal.
void bringCheckpointWithProgress(JobHost& host, RemoteJob& job, bool json, Session& session);

/// Prints one JSON document about a job: for programs, with everything in remote.json.
void printJobJson(const RemoteJob& job);

[[nodiscard]] BringBack bringBackOf(const std::string& word);

}  // namespace gantry
