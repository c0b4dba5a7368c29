#include "core/plan/cluster/grid_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/throw_error.h"
#include "core/plan/device_slabs.h"

namespace gantry {

namespace {

// The ranks of a row together are as fast as their sum, and hold what the one with the least memory
// holds.
std::vector<RankShare> sharesOfRows(const RankGrid& grid, std::span<const RankShare> shares) {
    std::vector<RankShare> rows;
    for (Index r = 0; r < grid.rows; ++r) {
        const auto ranks = shares.subspan(r * grid.columns, grid.columns);
        RankShare row = {0, ranks.front().maxSlices, 1};
        for (const RankShare& rank : ranks) {
            row.speed += rank.speed;
            row.maxSlices = std::min(row.maxSlices, rank.maxSlices);
            row.layer = std::max(row.layer, rank.layer);
        }
        rows.push_back(row);
    }
    return rows;
}

// Gives each column at least one view.
std::vector<IndexRange> assignViews(Index views, const RankGrid& grid,
                                    std::span<const RankShare> shares) {
    std::vector<double> speeds(grid.columns);
    double all = 0;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        speeds[rank % speeds.size()] += shares[rank].speed;
        all += shares[rank].speed;
    }
    std::vector<IndexRange> ranges;
    double before = 0;
    Index begin = 0;
    for (Index c = 0; c < grid.columns; ++c) {
        before += speeds[c];
        const Index end = std::llround(static_cast<double>(views) * before / all);
        // leaves one view for each of the others
        const Index last = views - (grid.columns - 1 - c);
        ranges.push_back({begin, c + 1 == grid.columns ? views : std::clamp(end, begin + 1, last)});
        begin = ranges.back().end;
    }
    return ranges;
}

// Makes passes over the volume, in each of which every row makes a slab, of whole layers where
// there are enough layers.
RankSlabs assignPasses(const GridWork& work, std::span<const RankShare> rows) {
    std::vector<DeviceShare> shares;
    Index layer = 1;
    for (const RankShare& row : rows) {
        shares.push_back({row.speed, std::max<Index>(1, row.maxSlices)});
        layer = std::max(layer, row.layer);
    }
    const auto count = std::ssize(rows);
    const Index max = maxPasses(work.grid, count);
    RankSlabs assigned;
    for (Index passes = 1; passes <= max && assigned.slabs.empty(); ++passes)
        for (const SlabPlan& slab : assignSlabs(work.aligned, work.grid, shares, passes, layer)) {
            assigned.ranks.push_back(static_cast<int>(std::ssize(assigned.slabs) % count));
            assigned.slabs.push_back(slab.slices);
        }
    require(!assigned.slabs.empty(), "a volume was not assigned to the rows of a grid");
    return assigned;
}

// Distributes the remaining slabs of an interrupted run to the rows in turn.
RankSlabs assignInTurn(const FinishedSlabs& finished, Index rows) {
    RankSlabs assigned = {finished.slabs, std::vector<int>(finished.slabs.size())};
    Index row = 0;
    for (std::size_t i = 0; i < assigned.slabs.size(); ++i) {
        if (finished.done.contains(static_cast<Index>(i))) continue;
        assigned.ranks[i] = static_cast<int>(row);
        row = (row + 1) % rows;
    }
    return assigned;
}

bool isWhole(const std::vector<IndexRange>& ranges, Index size) {
    Index next = 0;
    for (const IndexRange& range : ranges) {
        if (range.begin != next || range.empty()) return false;
        next = range.end;
    }
    return next == size;
}

double speedOf(std::span<const RankShare> shares) {
    return std::accumulate(shares.begin(), shares.end(), 0.0,
                           [](double sum, const RankShare& share) { return sum + share.speed; });
}

// The end of each rank's slices: in proportion to the speeds, rounded.
std::vector<Index> endsOf(Index slices, std::span<const RankShare> shares) {
    const double all = speedOf(shares);
    double before = 0;
    std::vector<Index> ends;
    for (const RankShare& share : shares) {
        before += share.speed;
        ends.push_back(std::llround(static_cast<double>(slices) * before / all));
    }
    ends.back() = slices;
    return ends;
}

// Distributes slices in layers of `layer`, the topmost one may be thinner; a slab has at least one
// layer.
RankSlabs assignInLayers(Index slices, std::span<const RankShare> shares, Index layer) {
    const std::vector<Index> ends = endsOf((slices + layer - 1) / layer, shares);
    RankSlabs assigned;
    Index begin = 0;  // counts layers
    for (std::size_t r = 0; r < shares.size(); ++r) {
        const Index own = ends[r] - begin;
        const Index max = std::max<Index>(1, shares[r].maxSlices / layer);
        const Index count = (own + max - 1) / max;
        for (Index i = 0; i < count; ++i) {
            assigned.slabs.emplace_back(layer * (begin + i * own / count),
                                        std::min(slices, layer * (begin + (i + 1) * own / count)));
            assigned.ranks.push_back(static_cast<int>(r));
        }
        begin = ends[r];
    }
    return assigned;
}

// When the last rank has finished: a partly filled layer takes as long as a whole one.
double secondsOf(const RankSlabs& assigned, std::span<const RankShare> shares) {
    std::vector<double> seconds(shares.size());
    for (std::size_t i = 0; i < assigned.slabs.size(); ++i) {
        const auto rank = static_cast<std::size_t>(assigned.ranks[i]);
        const Index layer = shares[rank].layer;
        const Index layers = (assigned.slabs[i].size() + layer - 1) / layer;
        seconds[rank] += static_cast<double>(layers * layer) / shares[rank].speed;
    }
    return *std::ranges::max_element(seconds);
}

}  // namespace

