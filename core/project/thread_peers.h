#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/project/space_part.h"
#include "core/project/space_peers.h"

namespace gantry {

/// Where the threads of one process that have the parts of a problem meet, to read what the others
/// show. All of them meet as often as each other. Thread-safe.
class PartMeeting {
  public:
    explicit PartMeeting(std::vector<SpacePart> parts);

    [[nodiscard]] const std::vector<SpacePart>& parts() const { return m_parts; }

    /// What a part shows: rays of some of its rows, values or numbers.
    struct Shown {
        Span3<const float> rays = {};
        Index firstRow = 0;  ///< of the whole detector, that `rays` begin with
        std::span<const float> values = {};
        std::span<const double> numbers = {};
    };
    /// Shows something until the next call of leave(), and waits for all others to do so.
    /// @throws Cancelled  one of them has given up
    void show(std::size_t part, const Shown& shown);
    [[nodiscard]] const Shown& shownBy(std::size_t part) const { return m_shown[part]; }
    /// Waits until all have read what they need.
    void leave() { wait(); }

    /// Wakes all that wait, and those that come later, with Cancelled, until reopen().
    void giveUp();
    void reopen();

  private:
    void wait();

    const std::vector<SpacePart> m_parts;
    std::vector<Shown> m_shown;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::size_t m_waiting = 0;
    Index m_meetings = 0;
    bool m_isGivenUp = false;
};

/// Views whose rays threads add up at a time.
inline constexpr Index kViewsExchanged = 64;

/// The parts that other threads of this process have.
/// Tests: tests/core/project/joined_space_test.cpp
class ThreadPeers final : public SpacePeers {
  public:
    /// meeting: outlives it; threads: that add up rays
    ThreadPeers(PartMeeting& meeting, std::size_t part, int threads);

    [[nodiscard]] IndexRange sharedRows() const override;
    [[nodiscard]] Index viewsAtOnce() const override { return kViewsExchanged; }
    void addRays(Span3<float> rays, Index firstRow = 0) override;
    void add(std::span<double> numbers) override;
    [[nodiscard]] double largest(double own) override;
    void pass(Towards towards, std::span<const float> give, std::span<float> take) override;
    void share(Index z, std::span<float> slice) override;

  private:
    PartMeeting& m_meeting;
    const std::size_t m_own;
    const int m_threads;
    HostBuffer<float> m_sums;
};

}  // namespace gantry
