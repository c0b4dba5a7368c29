#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/cluster/communicator.h"

namespace gantry {

/// A rank's process.
struct RankProcess {
    std::string host;
    int pid = 0;
};

/// Lets the ranks of a job fail together: what ends one ends all, with one sentence that names the
/// rank, its host and the cause. Uses the texts of the communicator, in its thread.
/// Tests: tests/core/cluster/rank_watch_test.cpp, tests/cli/test_ranks.py
class RankWatch {
  public:
    /// No sign of life for so long is a failure, too.
    static constexpr double kSilentSeconds = 25;

    /// processes: of all ranks
    RankWatch(Communicator& ranks, std::vector<RankProcess> processes);

    /// Does `work` in a thread of its own, and attends to the other ranks meanwhile.
    /// @throws what `work` throws; as attend()
    void run(const std::function<void(const std::stop_token&)>& work, const std::stop_token& stop);

    /// Looks at what the others have sent, and lets them know that this rank is there.
    /// @throws InputError, ResourceError with the sentence of a rank that has failed, or that has
    ///         not been heard of; Cancelled where one was cancelled
    void attend();
    /// For collectives of the communicator.
    [[nodiscard]] Communicator::Waiting waiting(const std::stop_token& stop) {
        return {stop, [this] { attend(); }};
    }

    /// Tells the other ranks why this one has failed; nothing where it has failed because of them.
    void tellFailure(const std::exception& error) noexcept;
    /// The sentence where a rank of this machine is gone: a launcher that sees one die stops the
    /// others as an operator would. Empty where all are there.
    [[nodiscard]] std::string whoIsGone() const;

  private:
    void take(const RankMessage& message);
    void greet();

    Communicator& m_ranks;
    std::vector<RankProcess> m_processes;
    std::vector<std::int64_t> m_heardNs;  ///< of each rank, when last
    std::int64_t m_greetedNs = 0;
    bool m_isTold = false;  ///< of a failure, or about one
};

}  // namespace gantry
