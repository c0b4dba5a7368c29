#include "core/plan/cluster/rank_slabs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"

namespace gantry {

namespace {

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
    return *std::max_element(seconds.begin(), seconds.end());
}

}  // namespace

RankSlabs assignToRanks(Index slices, std::span<const RankShare> shares) {
    require(!shares.empty() && slices > 0, "a volume was to be dealt to no ranks");
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
