#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace gantry {

/// How a rank's clock goes against rank 0's, by questions for the time that are asked again and
/// again: each answer was given somewhere between asking and hearing it. Clocks of two machines
/// begin anywhere, and one gains some 10 to 100 µs a second on the other. Thread-safe.
/// Tests: tests/core/cluster/rank_clock_test.cpp, tests/core/cluster/communicator_test.cpp
class RankClock {
  public:
    /// All by nowNs(): of this process, and of rank 0's when it answered.
    struct Answer {
        std::int64_t askedNs = 0;
        std::int64_t firstNs = 0;
        std::int64_t heardNs = 0;
    };
    void add(const Answer& answer);

    struct Estimate {
        std::int64_t aheadNs = 0;  ///< what rank 0's clock is ahead at that moment
        double drift = 0;          ///< what it gains, in seconds a second
        std::int64_t errorNs = 0;  ///< of aheadNs at most, as far as one answer tells
    };
    /// At a moment of this process; all 0 before the first answer.
    [[nodiscard]] Estimate at(std::int64_t ownNs) const;

  private:
    // The quickest answer of a while.
    struct Look {
        std::int64_t ownNs = 0;
        std::int64_t aheadNs = 0;
        std::int64_t errorNs = 0;
    };
    void thinOut();
    void fit();

    mutable std::mutex m_mutex;
    std::vector<Look> m_looks;               ///< in order
    std::int64_t m_whileNs = 1'000'000'000;  ///< from one to the next at least
    Look m_line;                             ///< a point of the line through them
    double m_drift = 0;
};

}  // namespace gantry
