#include "core/project/thread_peers.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/backproject/columns_layout.h"
#include "core/base/error.h"
#include "core/base/parallel.h"

namespace gantry {

PartMeeting::PartMeeting(std::vector<SpacePart> parts)
    : m_parts(std::move(parts)), m_shown(m_parts.size()) {}

void PartMeeting::show(std::size_t part, const Shown& shown) {
    m_shown[part] = shown;
    wait();
}

void PartMeeting::wait() {
    std::unique_lock lock(m_mutex);
    const Index meeting = m_meetings;
    if (++m_waiting == m_parts.size()) {
        m_waiting = 0;
        ++m_meetings;
        m_changed.notify_all();
    }
    m_changed.wait(lock, [&] { return m_meetings != meeting || m_isGivenUp; });
    if (m_isGivenUp) throw Cancelled();
}

void PartMeeting::giveUp() {
    const std::scoped_lock lock(m_mutex);
    m_isGivenUp = true;
    m_changed.notify_all();
}

void PartMeeting::reopen() {
    const std::scoped_lock lock(m_mutex);
    m_isGivenUp = false;
    m_waiting = 0;
}

ThreadPeers::ThreadPeers(PartMeeting& meeting, std::size_t part, int threads)
    : SpacePeers(meeting.parts()[part], meeting.parts().back().slices.end),
      m_meeting(meeting),
      m_own(part),
      m_threads(threads) {}

IndexRange ThreadPeers::sharedRows() const {
    return sharedRowsOf(m_meeting.parts(), m_own);
}

void ThreadPeers::addRays(Span3<float> rays, Index firstRow) {
    const Index first = part().rows.begin + firstRow;
    const Index viewRays = rays.size(1) * rays.size(2);
    makeRoom(m_sums, rays.count());
    m_meeting.show(m_own, {.rays = rays, .firstRow = first});
    // Sums in the order of the parts are the same for each of them.
    parallelFor(m_threads, rays.size(0), 1, [&](Index s, Index, int) {
        std::fill_n(m_sums.data() + s * viewRays, viewRays, 0.0F);
        for (std::size_t other = 0; other < m_meeting.parts().size(); ++other) {
            const PartMeeting::Shown& shown = m_meeting.shownBy(other);
            const IndexRange both = {
                std::max(first, shown.firstRow),
                std::min(first + rays.size(1), shown.firstRow + shown.rays.size(1))};
            for (Index v = both.begin; v < both.end; ++v) {
                const float* values = shown.rays.row(s, v - shown.firstRow);
                float* sums = m_sums.data() + s * viewRays + (v - first) * rays.size(2);
                for (Index u = 0; u < rays.size(2); ++u)
                    sums[u] += values[u];
            }
        }
    });
    m_meeting.leave();
    parallelFor(m_threads, rays.size(0), 1, [&](Index s, Index, int) {
        std::copy_n(m_sums.data() + s * viewRays, viewRays, rays.row(s, 0));
    });
}

void ThreadPeers::add(std::span<double> numbers) {
    m_meeting.show(m_own, {.numbers = numbers});
    std::vector<double> sums(numbers.size());
    for (std::size_t other = 0; other < m_meeting.parts().size(); ++other)
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += m_meeting.shownBy(other).numbers[i];
    m_meeting.leave();
    std::copy(sums.begin(), sums.end(), numbers.begin());
}

double ThreadPeers::largest(double own) {
    m_meeting.show(m_own, {.numbers = {&own, 1}});
    double all = own;
    for (std::size_t other = 0; other < m_meeting.parts().size(); ++other)
        all = std::max(all, m_meeting.shownBy(other).numbers.front());
    m_meeting.leave();
    return all;
}

void ThreadPeers::pass(Towards towards, std::span<const float> give, std::span<float> take) {
    const bool isUp = towards == Towards::above;
    m_meeting.show(m_own, {.values = give});
    if (isUp ? hasBelow() : hasAbove()) {
        const std::span<const float> values =
            m_meeting.shownBy(isUp ? m_own - 1 : m_own + 1).values;
        std::copy(values.begin(), values.end(), take.begin());
    }
    m_meeting.leave();
}

void ThreadPeers::share(Index z, std::span<float> slice) {
    m_meeting.show(m_own, {.values = slice});
    const auto& parts = m_meeting.parts();
    const auto owner =
        std::ranges::find_if(parts, [&](const SpacePart& one) { return one.slices.contains(z); });
    const auto from = static_cast<std::size_t>(std::distance(parts.begin(), owner));
    if (from != m_own) {
        const std::span<const float> values = m_meeting.shownBy(from).values;
        std::copy(values.begin(), values.end(), slice.begin());
    }
    m_meeting.leave();
}

}  // namespace gantry
