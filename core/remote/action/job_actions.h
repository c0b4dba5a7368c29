#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/job/job_directory.h"
#include "core/remote/action/host_wishes.h"
#include "core/remote/action/job_host.h"
#include "core/remote/job/job_resources.h"

namespace gantry {

/// What is done with jobs on hosts, by the command line and the desktop alike. A job is known by
/// its folder here. Each action begins with what stands in that folder and in the job's folder on
/// the host, keeps its result there, and can be done again after an end of this program, of the
/// connection or of the host at any moment: a job is never started twice, and nothing is lost.
/// They throw as JobHost does; the reason of a start that failed is the job's message, too.
/// Tests: tests/cli/test_remote.py, tests/cli/test_remote_faults.py,
/// tests/cli/test_remote_kills.py,
///        tests/cli/test_arrays.py, tests/ui/workspace/host_jobs_test.cpp

/// A job to be created. spec: with paths of this machine, or those that the order's way asks for
struct NewJob {
    std::filesystem::path folder;
    JobSpec spec;
};

/// What a host is asked to do.
struct HostOrder {
    std::string host;  ///< for findHost()
    HostWishes wishes{};
    JobResources resources{};
    DataWay way = DataWay::sent;
    bool isOfDesktop = false;  ///< see RemoteJob
};

/// The order for jobs that are created together: each gets what the largest of them needs.
/// @throws as findHost() and resourcesFor()
[[nodiscard]] HostOrder orderFor(const std::string& host, std::span<const NewJob> jobs,
                                 const HostWishes& wishes);

/// The job of a folder. If it was being moved when the program ended, the other host is asked
/// whether it has taken it. @throws InputError if it is no job of a host
[[nodiscard]] RemoteJob readJob(const std::filesystem::path& folder, const std::stop_token& stop);

/// Creates a job that this machine runs. If a host had one in that folder, it is forgotten.
/// @throws InputError if a host runs it, or still has to: it would become untracked
[[nodiscard]] JobDirectory createJobHere(const NewJob& job, const std::stop_token& stop);

/// Creates the jobs' folders here, for startJobs(); several become an array.
/// @returns locks: while they exist, no other program creates a job in one of the folders
/// @throws as createJobHere(); InputError also if another program has such a lock
std::vector<File> createJobs(std::span<const NewJob> jobs, const HostOrder& order,
                             const std::stop_token& stop);

/// Sends what the jobs' host lacks and submits them, or resumes them there. A job that the host has
/// already is not started again. Several have just been created together: a scheduler gets them by
/// one submission, of which each is a job as any other from then on; other hosts run them one after
/// the other.
/// @throws InputError if one runs or is done
std::vector<RemoteJob> startJobs(std::span<const std::filesystem::path> folders,
                                 const HostProgress& progress, const std::stop_token& stop);

/// Resumes an ended job on another host, from what it has finished. It stays a job of its host
/// until the other one has taken it.
RemoteJob moveJob(const std::filesystem::path& folder, const HostOrder& order,
                  const HostProgress& progress, const std::stop_token& stop);

/// Fetches what an ended job has finished and makes it a job of this machine. If nothing is left
/// there, the files here are used.
/// @throws InputError if the scan's files have changed since they were sent
void takeJob(const std::filesystem::path& folder, const HostProgress& progress,
             const std::stop_token& stop);

/// Called with a job that has news.
using JobHandler = std::function<void(const RemoteJob&)>;

/// Polls jobs of one host until their logs are read. host: for findHost()
void pollJobs(const std::string& host, std::span<RemoteJob> jobs, const std::stop_token& stop);

/// Polls a job once a second until it has ended, and waits through breaks of the connection.
RemoteJob followJob(const std::filesystem::path& folder, const HostProgress& progress,
                    const JobHandler& news, const std::stop_token& stop);

/// Fetches the records, the preview, and the volume depending on `bring`. news: called when the
/// preview is here
/// @throws InputError if the volume is wanted and not made yet, or gone
RemoteJob fetchJob(const std::filesystem::path& folder, BringBack bring,
                   const HostProgress& progress, const JobHandler& news,
                   const std::stop_token& stop);

/// Ends the job, and waits ten seconds for that. What it has finished is kept.
RemoteJob cancelJob(const std::filesystem::path& folder, const std::stop_token& stop);

}  // namespace gantry
