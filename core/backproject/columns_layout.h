#pragma once

#include <functional>
#include <stop_token>

#include "core/backproject/simd_kernels.h"
#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/base/types.h"

namespace gantry {

/// Where the rows of a view lie in its padded transposition [u][half][v]: half 0 holds rows
/// [begin, end) of the detector behind kPadRows zeros, half 1 their mirror images `mirror` − v.
/// One column of zeros stands on either side.
struct ViewLayout {
    Index begin = 0;
    Index end = 0;
    Index mirror = 0;
    Index halves = 1;

    [[nodiscard]] Index halfRows() const;
    [[nodiscard]] Index columnStride() const { return halves * halfRows(); }
    [[nodiscard]] Index viewStride(Index nU) const { return (nU + 2) * columnStride(); }
};

/// Transposes views [s][v][u], whose row 0 is the detector's `firstRow`; out: [s][u][half][v].
/// Rows that the views lack are zero. @throws Cancelled
void transposeViews(Span3<const float> views, Index firstRow, const ViewLayout& layout, float* out,
                    int threads, const std::stop_token& stop);

/// How a slab of nZ slices lies as [y][x][half][k]: half 1, if any, counts down from the top slice.
struct SlabLayout {
    Index nX = 0;
    Index nY = 0;
    Index nZ = 0;
    Index halves = 1;

    /// Voxels of a half of a column, rounded up to whole SIMD registers.
    [[nodiscard]] Index zStride() const;
    [[nodiscard]] Index columnStride() const { return halves * zStride(); }
    [[nodiscard]] Index count() const { return nX * nY * columnStride(); }
    /// Offset of slice z within a column.
    [[nodiscard]] Index offset(Index z) const;
};

/// Copies slices [slices.begin, slices.end) of the slab to out [z][y][x].
void readSlab(const float* slab, const SlabLayout& layout, IndexRange slices, Span3<float> out,
              int threads);

// Shared by back-projectors whose slabs have columns along z.

/// Makes room for that many floats. A buffer that is too small is freed first, and its content
/// lost.
void makeRoom(HostBuffer<float>& buffer, Index count);

void fillWithZeros(float* values, Index count, int threads);

/// Distributes the bricks of a slab's columns to threads. @throws Cancelled
void forEachBrick(const SlabLayout& slab, int threads,
                  const std::function<void(const ColumnsBrick&)>& add, const std::stop_token& stop);

}  // namespace gantry
