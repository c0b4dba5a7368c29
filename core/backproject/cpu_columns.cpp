#include "core/backproject/cpu_kernels.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/backproject/columns_layout.h"
#include "core/backproject/simd_kernels.h"
#include "core/base/error.h"
#include "core/base/host_buffer.h"

namespace gantry {

namespace {

// u and z must not change along a column, and v must grow with it.
void requireAligned(const ProjectionMatrix& matrix) {
    constexpr double kTolerance = 1e-10;
    const auto& m = matrix.m;
    require(m[1][2] > 0 && std::abs(m[0][2]) <= kTolerance * m[1][2] &&
                std::abs(m[2][2]) <= kTolerance * std::hypot(m[2][0], m[2][1]),
            "the column back-projector takes aligned detectors only, whose rows rise with z");
}

// v(k) + v(nZ−1−k), if it is one integer for all columns, voxels and views: then a voxel and its
// mirror image read rows whose fractions mirror each other too.
std::optional<Index> mirrorSum(std::span<const ProjectionMatrix> onSlab, const SlabLayout& slab) {
    constexpr double kTolerance = 1e-8;  // rows; the fractions' error in float is larger
    const auto lastX = static_cast<double>(slab.nX - 1);
    const auto lastY = static_cast<double>(slab.nY - 1);
    const auto lastZ = static_cast<double>(slab.nZ - 1);
    std::optional<double> sum;
    for (const ProjectionMatrix& matrix : onSlab)
        for (const double x : {0.0, lastX})
            for (const double y : {0.0, lastY}) {
                const double here = matrix.project(x, y, 0).v + matrix.project(x, y, lastZ).v;
                if (!sum) sum = std::round(here);
                if (!(std::abs(here - *sum) < kTolerance)) return {};
            }
    return sum ? std::optional(static_cast<Index>(*sum)) : std::nullopt;
}

// The view's matrix, on voxels of the slab, in the coordinates of its padded transposition.
ColumnsView columnsView(const ProjectionMatrix& onSlab, const ViewLayout& layout,
                        const float* rows) {
    const auto& m = onSlab.m;
    const auto rowShift = static_cast<double>(kPadRows - layout.begin);
    ColumnsView view{};
    constexpr std::size_t kFrom[3] = {0, 1, 3};
    for (std::size_t i = 0; i < 3; ++i) {
        view.u[i] = m[0][kFrom[i]] + m[2][kFrom[i]];
        view.v[i] = m[1][kFrom[i]] + rowShift * m[2][kFrom[i]];
        view.z[i] = m[2][kFrom[i]];
    }
    view.vPerVoxel = m[1][2];
    view.rows = rows;
    return view;
}

// The same for half 1 only: k counts down from the slab's last slice, rows down from the mirror.
ColumnsView mirroredView(const ProjectionMatrix& onSlab, const SlabLayout& slab,
                         const ViewLayout& layout, const float* rows) {
    ProjectionMatrix mirrored = onSlab;
    auto& v = mirrored.m[1];
    v[3] += v[2] * static_cast<double>(slab.nZ - 1);
    for (const std::size_t i : {0U, 1U, 3U})
        v[i] = static_cast<double>(layout.mirror) * onSlab.m[2][i] - v[i];
    return columnsView(mirrored, layout, rows + layout.halfRows());
}

class ColumnsBackProjector final : public BackProjector {
  public:
    ColumnsBackProjector(int threads, SimdLevel level)
        : m_threads(threads), m_kernels(simdKernels(level)) {}

    void begin(const VolumeGrid& grid, IndexRange slices) override {
        m_grid = grid;
        m_slices = slices;
        m_slab.halves = 0;
        const Index count = slabLayout(grid, slices.size(), true).count();
        makeRoom(m_voxels, count);
        fillWithZeros(m_voxels.data(), count, m_threads);
    }

    void add(const FilteredBatch& batch, const std::stop_token& stop) override {
        std::vector<ProjectionMatrix> onSlab;
        for (const ProjectionMatrix& matrix : batch.matrices) {
            requireAligned(matrix);
            onSlab.push_back(onVoxelIndices(matrix, m_grid.slab(m_slices)));
        }
        const std::optional<Index> mirror = pairMirror(batch, onSlab);
        if (m_slab.halves == 0) m_slab = slabLayout(m_grid, m_slices.size(), mirror.has_value());
        const bool pairs = m_slab.halves == 2 && mirror;
        const ViewLayout layout = viewLayout(batch, pairs ? mirror : std::nullopt);
        transpose(batch, layout, stop);
        for (Index half = 0; half < (pairs ? 1 : m_slab.halves); ++half)
            addHalf(onSlab, batch.views.size(2), layout, half, pairs, stop);
    }

