#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/engine/device_rays.h"

namespace gantry {

namespace {

// Boxes of bulk copies have at most 256 elements along an axis, and rows come in pairs.
constexpr int kMaxColumns = 256;
constexpr int kMaxRows = 512;
constexpr int kMaxStages = 4;
constexpr int kBlocks = 3;  // that share a multiprocessor's registers

// The most stages at which `blocks` blocks share a multiprocessor; 0 if there are fewer than two.
template <class Bytes>
int stagesThatFit(int blocks, const DeviceInfo& device, const Bytes& bytes) {
    // CUDA reserves as much shared memory for each block as for each multiprocessor.
    constexpr Index kKeptBytes = 1024;
    for (int stages = kMaxStages; stages >= 2; --stages)
        if (blocks * (static_cast<Index>(bytes(stages)) + kKeptBytes) <=
            device.sharedBytes + kKeptBytes)
            return stages;
    return 0;
}

// Numbers spread over [0, count).
template <std::size_t N>
std::array<int, N> spreadOver(int count) {
    std::array<int, N> numbers{};
    for (std::size_t i = 0; i < N; ++i)
        numbers[i] = static_cast<int>(
            std::llround(static_cast<double>(count - 1) * static_cast<double>(i) / (N - 1)));
    return numbers;
}

int tilesOf(int count, int size) {
    return (count + size - 1) / size;
}

// The first fans of the groups that have any.
std::vector<int> groupsOf(const gpu::RayTiles& tiles) {
    std::vector<int> firsts;
    for (int first = 0; first < tiles.fans.count; first += tiles.viewsAtOnce) {
        const int end = std::min(first + tiles.viewsAtOnce, tiles.fans.count);
        if (!std::all_of(tiles.fans.fans + first, tiles.fans.fans + end, gpu::isEmpty))
            firsts.push_back(first);
    }
    return firsts;
}

// The largest footprints of tiles of that many views, but for groups of views that are much farther
// apart than others.
gpu::RayFootprint largestFootprint(gpu::RayTiles tiles, const gpu::RaySlab& slab, int rows) {
    const int planes = slab.n[tiles.fans.axis];
    const std::vector<int> firsts = groupsOf(tiles);
    if (firsts.empty()) return {};
    std::vector<gpu::RayFootprint> groups(9);
    for (const int part : spreadOver<5>(tilesOf(planes, gpu::kMaxRayPlanes))) {
        tiles.planeBegin = part * gpu::kMaxRayPlanes;
        tiles.planes = std::min(gpu::kMaxRayPlanes, planes - tiles.planeBegin);
        if (!gpu::divide(tiles)) continue;
        const auto numbers = spreadOver<9>(static_cast<int>(firsts.size()));
        for (std::size_t group = 0; group < groups.size(); ++group)
            for (const int plane : {tiles.planeBegin, tiles.planeBegin + tiles.planes - 1})
                for (const int across : spreadOver<7>(tiles.count))
                    for (const int v : spreadOver<3>(tilesOf(rows, gpu::kRayTileRows))) {
                        const gpu::RayFootprint one = gpu::footprintOf(
                            tiles, firsts[static_cast<std::size_t>(numbers[group])], across,
                            v * gpu::kRayTileRows, plane);
                        gpu::RayFootprint& largest = groups[group];
                        largest.across = std::max(largest.across, one.across);
                        largest.up = std::max(largest.up, one.up);
                    }
    }
    std::ranges::sort(groups, {}, &gpu::RayFootprint::across);
    const double usual = 2 * groups[groups.size() / 2].across + 2;
    gpu::RayFootprint result;
    for (const gpu::RayFootprint& one : groups) {
        if (one.across > usual) break;
        result.across = one.across;
        result.up = std::max(result.up, one.up);
    }
    return result;
}

int whole(double size) {
    return static_cast<int>(std::min(std::ceil(size), 1e6));
}

}  // namespace

int bankedRows(int rows) {
    while (rows % 32 != 12 && rows % 32 != 20)
        ++rows;
    return rows;
}

namespace {

constexpr double kNever = 1e9;

// About what a sample costs with such tiles: they have room for more columns than they use, and
// each byte that is copied to shared memory takes a tenth of a sample's time. kNever: the views are
// too far apart for a tile
double costOf(gpu::RayTiles tiles, const gpu::TileBox& box, const gpu::RaySlab& slab) {
    tiles.planes = std::min(gpu::kMaxRayPlanes, slab.n[tiles.fans.axis]);
    if (!gpu::divide(tiles)) return kNever;
    const double used = tiles.columnsPerTile / tiles.capacity();
    const double rays = used * gpu::kRayTileColumns * gpu::kRayTileViews * gpu::kRayTileRows;
    const double bytes = 4.0 * box.columns * box.rows / rays;
    return (1 + 0.1 * bytes) / used;
}

}  // namespace

RayBoxes planSums(const gpu::RayFans& fans, const gpu::RaySlab& slab, const gpu::RayRows& rows,
                  const DeviceInfo& device) {
    RayBoxes best;
    int mostBlocks = 0;
    double bestCost = 0;
    gpu::RayTiles tiles;
    tiles.fans = fans;
    tiles.across = slab.n[1 - fans.axis];
    for (const int viewsAtOnce : {8, 4, 2, 1}) {
        tiles.viewsAtOnce = viewsAtOnce;
        RayBoxes plan;
        const gpu::RayFootprint footprint = largestFootprint(tiles, slab, rows.nV);
        // Both ends are rounded outwards; a run may read a row more.
        plan.largest.columns = whole(footprint.across + 0.5) + 3;
        plan.largest.rows = bankedRows(std::min(whole(footprint.up + 0.5) + 7, 2 * kMaxRows));
        if (plan.largest.columns > kMaxColumns || plan.largest.rows > kMaxRows) continue;
        const auto bytes = [&](int stages) {
            return gpu::tileRaysSharedBytes(plan.largest, stages);
        };
        int blocks = kBlocks;
        while (blocks > 0 && (plan.stages = stagesThatFit(blocks, device, bytes)) == 0)
            --blocks;
        if (blocks == 0) continue;
        plan.isTiled = true;
        plan.viewsAtOnce = viewsAtOnce;
        const double cost = costOf(tiles, plan.largest, slab);
        if (cost >= kNever || blocks < mostBlocks || (blocks == mostBlocks && cost >= bestCost))
            continue;
        best = plan;
        mostBlocks = blocks;
        bestCost = cost;
    }
    return best;
}

namespace {

// The plan for tiles of that shape in a layer of slices, of which `blocks` share a multiprocessor.
RayBoxes planShape(const gpu::RayFans& fans, const gpu::RaySlab& slab, IndexRange slices, int shape,
                   const DeviceInfo& device, int blocks) {
    const int high = gpu::kSpreadSlices[shape];
    const int planes = tilesOf(slab.n[fans.axis], gpu::kSpreadPlanes);
    const int across = tilesOf(slab.n[1 - fans.axis], gpu::kSpreadAcross);
    const int up = tilesOf(static_cast<int>(slices.size()), high);
    gpu::SpreadFootprint largest;
    for (int number = 0; number < fans.count; ++number)
        for (const int plane : spreadOver<3>(planes))
            for (const int column : spreadOver<3>(across))
                for (const int layer : spreadOver<2>(up)) {
                    const gpu::SpreadFootprint one =
                        gpu::footprintOf(fans, number,
                                         {plane * gpu::kSpreadPlanes, column * gpu::kSpreadAcross,
                                          static_cast<int>(slices.begin) + layer * high, high});
                    largest.columns = std::max(largest.columns, one.columns);
                    largest.rows = std::max(largest.rows, one.rows);
                    largest.perPlane = std::max(largest.perPlane, one.perPlane);
                }
    RayBoxes plan;
    plan.shape = shape;
    plan.maxColumns = whole(1.05 * largest.perPlane + 0.05) + 1;
    plan.largest.columns = whole(largest.columns + 0.5) + 2;
    plan.largest.rows = (whole(largest.rows + 0.5) + 9 + 3) / 4 * 4;
    if (plan.largest.columns > kMaxColumns || plan.largest.rows > kMaxRows) return {};
    plan.stages = stagesThatFit(blocks, device, [&](int stages) {
        return gpu::tileSpreadSharedBytes(plan.largest, plan.maxColumns, stages);
    });
    plan.isTiled = plan.stages > 0;
    return plan;
}

// The highest tiles that fit a layer of slices, of shape `firstShape` or lower.
RayBoxes planLayer(const gpu::RayFans& fans, const gpu::RaySlab& slab, IndexRange slices,
                   int firstShape, const DeviceInfo& device) {
    for (int blocks = kBlocks; blocks >= 1; --blocks)
        for (int shape = firstShape; shape < gpu::kSpreadShapes; ++shape)
            if (const RayBoxes plan = planShape(fans, slab, slices, shape, device, blocks);
                plan.isTiled)
                return plan;
    return {};
}

// The shape whose tiles cover that many slices with the smallest amount of work: a tile costs as
// much as its slices and some 32 more.
int shapeFor(int slices) {
    constexpr int kOtherWork = 32;
    int best = 0;
    int bestCost = 0;
    for (int shape = 0; shape < gpu::kSpreadShapes; ++shape) {
        const int high = gpu::kSpreadSlices[shape];
        const int cost = tilesOf(slices, high) * (high + kOtherWork);
        if (shape > 0 && cost >= bestCost) continue;
        best = shape;
        bestCost = cost;
    }
    return best;
}

}  // namespace

std::vector<SpreadLayer> planSpreads(const gpu::RayFans& fans, const gpu::RaySlab& slab,
                                     const DeviceInfo& device) {
    const Index slices = slab.n[2];
    const RayBoxes high = planLayer(fans, slab, {0, slices}, shapeFor(slab.n[2]), device);
    if (!high.isTiled) return {};
    const Index filled = slices / gpu::kSpreadSlices[high.shape] * gpu::kSpreadSlices[high.shape];
    const Index rest = slices - filled;
    const int restShape = rest > 0 ? shapeFor(static_cast<int>(rest)) : high.shape;
    // No lower tiles would make the rest any cheaper.
    if (filled == 0 || restShape <= high.shape) return {{{0, slices}, high}};
    const RayBoxes low = planLayer(fans, slab, {filled, slices}, restShape, device);
    if (!low.isTiled) return {{{0, slices}, high}};
    return {{{0, filled}, high}, {{filled, slices}, low}};
}

}  // namespace gantry
