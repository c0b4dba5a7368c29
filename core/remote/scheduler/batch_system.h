#pragma once

#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/job/job_status.h"
#include "core/remote/job/job_logs.h"
#include "core/remote/job/job_resources.h"
#include "core/remote/job/remote_job.h"

namespace gantry {

/// How a scheduler ended a job.
enum class QueueEnd {
    byItself,
    timeLimit,
    deadline,
    preempted,
    nodeFailed,
    notStarted,
    memory,
    cancelled
};

/// A scheduler's report on a job.
struct QueueJob {
    enum class State { waiting, running, suspended, ended };
    State state = State::waiting;
    std::string reason;  ///< why it waits, in the scheduler's words; empty: for free nodes
    std::string start;   ///< when it is expected to start, in the host's time; empty: not known
    std::string nodes;   ///< "n[1-2]"
    QueueEnd end = QueueEnd::byItself;
    int place = 0;  ///< position in the queue, from 1 on; 0: not known
};

/// A scheduler's report on this user's jobs, by their numbers.
struct QueueNews {
    bool answers = true;
    std::string complaint;  ///< if it does not answer
    std::map<std::string, QueueJob> jobs;
};

/// What starts jobs on a host: a scheduler's commands, as scripts of the host's shell, and the
/// meaning of what they print; or, without one, the shell itself, which has no array, check and
/// launcher. Output is not trusted: lines of an unexpected form are skipped.
/// Tests: tests/core/remote/slurm_words_test.cpp, tests/core/remote/pbs_words_test.cpp,
/// tests/cli/test_remote.py, tests/cli/test_pbs.py
struct BatchSystem {
    std::string_view name;         ///< "Slurm"
    std::string_view submitter{};  ///< the command that takes jobs
    std::string_view launcher{};   ///< that usually starts ranks: see Host::launcher
    /// Comment lines of a job's script that ask for its resources.
    std::string (*head)(const Host& host, const JobResources& resources, const std::string& id);
    /// Lines of the script that go to the job's folder and prepare the start of its ranks.
    std::string (*begin)(const Host& host, const JobResources& resources);
    std::string_view begun;     ///< a line of it: number, restarts and nodes into the file `begun`
    std::string_view prefix{};  ///< of those comment lines: "#SBATCH "
    /// Further lines of a script that starts an array: comment lines for its jobs ID-1 to ID-count,
    /// and a line that goes to the folder of the one that is started.
    std::string (*array)(const std::string& id, int count) = nullptr;
    std::string_view element{};  ///< number of a job in an array, as printf makes it of two
    /// Bodies of shell functions: submit starts the script $3 of the folder $1 under the name $2
    /// and prints its number; active is activeJobs of activeJobsFunction().
    std::string_view submit;
    std::string_view active;
    std::string_view cancel{};  ///< the command that ends the job of a number
    /// A script that ends the job of the folder $1, called $2, which had the number $3; $4: cancel.
    /// It may call activeJobs, and lock in the job's folder.
    std::string_view end;
    /// A script that asks about the jobs whose numbers are in $numbers.
    std::string_view question{};
    QueueNews (*parse)(std::string_view answer);
    /// Sets the state and message of a job with a number. says: the end of its event log
    void (*settle)(RemoteJob& job, const JobTraces& traces, const LogEnd& says,
                   const QueueNews& news, const Host& host);
    /// For checkHost(): the commands that jobs need, of which the first states the version; and
    /// bodies of shell functions that fail with a reason. partitions prints
    /// "NAME|up|NODES|GPUS|LIMIT|CPUS|MB" for each, tryTaking asks whether $1/job.sh would be
    /// taken.
    std::string_view tools{};
    std::string_view partitions{};
    std::string_view tryTaking{};
};

[[nodiscard]] const BatchSystem& batchSystem(Scheduler scheduler);

/// Lines before commands of the scheduler, if there is one: setupLines(), without their output. The
/// commands may be found without them, and yet be those of another cluster.
[[nodiscard]] std::string queueLines(const Host& host);

/// A shell function `activeJobs` for the host, which is called in its scratch folder. It prints a
/// line "NUMBER gantry-ID" for each job of this user there that waits or runs, whichever machine
/// has sent it, and fails if the scheduler does not answer.
[[nodiscard]] std::string activeJobsFunction(const Host& host);

/// Sets how a job whose script has ended did so, by the exit code and its log. traces: with the
/// exit code
void settleByCode(RemoteJob& job, const JobTraces& traces, const LogEnd& says);

/// BatchSystem::settle of schedulers: the job's folder, its log and the scheduler's report count in
/// this order.
void settleByQueue(RemoteJob& job, const JobTraces& traces, const LogEnd& says,
                   const QueueNews& news, const Host& host);

/// The entries of batchSystem().
extern const BatchSystem kSlurm;
extern const BatchSystem kPbs;
extern const BatchSystem kDetached;

/// BatchSystem::end of schedulers.
extern const std::string_view kEndQueued;

/// Whether an answer begins with the line `good`; if not, with the complaint on its second line.
[[nodiscard]] QueueNews answerOf(std::istream& lines, std::string_view good);

/// What a job asks for of a node's memory: "180G", "all"; empty: nothing.
[[nodiscard]] std::string memoryOf(const Host& host, const JobResources& resources);

/// `#SBATCH --name=value` where there is a value; prefix: "#SBATCH --name="
void addLine(std::string& script, std::string_view prefix, std::string_view value);
/// The host's own options of a job. prefix: "#SBATCH "
void addOptions(std::string& script, std::string_view prefix, const Host& host);

}  // namespace gantry
