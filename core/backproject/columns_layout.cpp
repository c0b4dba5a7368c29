#include "core/backproject/columns_layout.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace gantry {

namespace {

constexpr Index kBlock = kColumnAlignment;  // also the floats of a cache line

Index roundUp(Index count) {
    return (count + kBlock - 1) / kBlock * kBlock;
}

// Transposes columns [u, u + width) of one view into one half of its transposition.
void transposeColumns(const float* view, Index nU, IndexRange rows, Index firstRow,
                      const ViewLayout& layout, bool mirrored, Index u, Index width, float* out) {
    const Index stride = layout.columnStride();
    for (Index i = 0; i < width; ++i)
        std::fill_n(out + i * stride, layout.halfRows(), 0.0F);
    for (Index v = rows.begin; v < rows.end; ++v) {
        const Index at = kPadRows + (mirrored ? layout.mirror - v : v) - layout.begin;
        const float* row = view + (v - firstRow) * nU + u;
        for (Index i = 0; i < width; ++i)
            out[i * stride + at] = row[i];
    }
}

// columns; a brick's part of a batch of views fits the level 2 cache
constexpr Index kTileSide = 8;

}  // namespace

Index ViewLayout::halfRows() const {
    return roundUp(end - begin + 2 * kPadRows);
}

void transposeViews(Span3<const float> views, Index firstRow, const ViewLayout& layout, float* out,
                    int threads, const std::stop_token& stop) {
    const Index nU = views.size(2);
    const Index blocks = (nU + kBlock - 1) / kBlock;
    const Index lastRow = firstRow + views.size(1);
    const IndexRange rows = {std::max(layout.begin, firstRow), std::min(layout.end, lastRow)};
    const IndexRange mirrorRows = {std::max(layout.mirror - layout.end + 1, firstRow),
                                   std::min(layout.mirror - layout.begin + 1, lastRow)};
    const auto transposeBlock = [&](Index item) {
        const Index s = item / blocks;
        const Index u = item % blocks * kBlock;
        const Index width = std::min(kBlock, nU - u);
        const float* view = views.row(s, 0);
        float* to = out + s * layout.viewStride(nU) + (u + 1) * layout.columnStride();
        transposeColumns(view, nU, rows, firstRow, layout, false, u, width, to);
        if (layout.halves == 2)
            transposeColumns(view, nU, mirrorRows, firstRow, layout, true, u, width,
                             to + layout.halfRows());
        if (u == 0) std::fill_n(to - layout.columnStride(), layout.columnStride(), 0.0F);
        if (u + width == nU)
            std::fill_n(to + width * layout.columnStride(), layout.columnStride(), 0.0F);
    };
    parallelFor(
        threads, views.size(0) * blocks, 4,
        [&](Index begin, Index end, int) {
            for (Index item = begin; item < end; ++item)
                transposeBlock(item);
        },
        stop);
}

Index SlabLayout::zStride() const {
    return roundUp((nZ + halves - 1) / halves);
}

Index SlabLayout::offset(Index z) const {
    return halves == 2 && z >= (nZ + 1) / 2 ? zStride() + nZ - 1 - z : z;
}

void readSlab(const float* slab, const SlabLayout& layout, IndexRange slices, Span3<float> out,
              int threads) {
    // Each piece writes whole lines of up to 64 slices and reads as much of every column.
    constexpr Index kSlices = 64;
    const Index groups = (slices.size() + kSlices - 1) / kSlices;
    const Index stride = layout.columnStride();
    const auto readLines = [&](Index y, IndexRange some) {
        for (Index x = 0; x < layout.nX; x += kBlock) {
            const Index width = std::min(kBlock, layout.nX - x);
            const float* columns = slab + (y * layout.nX + x) * stride;
            for (Index z = some.begin; z < some.end; ++z) {
                const float* from = columns + layout.offset(z);
                float* to = out.row(z - slices.begin, y) + x;
                for (Index i = 0; i < width; ++i)
                    to[i] = from[i * stride];
            }
        }
    };
    parallelFor(threads, groups * layout.nY, 4, [&](Index begin, Index end, int) {
        for (Index item = begin; item < end; ++item) {
            const Index z = slices.begin + item / layout.nY * kSlices;
            readLines(item % layout.nY, {z, std::min(z + kSlices, slices.end)});
        }
    });
}

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
