#pragma once

#include <filesystem>
#include <string>

#include "app/cli/command_line.h"
#include "app/cli/reconstruction_options.h"
#include "app/cli/session.h"
#include "core/plan/job_spec.h"
#include "core/remote/action/follow_job.h"

namespace gantry {

/// The options of `reconstruct` and `resume` for running a job on a host.
struct HostOptions {
    std::string host;              ///< empty: this machine runs the job
    int nodes = 0;                 ///< 0: as many as are predicted to be worth it
    int minutes = 0;               ///< time limit; 0: derived from the predicted time
    std::string data = "auto";     ///< how the host gets the scan: auto, map, send or there
    std::string bring = "volume";  ///< what is fetched at the end: volume, preview or nothing
    bool detach = false;           ///< submit the job and do not wait for its end
    bool scriptOnly = false;       ///< print the batch script and submit nothing
    std::filesystem::path script;  ///< batch script to submit; empty: a generated one

    [[nodiscard]] bool isAsked() const { return !host.empty(); }
};

void addHostOptions(Command& command, HostOptions& options);

/// Makes the job for a scan that is stored on the host, where the scan's file is read.
/// @throws the errors of makeJobSpec() and JobHost
[[nodiscard]] JobSpec makeHostJobSpec(ReconstructionOptions request, const HostOptions& options,
                                      Session& session);

/// With `scriptOnly`, prints the batch script. Otherwise submits the job and, unless it
/// is to be detached, polls it until it ends and fetches the requested results.
/// folder: the job's folder on this machine
/// @returns the exit code
[[nodiscard]] int runOnHost(const JobSpec& spec, const std::filesystem::path& folder,
                            const HostOptions& options, bool json, Session& session);

/// Polls a submitted job until it ends, then fetches the results that it requests.
/// @returns the exit code
[[nodiscard]] int followAndFetch(JobHost& host, RemoteJob job, bool json, Session& session);

/// Fetches results and shows the progress on the terminal. @throws the errors of JobHost
void fetchWithProgress(JobHost& host, RemoteJob& job, BringBack bring, bool json, Session& session);

/// Calls bringCheckpoint() and shows the progress on the terminal.
void bringCheckpointWithProgress(JobHost& host, RemoteJob& job, bool json, Session& session);

/// Prints the content of a job's remote.json as one JSON document, for other programs.
void printJobJson(const RemoteJob& job);

/// The meaning of a value of --bring.
[[nodiscard]] BringBack bringBackOf(const std::string& word);

}  // namespace gantry