std::vector<int> GridPart::ranksOfRow() const {
    std::vector<int> ranks;
    for (Index c = 0; c < plan.grid.columns; ++c)
        ranks.push_back(static_cast<int>(row() * plan.grid.columns + c));
    return ranks;
}

std::vector<int> GridPart::ranksOfColumn() const {
    std::vector<int> ranks;
    for (Index r = 0; r < plan.grid.rows; ++r)
        ranks.push_back(static_cast<int>(r * plan.grid.columns + column()));
    return ranks;
}

GridPlan assignToGrid(const GridWork& work, const RankGrid& grid,
                      std::span<const RankShare> shares) {
    require(std::ssize(shares) == grid.ranks(), "a grid has one share a rank");
    const Index slices = work.grid.voxels[2];
    if (grid.columns > work.aligned.views)
        throwError<InputError>(
            "A grid of {} columns was asked for, and the scan has {} views; each column needs one "
            "at least.",
            grid.columns, work.aligned.views);
    GridPlan plan;
    plan.grid = grid;
    if (plan.isGathered() && grid.rows > slices)
        throwError<InputError>(
            "A grid of {} rows was asked for, and the volume has {} slices; each row needs one at "
            "least where views are gathered.",
            grid.rows, slices);
    plan.views = assignViews(work.aligned.views, grid, shares);
    const std::vector<RankShare> rows = sharesOfRows(grid, shares);
    if (plan.isGathered())
        plan.slabs =
            work.finished ? assignInTurn(*work.finished, grid.rows) : assignPasses(work, rows);
    else
        plan.slabs =
            work.finished ? assignLeftOvers(*work.finished, rows) : assignToRanks(slices, rows);
    return plan;
}

std::string describe(const GridPlan& plan) {
    const Index ranks = plan.grid.ranks();
    std::string text =
        fmt::format("Made by {} ranks{}, a grid of {} × {}, views by {}: {}.", ranks,
                    plan.idleRanks > 0
                        ? fmt::format(" of {}, as no grid of all is faster", ranks + plan.idleRanks)
                        : "",
                    plan.grid.rows, plan.grid.columns, name(plan.grid.exchange), plan.why);
    if (plan.shares.empty()) return text;
    constexpr std::size_t kFew = 16;
    if (plan.shares.size() > kFew) {
        const auto [min, max] = std::minmax_element(plan.shares.begin(), plan.shares.end());
        return text +
               fmt::format(" Shares of the work from {:.3g} to {:.3g} %.", 100 * *min, 100 * *max);
    }
    text += " Shares of the work:";
    for (std::size_t rank = 0; rank < plan.shares.size(); ++rank)
        text += fmt::format("{} {:.1f}", rank > 0 ? "," : "", 100 * plan.shares[rank]);
    return text + " %.";
}

