#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "core/remote/batch_script.h"
#include "core/remote/job_host.h"

namespace gantry {

/// How a scan comes to the host where nothing else is said: mapped where its map has the scan's
/// folder, else sent.
[[nodiscard]] DataWay usualWay(const Host& host, const ScanFile& scan);

/// A job for that host, with an id of its own. folder: of the job here
/// @throws InputError where the folder's job is one that a host still has to do: it must not be
///         lost from sight
[[nodiscard]] RemoteJob newRemoteJob(const std::filesystem::path& folder, const std::string& host,
                                     const JobResources& resources);

/// Keeps all that handOver() needs in the job's folder, so that whoever reads it there can do it.
void keepHandOver(const HandOver& job);
[[nodiscard]] HandOver readHandOver(const std::filesystem::path& folder);

/// Does all that puts a job on its host: prepares, stages and submits. It may be called again.
/// @throws as JobHost
void handOver(JobHost& host, HandOver& job, const HostProgress& progress,
              const std::stop_token& stop);
/// Looks at a job once a second until it has ended; breaks of the connection are waited for.
/// news: called after each look
void follow(JobHost& host, RemoteJob& job, const HostProgress& progress,
            const std::function<void(const RemoteJob&)>& news, const std::stop_token& stop);

/// Brings what an ended job has finished here, to go on from it here or on another host: its
/// checkpoint and its unfinished volume. Where nothing is left there, what is here counts.
/// @throws InputError where the scan's files have changed since they were sent; as JobHost
void bringCheckpoint(JobHost& host, RemoteJob& job, const HostProgress& progress,
                     const std::stop_token& stop);

}  // namespace gantry
