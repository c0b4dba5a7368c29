#include "core/work/assigned_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace gantry {

namespace {

std::size_t at(Index index) {
    return static_cast<std::size_t>(index);
}

// "Rank 1 on alpha", "Row 1 of the grid"
std::string nameOf(int row, const GridPlan& grid, const std::vector<RankPlan>& plans) {
    if (grid.grid.columns > 1) return fmt::format("Row {} of the grid", row);
    return fmt::format("Rank {} on {}", row, plans[at(row)].host);
}

}  // namespace

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
        std::vector<bool> takes(m_run.passes.size(), true);
        for (Index c = 0; c < columns; ++c) {
            const std::vector<Index>& spare = plans[at(row * columns + c)].spare;
            const std::set<Index> held(spare.begin(), spare.end());
            for (std::size_t i = 0; i < takes.size(); ++i)
                takes[i] = takes[i] &&
                           (m_run.passes[i].row == row || held.contains(m_run.passes[i].firstSlab));
        }
        m_run.takes.push_back(std::move(takes));
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
