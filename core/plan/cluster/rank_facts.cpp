#include "core/plan/cluster/rank_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/engine/kernel.h"

namespace gantry {

namespace {

std::string textOf(const RankGrid& grid) {
    return fmt::format("{} × {}{}{}", grid.rows, grid.columns, grid.rows > 1 ? " by " : "",
                       grid.rows > 1 ? name(grid.exchange) : "");
}

bool isComplete(const Cluster& cluster) {
    return cluster.rates.front().rate > 0 && cluster.loadBytes > 0 && cluster.filterPixels > 0;
}

// The fastest grid without constraints, and why it was chosen.
std::pair<RankGrid, std::string> fastestGrid(const Cluster& cluster, const ClusterProblem& problem,
                                             Index ranks) {
    constexpr double kClearly = 0.9;
    const RankGrid simple = {ranks, 1, Exchange::rows};
    if (cluster.gatherBytes.front().rate <= 0)
        return {simple, "this MPI serves one thread at a time"};
    if (!isComplete(cluster)) return {simple, "too little is known of the ranks to compare others"};
    const ClusterForecast byRows = chooseGrid(cluster, problem, ranks, {Exchange::rows, {}});
    const ClusterForecast byGather = chooseGrid(cluster, problem, ranks, {Exchange::gather, {}});
    const ClusterForecast& best = byGather.wall < byRows.wall ? byGather : byRows;
    const ClusterForecast& other = &best == &byRows ? byGather : byRows;
    if (ranks > problem.grid.voxels[2]) return {best.grid, "there are fewer slices than ranks"};
    const ClusterForecast plain = forecast(cluster, problem, simple);
    const bool isPlain = best.wall > kClearly * plain.wall;
    const ClusterForecast& taken = isPlain ? plain : best;
    return {taken.grid, fmt::format("predicted to take {}, and {} {}", formatDuration(taken.wall),
                                    textOf(isPlain ? byGather.grid : other.grid),
                                    formatDuration(isPlain ? byGather.wall : other.wall))};
}

std::pair<RankGrid, std::string> chosenGrid(const Cluster& cluster, const ClusterProblem& problem,
                                            Index ranks, GridWishes wishes) {
    if (!wishes.exchange && !wishes.rows) return fastestGrid(cluster, problem, ranks);
    const bool isWished = wishes.exchange && wishes.rows;
    if (!wishes.exchange && !isComplete(cluster)) wishes.exchange = Exchange::rows;
    const ClusterForecast best = chooseGrid(cluster, problem, ranks, wishes);
    return {best.grid, isWished ? "as the job asks"
                                : fmt::format("as the job asks, and predicted to take {}",
                                              formatDuration(best.wall))};
}

// Detector rows that all slabs of a plan need, summed.
double rowsOf(const GridWork& work, const RankSlabs& assigned) {
    double rows = 0;
    for (const IndexRanges& slab : assigned.slabs)
        rows += static_cast<double>(slabOf(work.aligned, work.grid, slab).rows.size());
    return rows;
}

// Speed of a rank on a slab of `slices` slices.
double speedOn(const RankFacts& rank, double slices) {
    const auto tallest = static_cast<double>(std::max<Index>(1, rank.share.maxSlices));
    const KernelChoice kernel = {{}, rank.share.speed, tallest, rank.columnSlices};
    return kernel.updatesPerSecondOn(slices);
}

// Summed seconds of the ranks to filter the rows of all slabs and to back-project into them.
double secondsFor(const RankSlabs& assigned, const GridWork& work,
                  std::span<const RankFacts> ranks) {
    const double rows = rowsOf(work, assigned);
    const double slices =
        static_cast<double>(work.grid.voxels[2]) / static_cast<double>(assigned.slabs.size());
    double pixels = 0;
    double updates = 0;
    bool isOnCpu = true;
    for (const RankFacts& rank : ranks) {
        pixels += rank.filterPixels;
        updates += speedOn(rank, slices);
        isOnCpu = isOnCpu && rank.isOnCpu;
    }
    const auto views = static_cast<double>(work.aligned.views);
    const double filter =
        pixels > 0 ? rows * static_cast<double>(work.aligned.detector.columns) * views / pixels : 0;
    const double backproject = static_cast<double>(work.grid.count()) * views / updates;
    return isOnCpu ? filter + backproject : std::max(filter, backproject);
}

// Makes slabs thinner so that they can move. Thinner slabs filter more rows twice, and kernels are
// slower on them.
void thinToMove(const GridWork& work, const RankGrid& grid, std::span<const RankFacts> ranks,
                std::vector<RankShare>& shares) {
    constexpr std::array<Index, 6> kSlabsOfARow = {16, 12, 8, 6, 4, 3};
    constexpr double kMaxCost = 1.05;
    // min. time of a slab: each is written to disk at its end
    constexpr double kMinSeconds = 0.5;
    constexpr Index kMaxSlabs = 4096;  // max number that is considered before a run
    const double thick = secondsFor(assignToGrid(work, grid, shares).slabs, work, ranks);
    const double all =
        std::accumulate(shares.begin(), shares.end(), 0.0,
                        [](double sum, const RankShare& share) { return sum + share.speed; });
    for (const Index count : kSlabsOfARow) {
        if (grid.rows * count > kMaxSlabs) continue;
        if (thick < kMinSeconds * static_cast<double>(count)) continue;
        std::vector<RankShare> thin = shares;
        for (std::size_t rank = 0; rank < thin.size(); ++rank) {
            double row = 0;
            const std::size_t first = rank - rank % static_cast<std::size_t>(grid.columns);
            for (std::size_t c = 0; c < static_cast<std::size_t>(grid.columns); ++c)
                row += shares[first + c].speed;
            const double slices = static_cast<double>(work.grid.voxels[2]) * row / all;
            const auto max = static_cast<Index>(std::ceil(slices / static_cast<double>(count)));
            thin[rank].maxSlices =
                std::min(thin[rank].maxSlices, std::max(ranks[rank].minSlices, max));
        }
        const RankSlabs slabs = assignToGrid(work, grid, thin).slabs;
        if (secondsFor(slabs, work, ranks) > kMaxCost * thick) continue;
        shares = std::move(thin);
        return;
    }
}

// Rates of the mean rank, by the height of slabs.
std::vector<RateAt> ratesOf(std::span<const RankFacts> ranks, double tallest) {
    std::vector<RateAt> rates;
    const auto add = [&](double slices) {
        double updates = 0;
        for (const RankFacts& rank : ranks)
            updates += speedOn(rank, slices) / static_cast<double>(ranks.size());
        rates.push_back({slices, updates});
    };
    for (double slices = 8; slices < tallest; slices *= 2)
        add(slices);
    add(tallest);
    return rates;
}

}  // namespace

ExchangeRates exchangeOf(std::span<const RankFacts> ranks) {
    require(!ranks.empty(), "a cluster has a rank");
    ExchangeRates min = ranks.front().exchange;
    for (const RankFacts& rank : ranks) {
        min.gatherBytes = std::min(min.gatherBytes, rank.exchange.gatherBytes);
        min.reduceBytes = std::min(min.reduceBytes, rank.exchange.reduceBytes);
    }
    return min;
}

Cluster clusterOf(std::span<const RankFacts> ranks, const VolumeGrid& grid) {
    const ExchangeRates exchange = exchangeOf(ranks);
    std::set<std::string> hosts;
    Cluster cluster;
    cluster.name = "the ranks of this run";
    cluster.slabBytes = std::numeric_limits<Index>::max();
    cluster.coresBackproject = true;
    cluster.arePartsFixed = true;
    const Index sliceBytes = grid.voxels[0] * grid.voxels[1] * Index{sizeof(float)};
    Index slices = 0;
    for (const RankFacts& rank : ranks) {
        hosts.insert(rank.host);
        slices = std::max(slices, rank.share.maxSlices);
        cluster.slabBytes = std::min(cluster.slabBytes, sliceBytes * rank.share.maxSlices);
        cluster.filterPixels += rank.filterPixels;
        cluster.linkBytes += rank.linkBytes;
        cluster.loadBytes += rank.loadBytes;
        cluster.storeBytes += rank.storeBytes;
        if (!rank.isOnCpu) cluster.coresBackproject = false;
    }
    cluster.gatherBytes = {{1, exchange.gatherBytes}};
    cluster.reduceBytes = exchange.reduceBytes;
    cluster.rates = ratesOf(ranks, static_cast<double>(slices));
    const auto nodes = std::ssize(hosts);
    cluster.gpusPerNode = static_cast<int>((std::ssize(ranks) + nodes - 1) / nodes);
    cluster.filterPixels /= static_cast<double>(nodes);
    cluster.linkBytes /= static_cast<double>(nodes);
    return cluster;
}

GridPlan planGrid(const GridWork& work, const ClusterProblem& problem,
                  std::span<const RankFacts> ranks, const GridWishes& wishes,
                  const RankWeights& weights, double slabShare) {
    const auto [chosen, why] =
        chosenGrid(clusterOf(ranks, work.grid), problem, std::ssize(ranks), wishes);
    // The ranks of one row have nothing to gather.
    const RankGrid grid = {chosen.rows, chosen.columns,
                           chosen.rows == 1 ? Exchange::rows : chosen.exchange};
    const auto count = static_cast<std::size_t>(grid.ranks());
    std::vector<double> weighed = rankShares(weights, ranks, work.grid.voxels[2]);
    weighed.resize(count);
    const double all = std::accumulate(weighed.begin(), weighed.end(), 0.0);
    for (double& share : weighed)
        share /= all;
    std::vector<RankShare> shares;
    Index chunkSlices = std::numeric_limits<Index>::max();
    for (const RankFacts& rank : ranks.first(count)) {
        const auto max = static_cast<Index>(slabShare * static_cast<double>(rank.share.maxSlices));
        shares.push_back({weighed[shares.size()], std::max<Index>(1, max), rank.share.layer});
        chunkSlices = std::min(chunkSlices, rank.chunkSlices);
    }
    const bool isMovable =
        weights.by == RankWeights::By::speed && grid.rows > 1 && grid.exchange == Exchange::rows;
    if (isMovable && !work.finished) thinToMove(work, grid, ranks, shares);
    GridPlan plan = assignToGrid(work, grid, shares);
    plan.idleRanks = std::ssize(ranks) - grid.ranks();
    plan.moves = isMovable;
    plan.shares = weighed;
    plan.chunkSlices = std::max<Index>(1, chunkSlices);
    plan.why = why;
    return plan;
}

}  // namespace gantry
