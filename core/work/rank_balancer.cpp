#include "core/work/rank_balancer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
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

std::size_t at(Index index) {
    return static_cast<std::size_t>(index);
}

// "Rank 1 on alpha", "Row 1 of the grid"
std::string nameOf(int row, const GridPlan& grid, const std::vector<RankPlan>& plans) {
    if (grid.grid.columns > 1) return fmt::format("Row {} of the grid", row);
    return fmt::format("Rank {} on {}", row, plans[at(row)].host);
}

}  // namespace

RankBalancer::RankBalancer(RankWatch& watch, int rank, std::optional<First> first)
    : m_watch(watch), m_rank(rank), m_first(std::move(first)) {
    m_watch.call([this](const Communicator::Waiting&) {
        m_watch.setListener({[this](const RankMessage& message) { take(message); },
                             m_first ? [this] { poll(); } : std::function<void()>()});
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
    if (!slab && !m_first->scheduler.areAllAssigned()) return false;
    m_watch.post(rank, fmt::format("{}", slab.value_or(kNoMore)));
    return true;
}

void RankBalancer::poll() {
    const double now = secondsNow();
    if (now - m_lookedAt < kBetweenAssignments) return;
    m_lookedAt = now;
    PassScheduler& scheduler = m_first->scheduler;
    for (int rank = 0; rank < scheduler.ranks(); ++rank)
        scheduler.setDone(rank, m_first->done(rank), now);
    if (const std::vector<MovedPass> moved = scheduler.rebalance(now); !moved.empty())
        m_first->moved(moved, scheduler, now);
    std::erase_if(m_waiting, [&](int rank) { return answer(rank, now); });
}

AssignedGrid::AssignedGrid(GridPlan grid, const std::vector<SlabPlan>& slabs,
                           const std::vector<RankPlan>& plans, Index batchesPerPass)
    : m_grid(std::move(grid)) {
    const Index columns = m_grid.grid.columns;
    m_run.columns = columns;
    m_run.batches = static_cast<double>(batchesPerPass);
    m_run.shares.assign(at(m_grid.grid.rows), m_grid.shares.empty() ? 1.0 : 0.0);
    for (std::size_t rank = 0; rank < m_grid.shares.size(); ++rank)
        m_run.shares[rank / at(columns)] += m_grid.shares[rank];
    for (Index row = 0; row < m_grid.grid.rows; ++row)
        for (const Assignment& part : plans[at(row * columns)].assignments) {
            if (part.device == 0) m_run.passes.push_back({part.slab, 0, static_cast<int>(row)});
            AssignedPass& pass = m_run.passes.back();
            pass.slices += slabs[at(part.slab)].slices.size();
            m_slabs[pass.firstSlab].push_back(part.slab);
        }
    for (Index row = 0; row < m_grid.grid.rows; ++row) {
        std::vector<bool> fits(m_run.passes.size(), true);
        for (Index c = 0; c < columns; ++c) {
            const std::vector<Index>& spare = plans[at(row * columns + c)].spare;
            const std::set<Index> held(spare.begin(), spare.end());
            for (std::size_t i = 0; i < fits.size(); ++i)
                fits[i] = fits[i] &&
                          (m_run.passes[i].row == row || held.contains(m_run.passes[i].firstSlab));
        }
        m_run.fits.push_back(std::move(fits));
    }
}

void AssignedGrid::take(const std::vector<MovedPass>& moved, const PassScheduler& scheduler,
                        std::vector<RankPlan>& plans) {
    std::set<int> rows;
    for (const MovedPass& move : moved) {
        rows.insert({move.from, move.pass.row});
        for (const Index slab : m_slabs.at(move.pass.firstSlab))
            m_grid.slabs.ranks[at(slab)] = move.pass.row;
    }
    for (const int row : rows)
        for (Index c = 0; c < m_grid.grid.columns; ++c) {
            const auto rank = static_cast<int>(row * m_grid.grid.columns + c);
            std::vector<Assignment>& parts = plans[at(rank)].assignments;
            parts.clear();
            for (const Index pass : scheduler.passesOf(row)) {
                Index device = 0;
                for (const Index slab : m_slabs.at(pass))
                    parts.push_back({rank, device++, slab, m_grid.views[at(c)]});
            }
        }
}

std::string describe(const std::vector<MovedPass>& moved, const PassScheduler& scheduler,
                     const GridPlan& grid, const std::vector<RankPlan>& plans, double now) {
    std::string text;
    for (int row = 0; row < grid.grid.rows; ++row) {
        std::set<int> to;
        Index slices = 0;
        for (const MovedPass& move : moved) {
            if (move.from != row) continue;
            to.insert(move.pass.row);
            slices += move.pass.slices;
        }
        if (to.empty()) continue;
        const std::string others = to.size() > 1           ? fmt::format("{} others", to.size())
                                   : grid.grid.columns > 1 ? fmt::format("row {}", *to.begin())
                                                           : fmt::format("rank {}", *to.begin());
        text += fmt::format(
            "{}{} works at {:.0f} % of the speed that its share means beside the others; {} slices "
            "that it had not begun move to {}.",
            text.empty() ? "" : " ", nameOf(row, grid, plans),
            100 * scheduler.throughputOf(row, now), slices, others);
    }
    return text;
}

}  // namespace gantry
