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

/// The grid of a box's voxels only, at the same position.
[[nodiscard]] VolumeGrid gridOf(const VolumeGrid& level, const VoxelBox& box);

/// A volume on disk for viewers, which read it box by box from the level that is as fine as they
/// can show.
/// Tests: tests/core/io/volume_levels_test.cpp
class VolumeLevels {
  public:
    virtual ~VolumeLevels() = default;

    /// Grids of all levels, finest first; there is at least one.
    [[nodiscard]] virtual const std::vector<VolumeGrid>& grids() const = 0;

    /// Reads a box, which lies in the level, as attenuation in 1/mm, with up to `threads` threads.
    /// Reads no more of the files than the box needs. Several threads may read at once.
    /// voxels: [z][y][x], of the box's size
    /// @throws InputError naming the file that is damaged; ResourceError
    void read(Index level, const VoxelBox& box, Span3<float> voxels, int threads = 1) const;

    /// The same, but with NaN where voxels cannot be read: a damaged chunk hides no others.
    /// @returns what is wrong with the first such part; nothing if all can be read
    /// @throws ResourceError
    [[nodiscard]] std::optional<InputError> readIntact(Index level, const VoxelBox& box,
                                                       Span3<float> voxels, int threads = 1) const;

  private:
    /// How many voxels along x, y and z are stored together, and so damaged together.
    [[nodiscard]] virtual std::array<Index, 3> pieceVoxels(Index level) const = 0;
    virtual void readBox(Index level, const VoxelBox& box, Span3<float> voxels,
                         int threads) const = 0;
};

/// Opens anything that openStoredVolume() opens. Without a pyramid on disk, the coarser levels are
/// every second, fourth, ... voxel of the volume: quick to read, and noisier than means.
/// @throws InputError as openStoredVolume()
[[nodiscard]] std::unique_ptr<VolumeLevels> openVolumeLevels(const std::filesystem::path& path);

}  // namespace gantry
