#pragma once

#include <filesystem>
#include <string>

#include "app/cli/command_line.h"
#include "app/cli/reconstruction_options.h"
#include "app/cli/session.h"
#include "core/plan/job_spec.h"
#include "core/remote/follow_job.h"

namespace gantry {

/// Where and how `reconstruct` and `resume` have a job run by a host.
struct HostOptions {
    std::string host;  ///< empty: by this machine, as ever
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

/// The request where its scan lies on the host: the scan's file is read there.
/// @throws as makeJobSpec() and JobHost
[[nodiscard]] JobSpec makeHostJobSpec(ReconstructionOptions request, const HostOptions& options,
                                      Session& session);

/// Prints the script, or hands the job over and, unless it is to be left alone, follows it to its
/// end and fetches what is wanted. folder: of the job here. @returns the exit code
[[nodiscard]] int runOnHost(const JobSpec& spec, const std::filesystem::path& folder,
                            const HostOptions& options, bool json, Session& session);

/// Follows a job that was handed over, and fetches. @returns the exit code
[[nodiscard]] int followAndFetch(JobHost& host, RemoteJob job, bool json, Session& session);

/// Fetches with progress on the terminal. @throws as JobHost
void fetchWithProgress(JobHost& host, RemoteJob& job, BringBack bring, bool json, Session& session);

/// bringCheckpoint() with progress on the terminal.
void bringCheckpointWithProgress(JobHost& host, RemoteJob& job, bool json, Session& session);

/// One JSON document of a job: for machines, with all that remote.json has.
void printJobJson(const RemoteJob& job);

[[nodiscard]] BringBack bringBackOf(const std::string& word);

}  // namespace gantry
