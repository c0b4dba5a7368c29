#include "core/plan/cluster/cluster_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/throw_error.h"
#include "core/plan/seconds.h"
#include "core/plan/slabs.h"

namespace gantry {

namespace {

constexpr double kVoxelBytes = sizeof(float);
constexpr double kGiga = 1 << 30;

double real(Index count) {
    return static_cast<double>(count);
}

Index ceilDiv(Index a, Index b) {
    return (a + b - 1) / b;
}

// Interpolates by the logarithm of the size: the cost of a slab's edges shrinks with its height,
// and collectives of MPI take steps by powers of two.
double rateOf(const std::vector<RateAt>& rates, double size) {
    if (size <= rates.front().size) return rates.front().rate;
    for (std::size_t i = 1; i < rates.size(); ++i) {
        const RateAt& a = rates[i - 1];
        const RateAt& b = rates[i];
        if (size > b.size) continue;
        const double t = std::log(size / a.size) / std::log(b.size / a.size);
        return std::lerp(a.rate, b.rate, t);
    }
    return rates.back().rate;
}

// The max of one row of the grid, and the sum over all of them.
struct GridRows {
    Index slices = 0;
    double rows = 0;
    double allRows = 0;
};

GridRows rowsOf(const ClusterProblem& problem, Index gridRows) {
    constexpr Index kMax = 64;  // neighbours among more need about the same detector rows
    const Index count = std::min(gridRows, kMax);
    GridRows all;
    all.slices = ceilDiv(problem.grid.voxels[2], gridRows);
    for (Index i = 0; i < count; ++i) {
        const Index r = i * (gridRows - 1) / std::max<Index>(1, count - 1);
        const double rows = real(rowOfGrid(problem, gridRows, r).detectorRows.size());
        all.rows = std::max(all.rows, rows);
        all.allRows += rows * real(gridRows) / real(count);
    }
    return all;
}

void findBoundingStage(ClusterForecast& f) {
    const std::array<std::pair<double, Stage>, 7> stages = {{{f.load, Stage::load},
                                                             {f.filter, Stage::filter},
                                                             {f.gather, Stage::gather},
                                                             {f.backproject, Stage::backproject},
                                                             {f.download, Stage::download},
                                                             {f.reduce, Stage::reduce},
                                                             {f.store, Stage::store}}};
    f.boundingStage = std::ranges::max_element(stages)->second;
}

std::vector<Index> divisors(Index n) {
    std::vector<Index> found;
    for (Index d = 1; d <= n; ++d)
        if (n % d == 0) found.push_back(d);
    return found;
}

// The rows of all grids of at most n ranks to which neither a row nor a column could be added.
std::vector<Index> rowsOfFullGrids(Index n) {
    std::vector<Index> found;
    for (Index rows = 1; rows <= n; rows = n / (n / rows) + 1)
        found.push_back(n / (n / rows));
    return found;
}

// Equation 8, and the time to open the files: without a gather each row opens all of them.
double loadSeconds(const Cluster& cluster, const ClusterProblem& problem, const RankGrid& grid,
                   double rowsRead) {
    const double views = real(problem.aligned.views);
    const double opened = grid.exchange == Exchange::gather ? views : views * real(grid.rows);
    return seconds(real(problem.storedBytesPerPixel) * real(problem.aligned.detector.columns) *
                       rowsRead * views,
                   cluster.loadBytes) +
           seconds(opened, cluster.opensPerSecond);
}

// Equation 10. Neighbouring ranks are of different columns, so the network brings a node the views
// of as many columns as it has ranks; those of the same column take them from each other.
double gatherSeconds(const Cluster& cluster, const RankGrid& grid, double bytes, Index batches) {
    if (grid.exchange != Exchange::gather || grid.rows == 1) return 0;
    const bool isOneNode = grid.ranks() <= cluster.gpusPerNode;
    const double columnsOfNode = real(std::min<Index>(cluster.gpusPerNode, grid.columns));
    return seconds(bytes, rateOf(cluster.gatherBytes, real(grid.rows))) +
           (isOneNode ? 0 : seconds(columnsOfNode * bytes, cluster.networkBytes)) +
           cluster.messageSeconds * real(batches * (grid.rows - 1));
}

// Seconds of the stages that overlap. The one that takes longest waits for the first batch from
// those before it; those after it still have the last batch when it has ended.
double overlapped(const Cluster& cluster, const ClusterForecast& f) {
    const std::vector<double> stages =
        cluster.coresBackproject ? std::vector{f.load, f.filter + f.gather + f.backproject}
                                 : std::vector{f.load, f.filter, f.gather,
                                               f.backproject + cluster.gatherExposed * f.gather};
    const double longest = *std::ranges::max_element(stages);
    const double all = std::accumulate(stages.begin(), stages.end(), 0.0);
    return longest + (all - longest) / real(f.slabs * f.batches);
}

// Slices that a rank can make at a time.
Index slicesThatFit(const Cluster& cluster, const VolumeGrid& grid) {
    const double slice = kVoxelBytes * real(grid.voxels[0]) * real(grid.voxels[1]);
    return std::max(Index{1}, static_cast<Index>(real(cluster.slabBytes) / slice));
}

}  // namespace

std::string_view name(Exchange exchange) {
    return kExchanges[1 + static_cast<std::size_t>(exchange)];
}

RowOfGrid rowOfGrid(const ClusterProblem& problem, Index gridRows, Index row) {
    const Index nZ = problem.grid.voxels[2];
    const IndexRange slices = {nZ * row / gridRows, nZ * (row + 1) / gridRows};
    return {slices, slabOf(problem.aligned, problem.grid, slices).rows.hull()};
}

ClusterForecast forecast(const Cluster& cluster, const ClusterProblem& problem,
                         const RankGrid& grid) {
    const AlignedDetector& detector = problem.aligned.detector;
    const double columns = real(detector.columns);
    const double views = real(problem.aligned.views);
    const double viewsOfRank = views / real(grid.columns);
    const auto& voxels = problem.grid.voxels;
    const double voxelsOfSlice = real(voxels[0]) * real(voxels[1]);
    const bool isGather = grid.exchange == Exchange::gather;
    const GridRows all = rowsOf(problem, grid.rows);
    const double perNode =
        real(cluster.arePartsFixed ? cluster.gpusPerNode
                                   : std::min<Index>(cluster.gpusPerNode, grid.ranks()));
    const double link = cluster.linkBytes * cluster.linksPerNode;

    ClusterForecast f;
    f.grid = grid;
    f.slices = all.slices;
    f.slabs = std::max(std::min(grid.slabs, all.slices),
                       ceilDiv(all.slices, slicesThatFit(cluster, problem.grid)));
    const double readings = real(f.slabs);
    const double slicesOfRank = real(all.slices);
    const double viewsAtOnce = real(cluster.gatheredViews > 0 ? cluster.gatheredViews : grid.rows);
    f.batches = std::max<Index>(1, std::llround(std::ceil(viewsOfRank / viewsAtOnce)));
    // Rows that are read and filtered: each once, or once by each rank that needs it.
    const double rowsRead = isGather ? real(detector.rows) : all.allRows;
    f.load = readings * loadSeconds(cluster, problem, grid, rowsRead);
    const double rowsFiltered = isGather ? real(detector.rows) / real(grid.rows) : all.rows;
    f.filter =
        readings * seconds(perNode * columns * rowsFiltered * viewsOfRank, cluster.filterPixels);
    f.gather = readings * gatherSeconds(cluster, grid,
                                        kVoxelBytes * columns * real(detector.rows) * viewsOfRank,
                                        f.batches);
    const double rowsUploaded =
        cluster.uploadsWholeViews && isGather ? real(detector.rows) : all.rows;
    f.upload =
        readings * seconds(kVoxelBytes * perNode * columns * rowsUploaded * viewsOfRank, link);
    f.backproject = f.upload + seconds(voxelsOfSlice * slicesOfRank * viewsOfRank,
                                       rateOf(cluster.rates, slicesOfRank / readings));
    f.compute = overlapped(cluster, f);
    const double slabBytes = kVoxelBytes * voxelsOfSlice * slicesOfRank;
    f.download = seconds(perNode * slabBytes, link);
    if (grid.columns > 1)
        f.reduce = seconds(slabBytes, cluster.reduceBytes) +
                   readings * real(grid.columns - 1) * cluster.messageSeconds;
    const double volume = real(problem.grid.count());
    f.store = seconds(real(problem.outputBytesPerVoxel) * volume, cluster.storeBytes);
    f.post = f.download + f.reduce + f.store;
    f.start = cluster.startSeconds;
    f.wall = f.start + f.compute + f.post;
    f.gups = volume * views / f.wall / kGiga;
    findBoundingStage(f);
    return f;
}

namespace {

// The fastest of the grids with these rows and as many columns as there are ranks for.
std::optional<ClusterForecast> fastest(const Cluster& cluster, const ClusterProblem& problem,
                                       Index ranks, const GridWishes& wishes,
                                       const std::vector<Index>& rowsOfGrids) {
    const Index nZ = problem.grid.voxels[2];
    const Index minRows = ceilDiv(nZ, slicesThatFit(cluster, problem.grid));
    std::optional<ClusterForecast> best;
    for (const Exchange exchange : {Exchange::gather, Exchange::rows}) {
        if (wishes.exchange && *wishes.exchange != exchange) continue;
        for (const Index rows : rowsOfGrids) {
            if (rows > nZ || ranks / rows > problem.aligned.views) continue;
            const ClusterForecast found =
                forecast(cluster, problem, {rows, ranks / rows, exchange, wishes.slabs});
            if (!best || found.wall < best->wall) best = found;
            // By equation 7, more rows would only make the slabs thinner.
            if (exchange == Exchange::gather && rows >= minRows) break;
        }
    }
    return best;
}

}  // namespace

ClusterForecast chooseGrid(const Cluster& cluster, const ClusterProblem& problem, Index ranks,
                           const GridWishes& wishes) {
    constexpr double kClearly = 0.95;
    if (wishes.rows && (*wishes.rows < 1 || ranks % *wishes.rows != 0))
        throwError<InputError>(
            "A grid of {} rows was asked for; the rows must divide the {} ranks.", *wishes.rows,
            ranks);
    std::optional<ClusterForecast> best = fastest(
        cluster, problem, ranks, wishes, wishes.rows ? std::vector{*wishes.rows} : divisors(ranks));
    if (!wishes.rows) {
        const std::optional<ClusterForecast> fewer =
            fastest(cluster, problem, ranks, wishes, rowsOfFullGrids(ranks));
        if (fewer && (!best || fewer->wall < kClearly * best->wall)) best = fewer;
    }
    if (!best)
        throwError<InputError>(
            "{} ranks cannot share {} slices and {} views: at most one rank of a column a slice, "
            "and one column a view. Use fewer ranks{}.",
            ranks, problem.grid.voxels[2], problem.aligned.views,
            wishes.rows ? ", or another number of rows" : "");
    return *best;
}

}  // namespace gantry
