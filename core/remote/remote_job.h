#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// How the scan's files come to a host.
enum class DataWay { mapped, sent, there };
/// What comes back of a volume when the job is done: the whole, its preview, or neither.
enum class BringBack { volume, preview, nothing };

/// What became of a job on a host.
enum class RemoteState {
    preparing,  ///< its data are on their way, or it was not yet submitted
    waiting,    ///< in the host's queue
    running,
    done,
    failed,
    cancelled,
    stopped,  ///< by the host: time limit, preemption, a node that failed; it can resume
    gone,     ///< its folder on the host is no more
};
[[nodiscard]] std::string_view name(RemoteState state);  ///< "preparing", ...
[[nodiscard]] bool hasEnded(RemoteState state);

/// A job on a host, as it is kept in the job's folder here (remote.json), which else holds what a
/// job's folder does: request, events, plan. Its request names files of this machine.
/// A job of this machine itself, whose host is empty, has no such file: see LocalHost.
struct RemoteJob {
    static constexpr const char* kRequest = "host-job.json";  ///< with the host's paths
    static constexpr const char* kScript = "job.sh";          ///< what is run there

    std::filesystem::path folder;  ///< the job's folder here
    std::string id;                ///< "20261124-220512-1f3a", of all hosts
    std::string host;              ///< a name or file for findHost(); empty: this machine itself
    std::string place;             ///< its folder there: job/, out/, job.sh; empty: not yet known
    std::string data;  ///< the folder there that holds what was sent; empty: nothing was
    DataWay way = DataWay::sent;
    BringBack bring = BringBack::volume;
    std::string number;  ///< the scheduler's, or the process group's; empty: not submitted
    int nodes = 1;
    int ranks = 1;    ///< in all
    int minutes = 0;  ///< time limit; 0: none
    RemoteState state = RemoteState::preparing;
    std::string message;  ///< in words: "waits for 4 GPUs, place 3"
    bool isFetched = false;
    /// A desktop began it: what is to be brought back is fetched by it when the job is done.
    bool isOfDesktop = false;
    /// Jobs of this machine itself that are to end first. Not kept: its worker knows them.
    std::vector<std::filesystem::path> after{};

    [[nodiscard]] bool isOfThisMachine() const { return host.empty(); }
};

/// Keeps remote.json, and the job among those of this user. @throws InputError, ResourceError
/// Tests: tests/cli/test_remote.py
void keepRemoteJob(const RemoteJob& job);
/// Nothing where the folder's job is none of a host. @throws InputError for a damaged file
[[nodiscard]] std::optional<RemoteJob> readRemoteJob(const std::filesystem::path& folder);
/// Those of this user whose folders are still there, the oldest first. isWanted: by the folder;
/// others are not read; may be missing
[[nodiscard]] std::vector<RemoteJob> remoteJobs(
    const std::function<bool(const std::filesystem::path& folder)>& isWanted = {});
/// By its folder here, its volume, or its id. @throws InputError where there is none
[[nodiscard]] RemoteJob findRemoteJob(const std::string& word);
/// The job is one of this machine from now on.
void forgetRemoteJob(const RemoteJob& job);
/// The job is no longer among those of this user; its folder stays as it is.
void unlistRemoteJob(const std::string& id);

[[nodiscard]] std::string newJobId();

}  // namespace gantry