bool fits(const GridPlan& plan, const GridWork& work, Index ranks) {
    const RankGrid& grid = plan.grid;
    if (grid.ranks() + plan.idleRanks != ranks || std::ssize(plan.views) != grid.columns ||
        !isWhole(plan.views, work.aligned.views) || plan.chunkSlices < 1 ||
        (!plan.shares.empty() && std::ssize(plan.shares) != grid.ranks()))
        return false;
    if (work.finished && work.finished->slabs != plan.slabs.slabs) return false;
    const auto isRow = [&](int row) { return row >= 0 && row < grid.rows; };
    if (!std::ranges::all_of(plan.slabs.ranks, isRow)) return false;
    if (work.finished) return true;
    std::vector<IndexRange> slices;
    for (const IndexRanges& slab : plan.slabs.slabs)
        slices.insert(slices.end(), slab.parts().begin(), slab.parts().end());
    std::ranges::sort(slices,
                      [](const IndexRange& a, const IndexRange& b) { return a.begin < b.begin; });
    return isWhole(slices, work.grid.voxels[2]);
}

FinishedSlabs slabsForRank(const GridPart& part, const std::set<Index>& done) {
    return slabsForRank(part.plan.slabs, done, static_cast<int>(part.row()));
}

IndexRange partOfChunk(IndexRange slices, Index chunk, Index columns, Index column) {
    const Index turn = (column + chunk) % columns;
    return {slices.begin + slices.size() * turn / columns,
            slices.begin + slices.size() * (turn + 1) / columns};
}

IndexRange partOfBatch(IndexRange views, Index rows, Index row) {
    return {views.begin + views.size() * row / rows, views.begin + views.size() * (row + 1) / rows};
}

RankSlabs assignToRanks(Index slices, std::span<const RankShare> shares) {
    require(!shares.empty() && slices > 0, "a volume was to be assigned to no ranks");
    RankSlabs assigned = assignInLayers(slices, shares, 1);
    Index layer = 1;
    Index min = slices;
    for (const RankShare& share : shares) {
        layer = std::max(layer, share.layer);
        min = std::min(min, share.maxSlices);
    }
    if (layer == 1 || layer > min) return assigned;
    RankSlabs whole = assignInLayers(slices, shares, layer);
    return secondsOf(whole, shares) <= secondsOf(assigned, shares) ? whole : assigned;
}

RankSlabs assignLeftOvers(const FinishedSlabs& finished, std::span<const RankShare> shares) {
    RankSlabs assigned;
    assigned.slabs = finished.slabs;
    assigned.ranks.assign(finished.slabs.size(), 0);
    Index left = 0;
    for (std::size_t i = 0; i < finished.slabs.size(); ++i)
        if (!finished.done.contains(static_cast<Index>(i))) left += finished.slabs[i].size();
    const std::vector<Index> ends = endsOf(left, shares);
    Index begin = 0;
    for (std::size_t i = 0; i < finished.slabs.size(); ++i) {
        if (finished.done.contains(static_cast<Index>(i))) continue;
        // The slab goes to the rank in whose part its middle lies.
        const Index middle = begin + finished.slabs[i].size() / 2;
        const auto end = std::upper_bound(ends.begin(), ends.end(), middle);
        assigned.ranks[i] =
            static_cast<int>(std::min<std::ptrdiff_t>(end - ends.begin(), std::ssize(shares) - 1));
        begin += finished.slabs[i].size();
    }
    return assigned;
}

FinishedSlabs slabsForRank(const RankSlabs& all, const std::set<Index>& done, int rank) {
    FinishedSlabs own = {all.slabs, done};
    for (std::size_t i = 0; i < all.slabs.size(); ++i)
        if (all.ranks[i] != rank) own.done.insert(static_cast<Index>(i));
    return own;
}

}  // namespace gantry
