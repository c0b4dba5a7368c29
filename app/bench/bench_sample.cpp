#include "app/bench/bench_sample.h"

#include "core/backproject/cpu_kernels.h"
#include "core/base/parallel.h"

namespace gantry {

BenchSample::BenchSample(const VolumeGrid& grid) : m_grid(grid) {
    constexpr std::array<Index, 2> kAcross = {96, 112};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        m_step[axis] = (grid.voxels[axis] / kAcross[axis]) | 1;
        m_count[axis] = (grid.voxels[axis] - 1) / m_step[axis] + 1;
    }
    const Index n = grid.voxels[2];
    m_slices = {0, n / 5, n / 2 - 1, n / 2, 3 * n / 4 + 1, n - 1};
}

// The sampled voxels of a slice as a grid of their own.
VolumeGrid BenchSample::sliceGrid(Index z) const {
    const auto slice = static_cast<double>(z);
    const Vec3 first = m_grid.positionMm(0, 0, slice);
    const Vec3 last = m_grid.positionMm(static_cast<double>((m_count[0] - 1) * m_step[0]),
                                        static_cast<double>((m_count[1] - 1) * m_step[1]), slice);
    VolumeGrid part;
    part.voxels = {m_count[0], m_count[1], 1};
    part.pitchMm = {m_grid.pitchMm[0] * static_cast<double>(m_step[0]),
                    m_grid.pitchMm[1] * static_cast<double>(m_step[1]), m_grid.pitchMm[2]};
    part.centerMm = {(first.x + last.x) / 2, (first.y + last.y) / 2, first.z};
    return part;
}

HostBuffer<float> BenchSample::reference(Span3<const float> views,
                                         std::span<const ProjectionMatrix> matrices,
                                         const std::stop_token& stop) const {
    const auto reference = makeReferenceBackProjector(availableThreads());
    HostBuffer<float> values(count());
    float* out = values.data();
    for (const Index z : m_slices) {
        reference->begin(sliceGrid(z), {0, 1});
        reference->add({views, 0, matrices}, stop);
        reference->read({0, 1}, {out, 1, m_count[1], m_count[0]});
        out += sliceCount();
    }
    return values;
}

void BenchSample::pick(std::size_t number, const HostBuffer<float>& slice,
                       HostBuffer<float>& all) const {
    float* out = all.data() + static_cast<Index>(number) * sliceCount();
    for (Index y = 0; y < m_count[1]; ++y)
        for (Index x = 0; x < m_count[0]; ++x)
            *out++ = slice[y * m_step[1] * m_grid.voxels[0] + x * m_step[0]];
}

}  // namespace gantry
