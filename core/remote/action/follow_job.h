#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "core/remote/job/batch_script.h"
#include "core/remote/job/job_host.h"

namespace gantry {

/// How a scan gets to the host by default: mapped if the host's map has the scan's folder,
/// otherwise sent.
[[nodiscard]] DataWay usualWay(const Host& host, const ScanFile& scan);

/// A job for that host, with an id of its own. folder: of the job here
/// @throws InputError if the folder's job is one that a host still has to run: it must not become
///         untracked
[[nodiscard]] RemoteJob newRemoteJob(const std::filesystem::path& folder, const std::string& host,
                                     const JobResources& resources);

/// Keeps everything that handOver() needs in the job's folder, so that another process can do it.
void keepHandOver(const HandOver& job);
[[nodiscard]] HandOver readHandOver(const std::filesystem::path& folder);

/// Puts a job on its host: prepares, stages and submits it. It may be called again.
/// @throws as JobHost
void handOver(JobHost& host, HandOver& job, const HostProgress& progress,
              const std::stop_token& stop);
/// Polls a job once a second until it has ended, and waits through breaks of the connection. news:
/// called after each poll
void follow(JobHost& host, RemoteJob& job, const HostProgress& progress,
            const std::function<void(const RemoteJob&)>& news, const std::stop_token& stop);

/// Fetches what an ended job has finished, so that it can be resumed here or on another host: its
/// checkpoint and its unfinished volume. If nothing is left there, the files here are used.
/// @throws InputError if the scan's files have changed since they were sent; as JobHost
void bringCheckpoint(JobHost& host, RemoteJob& job, const HostProgress& progress,
                     const std::stop_token& stop);

}  // namespace gantry
