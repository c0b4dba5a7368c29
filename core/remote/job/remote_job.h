#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/field_word.h"
#include "core/base/types.h"

namespace gantry {

/// How the scan's files get to a host.
enum class DataWay { mapped, sent, there };
/// What is fetched of a volume when the job is done: all of it, its preview, or neither.
enum class BringBack { volume, preview, nothing };
/// In files and commands, in that order.
inline constexpr FieldWord kBringWords[] = {{"volume", "Preview, then the volume"},
                                            {"preview", "The preview alone"},
                                            {"nothing", "The records alone"}};

/// The state of a job on a host.
enum class RemoteState {
    preparing,  ///< its data are being sent, or it is not submitted yet
    waiting,    ///< in the host's queue
    running,
    done,
    failed,
    cancelled,
    stopped,  ///< by the host: time limit, preemption, a failed node; it can resume
    gone,     ///< its folder on the host no longer exists
};
[[nodiscard]] std::string_view name(RemoteState state);  ///< "preparing", ...
[[nodiscard]] bool hasEnded(RemoteState state);

/// A job on a host, kept in the job's folder here (remote.json), beside the usual content of such a
/// folder: request, events, plan. Its request names files of this machine.
/// A job of this machine, whose host is empty, has no such file: see LocalHost.
struct RemoteJob {
    static constexpr const char* kScript = "job.sh";  ///< the script that runs there

    std::filesystem::path folder;  ///< the job's folder here
    std::string id;                ///< "20261124-220512-1f3a", unique over all hosts
    std::string host;              ///< a name or file for findHost(); empty: this machine
    std::string place;             ///< its folder there: job/, out/, job.sh; empty: not yet known
    std::string data;              ///< the folder there with the data that were sent; empty: none
    DataWay way = DataWay::sent;
    BringBack bring = BringBack::volume;
    /// The scheduler's, or the process group's; while the job is preparing, that of an earlier run.
    /// Empty: none is known.
    std::string number;
    /// The array that it was submitted with: its id is this and its place there, "…-3". Empty:
    /// none.
    std::string array{};
    int nodes = 1;
    int ranks = 1;    ///< in all
    int minutes = 0;  ///< time limit; 0: none
    RemoteState state = RemoteState::preparing;
    std::string message;  ///< for the user: "waits for 4 GPUs, place 3"
    bool isFetched = false;
    /// A desktop started it, and will fetch the results when the job is done.
    bool isOfDesktop = false;

    [[nodiscard]] bool isOfThisMachine() const { return host.empty(); }
    /// Whether the host may have the job without this machine knowing.
    [[nodiscard]] bool isLost() const { return state == RemoteState::preparing && !place.empty(); }
};

/// Writes remote.json, and adds the job to the list of this user.
/// @throws InputError, ResourceError
/// Tests: tests/cli/test_remote.py
void keepRemoteJob(const RemoteJob& job);
/// Nothing if the folder's job belongs to no host. @throws InputError for a damaged file
[[nodiscard]] std::optional<RemoteJob> readRemoteJob(const std::filesystem::path& folder);
/// Jobs of this user whose folders still exist, the oldest first. isWanted: selects by the folder;
/// others are not read; may be empty. onDamaged: gets a sentence for each job that is left out
/// because its file cannot be read; may be empty
[[nodiscard]] std::vector<RemoteJob> remoteJobs(
    const std::function<bool(const std::filesystem::path& folder)>& isWanted = {},
    const std::function<void(const std::string& sentence)>& onDamaged = {});
/// Finds a job by its folder here, its volume, or its id. @throws InputError if there is none
[[nodiscard]] RemoteJob findRemoteJob(const std::string& word);
/// Keeps the job as it is to be on the host that it is being moved to: next.json, beside the
/// remote.json of the host that has it.
void keepNextJob(const RemoteJob& job);
[[nodiscard]] std::optional<RemoteJob> readNextJob(const std::filesystem::path& folder);
/// Forgets the move.
void forgetNextJob(const std::filesystem::path& folder);
/// Replaces the job by that of keepNextJob(), which its host has taken.
void takeNextJob(const RemoteJob& former, const RemoteJob& next);
/// Makes the job one of this machine.
void forgetRemoteJob(const RemoteJob& job);
/// Removes the job from the list of this user; its folder stays unchanged.
void unlistRemoteJob(const std::string& id);

[[nodiscard]] std::string newJobId();

/// Whether a text is a number that a scheduler gives a job: "1234", or that of a job in an array,
/// "1234_5" with Slurm and "1234[5]" with PBS. Tests: tests/core/remote/remote_status_test.cpp
[[nodiscard]] bool isJobNumber(std::string_view text);

}  // namespace gantry
