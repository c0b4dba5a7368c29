#include "core/backproject/cpu_kernels.h"

#include <algorithm>
#include <vector>

#include "core/backproject/columns_layout.h"
#include "core/backproject/simd_kernels.h"
#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/geometry/views/parallel_views.h"

namespace gantry {

namespace {

constexpr Index kBlockSlices = 128;  // eight registers of the widest kind
constexpr Index kZeroColumns = 3;    // one before a view and two behind

// Two neighbouring rows of a view, either of which may be missing, to interpolate between.
struct RowPair {
    const float* below = nullptr;
    const float* above = nullptr;
    float belowWeight = 0;
    float aboveWeight = 0;
};

RowPair rowsAt(Span3<const float> views, Index s, double row, double weight) {
    const Index nV = views.size(1);
    if (!(row > -1 && row < static_cast<double>(nV))) return {};
    const Index below = static_cast<Index>(row + 1) - 1;
    const double share = row - static_cast<double>(below);
    RowPair pair;
    if (below >= 0) pair.below = views.row(s, below);
    if (below + 1 < nV) pair.above = views.row(s, below + 1);
    pair.belowWeight = static_cast<float>((1 - share) * weight);
    pair.aboveWeight = static_cast<float>(share * weight);
    return pair;
}

// Writes columns [u, u + count) of one slice to every `width`-th float of `out`.
void repackColumns(const RowPair& rows, Index u, Index count, Index width, float* out) {
    const auto none = [&](Index) { return 0.0F; };
    const auto store = [&](const auto& value) {
        for (Index i = 0; i < count; ++i)
            out[i * width] = value(u + i);
    };
    const auto below = [&](Index i) { return rows.belowWeight * rows.below[i]; };
    const auto above = [&](Index i) { return rows.aboveWeight * rows.above[i]; };
    // A row with weight 0 may contain anything.
    const bool hasBelow = rows.below && rows.belowWeight > 0;
    const bool hasAbove = rows.above && rows.aboveWeight > 0;
    if (hasBelow && hasAbove)
        store([&](Index i) { return below(i) + above(i); });
    else if (hasBelow)
        store(below);
    else if (hasAbove)
        store(above);
    else
        store(none);
}

class StackBackProjector final : public BackProjector {
  public:
    StackBackProjector(int threads, SimdLevel level)
        : m_threads(threads), m_kernels(simdKernels(level)) {}

    void begin(const VolumeGrid& grid, IndexRange slices) override {
        m_grid = grid;
        m_slices = slices;
        m_slab = slabLayout(grid, slices.size());
        makeRoom(m_voxels, m_slab.count());
        fillWithZeros(m_voxels.data(), m_slab.count(), m_threads);
    }

    void add(const FilteredBatch& batch, const std::stop_token& stop) override {
        require(areParallel(batch.matrices),
                "the stack back-projector takes a parallel beam on an upright detector only");
        m_onSlab.clear();
        m_places.clear();
        for (const ProjectionMatrix& matrix : batch.matrices) {
            const ProjectionMatrix onSlab = onVoxelIndices(matrix, m_grid.slab(m_slices));
            const double z = onSlab.m[2][3];
            m_onSlab.push_back(onSlab);
            // The + 1 skips the column of zeros before the first one.
            m_places.push_back({onSlab.m[0][0] / z, onSlab.m[0][1] / z, onSlab.m[0][3] / z + 1});
        }
        const Index width = blockSlices(m_slab);
        makeRoom(m_views, batch.views.size(0) * viewStride(batch.views.size(2), width));
        for (Index k = 0; k < m_slab.zStride(); k += width)
            addBlock(batch, {k, std::min(k + width, m_slab.zStride())}, width, stop);
    }

    void read(IndexRange slices, Span3<float> out) override {
        const IndexRange inSlab = {slices.begin - m_slices.begin, slices.end - m_slices.begin};
        readSlab(m_voxels.data(), m_slab, inSlab, out, m_threads);
    }

    [[nodiscard]] Index bytesNeeded(const VolumeGrid& grid, Index slices, Index nS, Index /*nV*/,
                                    Index nU) const override {
        const SlabLayout slab = slabLayout(grid, slices);
        const Index floats = slab.count() + nS * viewStride(nU, blockSlices(slab));
        return floats * static_cast<Index>(sizeof(float));
    }

  private:
    static SlabLayout slabLayout(const VolumeGrid& grid, Index slices) {
        return {grid.voxels[0], grid.voxels[1], slices, 1};
    }
    static Index blockSlices(const SlabLayout& slab) {
        return std::min(slab.zStride(), kBlockSlices);
    }
    static Index viewStride(Index nU, Index width) { return (nU + kZeroColumns) * width; }

    // Interpolates all views at the heights of these slices of the slab.
    void repack(const FilteredBatch& batch, IndexRange slices, Index width,
                const std::stop_token& stop) {
        constexpr Index kColumns = 16;  // reads a cache line, and writes as many
        const Index nU = batch.views.size(2);
        const auto repackView = [&](Index s) {
            const auto& m = m_onSlab[s].m;
            const double z = m[2][3];
            float* view = m_views.data() + s * viewStride(nU, width);
            std::fill_n(view, width, 0.0F);
            std::fill_n(view + (nU + 1) * width, 2 * width, 0.0F);
            for (Index u = 0; u < nU; u += kColumns)
                for (Index k = slices.begin; k < slices.end; ++k) {
                    const double row = (m[1][2] * static_cast<double>(k) + m[1][3]) / z -
                                       static_cast<double>(batch.firstRow);
                    repackColumns(rowsAt(batch.views, s, row, 1 / (z * z)), u,
                                  std::min(kColumns, nU - u), width,
                                  view + (u + 1) * width + k - slices.begin);
                }
        };
        parallelFor(
            m_threads, batch.views.size(0), 1,
            [&](Index begin, Index end, int) {
                for (Index s = begin; s < end; ++s)
                    repackView(s);
            },
            stop);
    }

    void addBlock(const FilteredBatch& batch, IndexRange slices, Index width,
                  const std::stop_token& stop) {
        repack(batch, slices, width, stop);
        StackTask task{};
        task.places = m_places.data();
        task.viewCount = batch.views.size(0);
        task.rows = m_views.data();
        task.viewStride = viewStride(batch.views.size(2), width);
        task.columns = batch.views.size(2) + kZeroColumns;
        task.width = width;
        task.slab = m_voxels.data() + slices.begin;
        task.nX = m_slab.nX;
        task.columnStride = m_slab.columnStride();
        task.slices = slices.size();
        forEachBrick(
            m_slab, m_threads,
            [&](const ColumnsBrick& brick) { m_kernels.addStackBrick(task, brick); }, stop);
    }

    int m_threads;
    const SimdKernels& m_kernels;
    VolumeGrid m_grid;
    IndexRange m_slices;
    SlabLayout m_slab;
    std::vector<ProjectionMatrix> m_onSlab;  // [s]
    std::vector<StackTask::Place> m_places;  // [s]
    HostBuffer<float> m_voxels;              // [y][x][k]
    HostBuffer<float> m_views;               // [s][u][k] of a block
};

}  // namespace

std::unique_ptr<BackProjector> makeCpuStackBackProjector(int threads, SimdLevel level) {
    return std::make_unique<StackBackProjector>(threads, level);
}

}  // namespace gantry
