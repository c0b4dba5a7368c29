#include "core/backproject/bricks.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace gantry {

namespace {

// columns; a brick's part of a batch of views fits the level 2 cache
constexpr Index kTileSide = 8;

}  // namespace

void makeRoom(HostBuffer<float>& buffer, Index count) {
    if (buffer.count() < count) buffer = {};
    if (!buffer.data()) buffer = HostBuffer<float>(count);
}

void fillWithZeros(float* values, Index count, int threads) {
    constexpr Index kGrain = 1 << 20;
    parallelFor(threads, count, kGrain,
                [&](Index from, Index end, int) { std::fill(values + from, values + end, 0.0F); });
}

void forEachBrick(const SlabLayout& slab, int threads,
                  const std::function<void(const ColumnsBrick&)>& add,
                  const std::stop_token& stop) {
    const Index tilesX = (slab.nX + kTileSide - 1) / kTileSide;
    const Index tilesY = (slab.nY + kTileSide - 1) / kTileSide;
    const auto addTile = [&](Index tile) {
        const Index xEnd = std::min(slab.nX, (tile % tilesX + 1) * kTileSide);
        const Index yEnd = std::min(slab.nY, (tile / tilesX + 1) * kTileSide);
        for (Index y = tile / tilesX * kTileSide; y < yEnd; y += kBrickSide)
            for (Index x = tile % tilesX * kTileSide; x < xEnd; x += kBrickSide)
                add({x, std::min(xEnd, x + kBrickSide), y, std::min(yEnd, y + kBrickSide)});
    };
    parallelFor(
        threads, tilesX * tilesY, 1,
        [&](Index begin, Index end, int) {
            for (Index tile = begin; tile < end; ++tile)
                addTile(tile);
        },
        stop);
}

}  // namespace gantry
