#include "core/backproject/cpu_kernels.h"

#include <algorithm>

#include "core/backproject/interpolate.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"

namespace gantry {

namespace {

class ReferenceBackProjector final : public BackProjector {
  public:
    explicit ReferenceBackProjector(int threads) : m_threads(threads) {}

    void begin(const VolumeGrid& grid, IndexRange slices) override {
        m_grid = grid;
        m_slices = slices;
        const Index count = slices.size() * grid.voxels[1] * grid.voxels[0];
        if (m_slab.count() < count) m_slab = HostBuffer<double>(count);
        std::fill_n(m_slab.data(), count, 0.0);
    }

    void add(const FilteredBatch& batch, const std::stop_token& stop) override {
        const Index lines = m_slices.size() * m_grid.voxels[1];
        const auto addLines = [&](Index first, Index end, int) {
            for (Index line = first; line < end; ++line)
                addLine(batch, line);
        };
        parallelFor(m_threads, lines, 1, addLines, stop);
    }

    void read(IndexRange slices, Span3<float> out) override {
        const Index slice = m_grid.voxels[1] * m_grid.voxels[0];
        const double* from = m_slab.data() + (slices.begin - m_slices.begin) * slice;
        std::transform(from, from + slices.size() * slice, out.data(),
                       [](double value) { return static_cast<float>(value); });
    }

    [[nodiscard]] Index bytesNeeded(const VolumeGrid& grid, Index slices, Index /*nS*/,
                                    Index /*nV*/, Index /*nU*/) const override {
        return slices * grid.voxels[1] * grid.voxels[0] * static_cast<Index>(sizeof(double));
    }

  private:
    void addLine(const FilteredBatch& batch, Index line) {
        const Index nX = m_grid.voxels[0];
        const auto y = static_cast<double>(line % m_grid.voxels[1]);
        const Index slice = m_slices.begin + line / m_grid.voxels[1];
        const auto z = static_cast<double>(slice);
        double* sums = m_slab.data() + line * nX;
        for (Index s = 0; s < batch.views.size(0); ++s) {
            const ProjectionMatrix& matrix = batch.matrices[s];
            for (Index x = 0; x < nX; ++x) {
                const Vec3 at = m_grid.positionMm(static_cast<double>(x), y, z);
                const auto p = matrix.project(at.x, at.y, at.z);
                if (!(p.z > 0)) continue;
                const double v = p.v - static_cast<double>(batch.firstRow);
                sums[x] += interpolate(batch.views, s, p.u, v) / (p.z * p.z);
            }
        }
    }

    int m_threads;
    VolumeGrid m_grid;
    IndexRange m_slices;
    HostBuffer<double> m_slab;  // [z][y][x]
};

}  // namespace

std::unique_ptr<BackProjector> makeReferenceBackProjector(int threads) {
    return std::make_unique<ReferenceBackProjector>(threads);
}

}  // namespace gantry
