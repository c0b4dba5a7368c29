#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/span3.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// A box of a level's voxels.
struct VoxelBox {
    IndexRange x;
    IndexRange y;
    IndexRange z;

    friend bool operator==(const VoxelBox&, const VoxelBox&) = default;
};

/// The grid of a box's voxels alone, in the same place.
[[nodiscard]] VolumeGrid gridOf(const VolumeGrid& level, const VoxelBox& box);

/// A volume on disk as viewers read it: box by box, from the level whose voxels are as small as
/// they can show. Tests: tests/core/io/volume_levels_test.cpp
class VolumeLevels {
  public:
    virtual ~VolumeLevels() = default;

    /// Of each level, finest first; there is at least one.
    [[nodiscard]] virtual const std::vector<VolumeGrid>& grids() const = 0;

    /// Reads a box, which lies in the level, as attenuation in 1/mm, with up to that many threads.
    /// Reads no more of the files than the box needs. Several threads may read at once.
    /// voxels: [z][y][x], of the box's size
    /// @throws InputError naming the file that is damaged; ResourceError
    void read(Index level, const VoxelBox& box, Span3<float> voxels, int threads = 1) const;

    /// The same, but with NaN where it cannot be read: a chunk that is damaged hides no other.
    /// @returns what is wrong with the first such part; nothing where all can be read
    /// @throws ResourceError
    [[nodiscard]] std::optional<InputError> readIntact(Index level, const VoxelBox& box,
                                                       Span3<float> voxels, int threads = 1) const;

  private:
    /// How many voxels along x, y and z are stored, and damaged, together.
    [[nodiscard]] virtual std::array<Index, 3> pieceVoxels(Index level) const = 0;
    virtual void readBox(Index level, const VoxelBox& box, Span3<float> voxels,
                         int threads) const = 0;
};

/// Opens anything that openStoredVolume() opens. Where there is no pyramid on disk, the coarser
/// levels are every second, fourth, ... voxel of the volume: quick to read, and noisier than means.
/// @throws InputError as openStoredVolume()
[[nodiscard]] std::unique_ptr<VolumeLevels> openVolumeLevels(const std::filesystem::path& path);

}  // namespace gantry
