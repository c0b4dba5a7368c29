#include "core/backproject/cpu_kernels.h"

#include <vector>

#include "core/backproject/columns_layout.h"
#include "core/backproject/simd_kernels.h"
#include "core/base/host_buffer.h"

namespace gantry {

namespace {

// The view's matrix, on voxels of the slab, in the coordinates of its padded transposition.
GeneralView generalView(const ProjectionMatrix& onSlab, const ViewLayout& layout,
                        const float* rows) {
    const auto rowShift = static_cast<double>(kPadRows - layout.begin);
    GeneralView view{};
    for (std::size_t i = 0; i < 4; ++i) {
        view.m[0][i] = onSlab.m[0][i] + onSlab.m[2][i];
        view.m[1][i] = onSlab.m[1][i] + rowShift * onSlab.m[2][i];
        view.m[2][i] = onSlab.m[2][i];
    }
    view.rows = rows;
    return view;
}

class GeneralBackProjector final : public BackProjector {
  public:
    GeneralBackProjector(int threads, SimdLevel level)
        : m_threads(threads), m_kernels(simdKernels(level)) {}

    void begin(const VolumeGrid& grid, IndexRange slices) override {
        m_grid = grid;
        m_slices = slices;
        m_slab = {grid.voxels[0], grid.voxels[1], slices.size(), 1};
        makeRoom(m_voxels, m_slab.count());
        fillWithZeros(m_voxels.data(), m_slab.count(), m_threads);
    }

    void add(const FilteredBatch& batch, const std::stop_token& stop) override {
        const Index nU = batch.views.size(2);
        const Index end = batch.firstRow + batch.views.size(1);
        const ViewLayout layout = {batch.firstRow, end, 0, 1};
        makeRoom(m_views, batch.views.size(0) * layout.viewStride(nU));
        transposeViews(batch.views, batch.firstRow, layout, m_views.data(), m_threads, stop);
        std::vector<GeneralView> views;
        for (const ProjectionMatrix& matrix : batch.matrices)
            views.push_back(
                generalView(onVoxelIndices(matrix, m_grid.slab(m_slices)), layout,
                            m_views.data() + std::ssize(views) * layout.viewStride(nU)));
        GeneralTask task{};
        task.views = views.data();
        task.viewCount = std::ssize(views);
        task.columns = nU + 2;
        task.viewColumnStride = layout.columnStride();
        task.rowBegin = kPadRows;
        task.rowEnd = kPadRows + layout.end - layout.begin;
        task.slab = m_voxels.data();
        task.nX = m_slab.nX;
        task.columnStride = m_slab.columnStride();
        task.zStride = m_slab.zStride();
        forEachBrick(
            m_slab, m_threads,
            [&](const ColumnsBrick& brick) { m_kernels.addGeneralBrick(task, brick); }, stop);
    }

    void read(IndexRange slices, Span3<float> out) override {
        readSlab(m_voxels.data(), m_slab,
                 {slices.begin - m_slices.begin, slices.end - m_slices.begin}, out, m_threads);
    }

    [[nodiscard]] Index bytesNeeded(const VolumeGrid& grid, Index slices, Index nS, Index nV,
                                    Index nU) const override {
        const SlabLayout slab = {grid.voxels[0], grid.voxels[1], slices, 1};
        const ViewLayout views = {0, nV, 0, 1};
        return (slab.count() + nS * views.viewStride(nU)) * static_cast<Index>(sizeof(float));
    }

  private:
    int m_threads;
    const SimdKernels& m_kernels;
    VolumeGrid m_grid;
    IndexRange m_slices;
    SlabLayout m_slab;
    HostBuffer<float> m_voxels;  // [y][x][k]
    HostBuffer<float> m_views;   // [s][u][v]
};

}  // namespace

std::unique_ptr<BackProjector> makeCpuGeneralBackProjector(int threads, SimdLevel level) {
    return std::make_unique<GeneralBackProjector>(threads, level);
}

}  // namespace gantry