    void read(IndexRange slices, Span3<float> out) override {
        const IndexRange inSlab = {slices.begin - m_slices.begin, slices.end - m_slices.begin};
        if (m_slab.halves == 0) m_slab = slabLayout(m_grid, m_slices.size(), false);
        readSlab(m_voxels.data(), m_slab, inSlab, out, m_threads);
    }

    [[nodiscard]] Index bytesNeeded(const VolumeGrid& grid, Index slices, Index nS, Index nV,
                                    Index nU) const override {
        // With pairs each half has half of the rows, plus half of kMaxUneven.
        const ViewLayout views = {0, (nV + kMaxUneven) / 2 + 2, 0, 2};
        const Index floats = slabLayout(grid, slices, true).count() + nS * views.viewStride(nU);
        return floats * static_cast<Index>(sizeof(float));
    }

  private:
    static constexpr Index kMaxUneven = 48;  // rows

    // Uses pairs where possible, unless padding both halves costs more than they save.
    static SlabLayout slabLayout(const VolumeGrid& grid, Index slices, bool pairsPossible) {
        const SlabLayout one = {grid.voxels[0], grid.voxels[1], slices, 1};
        const SlabLayout two = {grid.voxels[0], grid.voxels[1], slices, 2};
        return pairsPossible && 8 * two.count() <= 9 * one.count() ? two : one;
    }

    // The mirror of a batch, if its rows are spread evenly enough about it.
    [[nodiscard]] std::optional<Index> pairMirror(const FilteredBatch& batch,
                                                  std::span<const ProjectionMatrix> onSlab) const {
        const std::optional<Index> mirror =
            mirrorSum(onSlab, slabLayout(m_grid, m_slices.size(), false));
        const Index middle = 2 * batch.firstRow + batch.views.size(1) - 1;
        return mirror && std::abs(*mirror - middle) <= kMaxUneven ? mirror : std::nullopt;
    }

    [[nodiscard]] ViewLayout viewLayout(const FilteredBatch& batch,
                                        std::optional<Index> mirror) const {
        const Index first = batch.firstRow;
        const Index end = first + batch.views.size(1);
        if (!mirror) return {first, end, first + end - 1, m_slab.halves};
        const Index begin = std::min(first, *mirror - (end - 1));
        return {begin, std::max(begin, *mirror / 2 + 2), *mirror, 2};
    }

    void transpose(const FilteredBatch& batch, const ViewLayout& layout,
                   const std::stop_token& stop) {
        makeRoom(m_views, batch.views.size(0) * layout.viewStride(batch.views.size(2)));
        transposeViews(batch.views, batch.firstRow, layout, m_views.data(), m_threads, stop);
    }

    void addHalf(std::span<const ProjectionMatrix> onSlab, Index nU, const ViewLayout& layout,
                 Index half, bool pairs, const std::stop_token& stop) {
        std::vector<ColumnsView> views;
        for (const ProjectionMatrix& matrix : onSlab) {
            const float* rows = m_views.data() + std::ssize(views) * layout.viewStride(nU);
            views.push_back(half == 0 ? columnsView(matrix, layout, rows)
                                      : mirroredView(matrix, m_slab, layout, rows));
        }
        ColumnsTask task{};
        task.views = views.data();
        task.viewCount = std::ssize(views);
        task.columns = nU + 2;
        task.halfRows = layout.halfRows();
        task.rowBegin = kPadRows;
        task.rowEnd = kPadRows + layout.end - layout.begin;
        task.viewColumnStride = layout.columnStride();
        task.slab = m_voxels.data() + half * m_slab.zStride();
        task.nX = m_slab.nX;
        task.columnStride = m_slab.columnStride();
        task.zStride = m_slab.zStride();
        task.pairs = pairs;
        task.isWeighted = true;
        forEachBrick(
            m_slab, m_threads, [&](const ColumnsBrick& brick) { m_kernels.addBrick(task, brick); },
            stop);
    }

    int m_threads;
    const SimdKernels& m_kernels;
    VolumeGrid m_grid;
    IndexRange m_slices;
    SlabLayout m_slab;           // no halves: the layout is decided by the first batch
    HostBuffer<float> m_voxels;  // [y][x][half][k]
    HostBuffer<float> m_views;   // [s][u][half][v]
};

}  // namespace

std::unique_ptr<BackProjector> makeCpuColumnsBackProjector(int threads, SimdLevel level) {
    return std::make_unique<ColumnsBackProjector>(threads, level);
}

}  // namespace gantry
