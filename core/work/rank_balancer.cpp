#include "core/work/rank_balancer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace gantry {

namespace {

constexpr double kBetweenAssignments = 0.25;
constexpr Index kNoMore = -1;
constexpr const char* kNext = "next";  // any other text is an answer

double secondsNow() {
    return 1e-9 * static_cast<double>(nowNs());
}

}  // namespace

RankBalancer::RankBalancer(RankWatch& watch, int rank, std::optional<First> first)
    : m_watch(watch), m_rank(rank), m_first(std::move(first)) {
    m_watch.call([this](const Communicator::Waiting&) {
        m_watch.setListener({[this](const RankMessage& message) { take(message); },
                             m_first ? [this] { look(); } : std::function<void()>()});
    });
}

std::optional<Index> RankBalancer::next(const std::stop_token& stop) {
    m_watch.post(0, kNext);
    std::unique_lock lock(m_mutex);
    if (!m_told.wait(lock, stop, [this] { return m_answer.has_value(); })) throw Cancelled();
    const Index slab = *std::exchange(m_answer, std::nullopt);
    return slab == kNoMore ? std::nullopt : std::optional(slab);
}

void RankBalancer::take(const RankMessage& message) {
    if (message.text == kNext) {
        require(m_first.has_value(), "a rank has asked another than the first for work");
        if (!answer(message.from, secondsNow())) m_waiting.push_back(message.from);
        return;
    }
    Index slab = kNoMore;
    std::from_chars(message.text.data(), message.text.data() + message.text.size(), slab);
    {
        const std::scoped_lock lock(m_mutex);
        m_answer = slab;
    }
    m_told.notify_all();
}

// Returns false if the rank has to wait.
bool RankBalancer::answer(int rank, double now) {
    std::optional<Index> slab = m_first->scheduler.next(rank, now);
    if (!slab && !m_first->scheduler.areAllGiven()) return false;
    m_watch.post(rank, fmt::format("{}", slab.value_or(kNoMore)));
    return true;
}

void RankBalancer::look() {
    const double now = secondsNow();
    if (now - m_lookedAt < kBetweenAssignments) return;
    m_lookedAt = now;
    PassScheduler& scheduler = m_first->scheduler;
    for (int rank = 0; rank < m_watch.size(); ++rank)
        scheduler.setDone(rank, m_first->done(rank), now);
    if (const std::vector<MovedPass> moved = scheduler.assignAnew(now); !moved.empty())
        m_first->moved(moved, scheduler, now);
    std::erase_if(m_waiting, [&](int rank) { return answer(rank, now); });
}

}  // namespace gantry
