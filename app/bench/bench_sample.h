#pragma once

#include <array>
#include <span>
#include <stop_token>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/geometry/views/projection_matrix.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// Voxels of a volume that a benchmark compares with the reference: some slices, thinned out to
/// about 10 000 voxels each. The steps are odd and differ, so that the sample has voxels of every
/// SIMD or warp lane and position in a tile, and the volume's ends and middle.
class BenchSample {
  public:
    explicit BenchSample(const VolumeGrid& grid);

    [[nodiscard]] const std::array<Index, 6>& slices() const { return m_slices; }
    [[nodiscard]] Index count() const { return sliceCount() * std::ssize(m_slices); }

    /// The reference's result from the views at these voxels, slice by slice.
    /// views: [s][v][u], whole views; matrices: one a view. @throws Cancelled
    [[nodiscard]] HostBuffer<float> reference(Span3<const float> views,
                                              std::span<const ProjectionMatrix> matrices,
                                              const std::stop_token& stop) const;

    /// Copies the sampled voxels from the whole slice [y][x] slices()[number] to their place in the
    /// sample.
    void pick(std::size_t number, const HostBuffer<float>& slice, HostBuffer<float>& all) const;

  private:
    [[nodiscard]] Index sliceCount() const { return m_count[0] * m_count[1]; }
    [[nodiscard]] VolumeGrid sliceGrid(Index z) const;

    VolumeGrid m_grid;
    std::array<Index, 2> m_step;
    std::array<Index, 2> m_count;
    std::array<Index, 6> m_slices;
};

}  // namespace gantry
