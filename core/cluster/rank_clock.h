#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace gantry {

/// Estimates a rank's clock relative to rank 0's, from answers to repeated questions for the time:
/// each answer was given at some moment between asking and receiving it. Clocks of two machines
/// start at different times, and one gains some 10 to 100 µs a second on the other. Thread-safe.
/// Tests: tests/core/cluster/rank_clock_test.cpp, tests/core/cluster/communicator_test.cpp
class RankClock {
  public:
    /// Times by nowNs(): two of this process, and that of rank 0 when it answered.
    struct Answer {
        std::int64_t askedNs = 0;
        std::int64_t firstNs = 0;
        std::int64_t heardNs = 0;
    };
    void add(const Answer& answer);

    struct Estimate {
        std::int64_t aheadNs = 0;  ///< how far rank 0's clock is ahead at that moment
        double drift = 0;          ///< what rank 0's clock gains, in seconds a second
        std::int64_t errorNs = 0;  ///< max error of aheadNs, as far as one answer bounds it
    };
    /// The estimate at a moment of this process; all 0 before the first answer.
    [[nodiscard]] Estimate at(std::int64_t ownNs) const;

  private:
    // The quickest answer of a period.
    struct Sample {
        std::int64_t ownNs = 0;
        std::int64_t aheadNs = 0;
        std::int64_t errorNs = 0;
    };
    void thinOut();
    void fit();

    mutable std::mutex m_mutex;
    std::vector<Sample> m_samples;           ///< in order
    std::int64_t m_whileNs = 1'000'000'000;  ///< min. time from one to the next
    Sample m_line;                           ///< a point of the line fitted to them
    double m_drift = 0;
};

}  // namespace gantry
