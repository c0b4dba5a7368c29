#include "core/backproject/cpu_kernels.h"

#include <algorithm>
#include <vector>

#include "core/backproject/simd_kernels.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"

namespace gantry {

namespace {

class PlainScalarBackProjector final : public BackProjector {
  public:
    PlainScalarBackProjector(int threads, SimdLevel level)
        : m_threads(threads), m_kernels(simdKernels(level)) {}

    void begin(const VolumeGrid& grid, IndexRange slices) override {
        m_grid = grid;
        m_slices = slices;
        const Index count = slices.size() * grid.voxels[1] * grid.voxels[0];
        if (m_slab.count() < count) m_slab = HostBuffer<float>(count);
        std::fill_n(m_slab.data(), count, 0.0F);
    }

    void add(const FilteredBatch& batch, const std::stop_token& stop) override {
        std::vector<PlainMatrix> matrices;
        for (const ProjectionMatrix& matrix : batch.matrices)
            matrices.push_back(plainMatrix(matrix, static_cast<double>(batch.firstRow)));
        const PlainTask task = {batch.views.data(),
                                matrices.data(),
                                static_cast<int>(batch.views.size(0)),
                                static_cast<int>(batch.views.size(1)),
                                static_cast<int>(batch.views.size(2)),
                                m_slab.data(),
                                static_cast<int>(m_grid.voxels[0]),
                                static_cast<int>(m_grid.voxels[1])};
        const auto addSlices = [&](Index first, Index end, int) {
            for (Index k = first; k < end; ++k)
                m_kernels.addPlainSlice(task, static_cast<int>(k));
        };
        parallelFor(m_threads, m_slices.size(), 1, addSlices, stop);
    }

    void read(IndexRange slices, Span3<float> out) override {
        const Index slice = m_grid.voxels[1] * m_grid.voxels[0];
        const float* from = m_slab.data() + (slices.begin - m_slices.begin) * slice;
        std::copy_n(from, slices.size() * slice, out.data());
    }

    [[nodiscard]] Index bytesNeeded(const VolumeGrid& grid, Index slices, Index /*nS*/,
                                    Index /*nV*/, Index /*nU*/) const override {
        return slices * grid.voxels[1] * grid.voxels[0] * static_cast<Index>(sizeof(float));
    }

  private:
    [[nodiscard]] PlainMatrix plainMatrix(const ProjectionMatrix& matrix, double firstRow) const {
        ProjectionMatrix onSlab = onVoxelIndices(matrix, m_grid.slab(m_slices));
        PlainMatrix plain{};
        for (std::size_t i = 0; i < 4; ++i) {
            onSlab.m[1][i] -= firstRow * onSlab.m[2][i];
            for (std::size_t row = 0; row < 3; ++row)
                plain.m[row][i] = static_cast<float>(onSlab.m[row][i]);
        }
        return plain;
    }

    int m_threads;
    const SimdKernels& m_kernels;
    VolumeGrid m_grid;
    IndexRange m_slices;
    HostBuffer<float> m_slab;  // [z][y][x]
};

}  // namespace

std::unique_ptr<BackProjector> makePlainScalarBackProjector(int threads, SimdLevel level) {
    return std::make_unique<PlainScalarBackProjector>(threads, level);
}

}  // namespace gantry
