#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "app/cli/reconstruction_options.h"
#include "app/cli/session.h"
#include "core/plan/job_spec.h"
#include "core/remote/action/job_actions.h"

namespace gantry {

/// The options of `reconstruct` and `resume` for running a job on a host.
struct HostOptions {
    std::string host;              ///< empty: this machine runs the job
    HostWishes wishes;             ///< but for the script
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

/// With `scriptOnly`, prints the batch script of the first job. Otherwise starts the jobs on the
/// host together, and leaves or follows them, and fetches what they make.
/// @returns the exit code
[[nodiscard]] int runOnHost(const std::vector<NewJob>& jobs, const HostOptions& options, bool json,
                            Session& session);

/// Resumes an ended job on its host, or on that of the options, and goes on as runOnHost().
/// @returns the exit code
[[nodiscard]] int resumeOnHost(const RemoteJob& job, const HostOptions& options, bool json,
                               Session& session);

/// Fetches what an ended job has finished and makes it a job of this machine.
void takeWithProgress(const RemoteJob& job, bool json, Session& session);

/// Fetches results and shows the progress on the terminal. @throws as fetchJob()
[[nodiscard]] RemoteJob fetchWithProgress(const RemoteJob& job, BringBack bring, bool json,
                                          Session& session);

}  // namespace gantry
