#include "core/work/rank_dealing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace gantry {

namespace {

constexpr double kBetweenDeals = 0.25;
constexpr Index kNoMore = -1;
constexpr const char* kNext = "next";  // any other text is an answer

double secondsNow() {
    return 1e-9 * static_cast<double>(nowNs());
}

}  // namespace

RankDealing::RankDealing(RankWatch& watch, int rank, std::optional<First> first)
    : m_watch(watch), m_rank(rank), m_first(std::move(first)) {
    m_watch.call([this](const Communicator::Waiting&) {
        m_watch.setTalk({[this](const RankMessage& message) { take(message); },
                         m_first ? [this] { look(); } : std::function<void()>()});
    });
}

std::optional<Index> RankDealing::next(const std::stop_token& stop) {
    m_watch.post(0, kNext);
    std::unique_lock lock(m_mutex);
    if (!m_told.wait(lock, stop, [this] { return m_answer.has_value(); })) throw Cancelled();
    const Index slab = *std::exchange(m_answer, std::nullopt);
    return slab == kNoMore ? std::nullopt : std::optional(slab);
}

void RankDealing::take(const RankMessage& message) {
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
bool RankDealing::answer(int rank, double now) {
    std::optional<Index> slab = m_first->dealer.next(rank, now);
    if (!slab && !m_first->dealer.areAllGiven()) return false;
    m_watch.post(rank, fmt::format("{}", slab.value_or(kNoMore)));
    return true;
}

void RankDealing::look() {
    const double now = secondsNow();
    if (now - m_lookedAt < kBetweenDeals) return;
    m_lookedAt = now;
    PassDealer& dealer = m_first->dealer;
    for (int rank = 0; rank < m_watch.size(); ++rank)
        dealer.setDone(rank, m_first->done(rank), now);
    if (const std::vector<MovedPass> moved = dealer.dealAnew(now); !moved.empty())
        m_first->moved(moved, dealer, now);
    std::erase_if(m_waiting, [&](int rank) { return answer(rank, now); });
}

}  // namespace gantry
