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
};

/// Lets the ranks of a job fail together: what ends one ends all, with one sentence that names the
/// rank, its host and the cause. Uses the texts of the communicator, in the thread that calls
/// run(). Tests: tests/core/cluster/communicator_test.cpp, tests/cli/test_ranks.py
class RankWatch {
  public:
    /// No sign of life for so long is a failure, too.
    static constexpr double kSilentSeconds = 25;

    /// processes: of all ranks
    /// clock: that other machines do not share; ranks on rank 0's machine have its own
    RankWatch(Communicator& ranks, std::vector<RankProcess> processes,
              std::function<std::int64_t()> clock = nowNs);

    /// Does `work` in a thread of its own, attends to the other ranks meanwhile, and does what the
    /// work calls for.
    /// @throws what `work` throws; InputError, ResourceError with the sentence of a rank that has
    ///         failed, or that has not been heard of; Cancelled also where one was cancelled
    void run(const std::function<void(const std::stop_token&)>& work, const std::stop_token& stop);
    /// From the work: has the thread of run() do this with the communicator, and waits for it.
    /// @throws what it throws; Cancelled where run() fails meanwhile
    void call(const std::function<void(const Communicator::Waiting&)>& what);
    /// From within call(): asks rank 0 for the time a few times, and waits for the answers.
    void compareClocks(const Communicator::Waiting& waiting);
    /// How this clock goes against rank 0's, which is asked again and again while run() is at work;
    /// from any thread. All 0 on rank 0's machine.
    [[nodiscard]] RankClock::Estimate clockAt(std::int64_t ownNs) const {
        return m_rankClock.at(ownNs);
    }

    /// How far this rank is, for rank 0; from any thread.
    void setProgress(double fraction) { m_progress = fraction; }
    /// How far a rank was when last heard of.
    [[nodiscard]] double progressOf(int rank) const;
    void setProgressOf(int rank, double fraction);

    /// What ranks say to each other beside that.
    struct Talk {
        std::function<void(const RankMessage& message)> take;  ///< in the thread of run()
        std::function<void()> look;  ///< there, every few milliseconds; may be empty
    };
    /// From within call(). Texts that came before are taken then.
    void setTalk(Talk talk);
    /// Sends a text to a rank's Talk, which may be this one's. From any thread, within run().
    void post(int to, std::string text);
    [[nodiscard]] int size() const { return m_ranks.size(); }

    /// Tells the other ranks why this one has failed; nothing where it has failed because of them.
    void tellFailure(const std::exception& error) noexcept;
    /// The sentence where a rank of this machine is gone: a launcher that sees one die stops the
    /// others as an operator would. Empty where all are there.
    [[nodiscard]] std::string whoIsGone() const;

  private:
    using Call = std::function<void(const Communicator::Waiting&)>;

    void attend();
    void take(const RankMessage& message);
    void takeProgress(const RankMessage& message);
    void takeTalk(RankMessage message);
    void sendPosts();
    void takeTime(const RankMessage& message);
    [[nodiscard]] bool hasOwnClock() const;
    void askTime();
    void greet();
    void doCalls(const Communicator::Waiting& waiting);
    void refuseCalls() noexcept;

    Communicator& m_ranks;
    std::vector<RankProcess> m_processes;
    std::vector<std::int64_t> m_heardNs;  ///< of each rank, when last
    std::atomic<double> m_progress = 0;
    std::vector<std::atomic<double>> m_progresses;  ///< of each rank
    std::int64_t m_greetedNs = 0;
    bool m_isTold = false;  ///< of a failure, or about one
    Talk m_talk;
    std::vector<RankMessage> m_untaken;  ///< there is no talk yet

    struct Post {
        int to = 0;
        std::string text;
    };
    std::mutex m_postMutex;
    std::vector<Post> m_posts;

    std::function<std::int64_t()> m_clock;
    RankClock m_rankClock;
    std::int64_t m_askedNs = 0;  ///< rank 0 for the time, when last
    int m_answers = 0;           ///< to that

    std::mutex m_callMutex;  ///< of what follows
    std::condition_variable m_callDone;
    const Call* m_call = nullptr;  ///< that is to be done
    bool m_refusesCalls = true;
};

}  // namespace gantry
