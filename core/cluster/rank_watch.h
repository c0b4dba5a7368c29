#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/cluster/communicator.h"
#include "core/cluster/rank_clock.h"

namespace gantry {

/// A rank's process.
struct RankProcess {
    std::string host;
    int pid = 0;
    std::string version{};  ///< of Gantry
};

/// Makes the ranks of a job fail together: what ends one ends all, with one sentence that names the
/// rank, its host and the cause. It uses the texts of the communicator, in the thread that calls
/// run(). Tests: tests/core/cluster/communicator_test.cpp, tests/cli/test_ranks.py
class RankWatch {
  public:
    /// A rank that sends nothing for so long counts as failed.
    static constexpr double kSilentSeconds = 25;

    /// processes: of all ranks
    /// clock: not shared with other machines; ranks on rank 0's machine use its clock
    RankWatch(Communicator& ranks, std::vector<RankProcess> processes,
              std::function<std::int64_t()> clock = nowNs);

    /// Runs `work` in its own thread, meanwhile attends to the other ranks, and does what the work
    /// requests by call().
    /// @throws what `work` throws; InputError, ResourceError with the sentence of a rank that has
    ///         failed, or has gone silent; Cancelled also where another rank was cancelled
    void run(const std::function<void(const std::stop_token&)>& work, const std::stop_token& stop);
    /// Called by the work: the thread of run() executes `what` with the communicator, and this
    /// waits for it. @throws what it throws; Cancelled where run() fails meanwhile
    void call(const std::function<void(const Communicator::Waiting&)>& what);
    /// Called within call(): asks rank 0 for the time a few times, and waits for the answers.
    void compareClocks(const Communicator::Waiting& waiting);
    /// This clock relative to rank 0's, which is asked for the time again and again while run() is
    /// at work. Safe from any thread. All 0 on rank 0's machine.
    [[nodiscard]] RankClock::Estimate clockAt(std::int64_t ownNs) const {
        return m_rankClock.at(ownNs);
    }

    /// Sets this rank's progress, which rank 0 gets. Safe from any thread.
    void setProgress(double fraction) { m_progress = fraction; }
    /// The progress of a rank at its last sign of life.
    [[nodiscard]] double progressOf(int rank) const;
    void setProgressOf(int rank, double fraction);

    /// Handlers for other messages between ranks.
    struct Listener {
        std::function<void(const RankMessage& message)> take;  ///< in the thread of run()
        std::function<void()> poll;  ///< in the same thread, every few milliseconds; may be empty
    };
    /// Called within call(). Texts that arrived before are handled then.
    void setListener(Listener listener);
    /// Sends a text to the listener of a rank, which may be this one. Safe from any thread, within
    /// run().
    void post(int to, std::string text);
    [[nodiscard]] int size() const { return m_ranks.size(); }

    /// Reports to the other ranks why this one failed, unless it failed because of them.
    void tellFailure(const std::exception& error) noexcept;
    /// The sentence to report where a rank of this machine is gone, or one of another machine has
    /// been silent for long: a launcher that notices it first stops the others as an operator
    /// would. Empty where all are alive. After run().
    [[nodiscard]] std::string whoIsGone() const;

  private:
    using Call = std::function<void(const Communicator::Waiting&)>;

    void attend();
    [[nodiscard]] std::string whoIsSilent(double seconds, std::int64_t atNs) const;
    void take(const RankMessage& message);
    void takeProgress(const RankMessage& message);
    void takeText(RankMessage message);
    void sendPosts();
    void takeTime(const RankMessage& message);
    [[nodiscard]] bool hasOwnClock() const;
    void askTime();
    void greet();
    void doCalls(const Communicator::Waiting& waiting);
    void refuseCalls() noexcept;

    Communicator& m_ranks;
    std::vector<RankProcess> m_processes;
    std::vector<std::int64_t> m_heardNs;  ///< of each rank: time of its last message
    std::int64_t m_endNs = 0;  ///< when run() last looked: its work may take long to end after that
    std::atomic<double> m_progress = 0;
    std::vector<std::atomic<double>> m_progresses;  ///< of each rank
    std::int64_t m_greetedNs = 0;
    bool m_isTold = false;  ///< a failure was sent or received
    Listener m_listener;
    std::vector<RankMessage> m_untaken;  ///< messages that came before setListener()

    struct Post {
        int to = 0;
        std::string text;
    };
    std::mutex m_postMutex;
    std::vector<Post> m_posts;

    std::function<std::int64_t()> m_clock;
    RankClock m_rankClock;
    std::int64_t m_askedNs = 0;  ///< when rank 0 was last asked for the time
    int m_answers = 0;           ///< answers to that

    std::mutex m_callMutex;  ///< guards the members below
    std::condition_variable m_callDone;
    const Call* m_call = nullptr;  ///< the call to be executed
    bool m_refusesCalls = true;
};

}  // namespace gantry
