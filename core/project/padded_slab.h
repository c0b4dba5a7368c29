#pragma once

#include <array>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/base/types.h"

namespace gantry {

/// A slab of a volume as [y][x][z] with zeros around it: one column of voxels on every side, and
/// kPadRows below and above each column, which SIMD lanes read. Columns begin at multiples of a
/// register.
class PaddedSlab {
  public:
    /// All zero. Memory is kept if it suffices. @throws ResourceError
    void reset(std::array<Index, 3> voxels, int threads);

    [[nodiscard]] const std::array<Index, 3>& voxels() const { return m_voxels; }
    /// Floats from a voxel to its neighbour along x, y and z.
    [[nodiscard]] const std::array<Index, 3>& strides() const { return m_strides; }
    /// Voxel (x, y, z); from −1 to one beyond the last along x and y.
    [[nodiscard]] float* at(Index x, Index y, Index z) {
        return m_buffer.data() + (y + 1) * m_strides[1] + (x + 1) * m_strides[0] + firstZ() + z;
    }
    /// Floats in front of slice 0 in a column.
    [[nodiscard]] static Index firstZ();

    /// voxels: slices [slices.begin, slices.end) of the slab, [z][y][x]
    void set(IndexRange slices, Span3<const float> voxels, int threads);
    void read(IndexRange slices, Span3<float> out, int threads);
    /// Zeros behind the last slice, where kernels write whole registers.
    void clearBehind(int threads);

    [[nodiscard]] static Index bytesNeeded(std::array<Index, 3> voxels);

  private:
    template <class Copy>
    void forEachBlock(IndexRange slices, int threads, const Copy& copy);

    std::array<Index, 3> m_voxels{};
    std::array<Index, 3> m_strides{};
    HostBuffer<float> m_buffer;
};

}  // namespace gantry
