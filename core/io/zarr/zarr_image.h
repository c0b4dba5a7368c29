#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/geometry/volume_grid.h"
#include "core/io/volume/volume_description.h"
#include "core/io/volume/voxel_encoding.h"
#include "core/io/zarr/zarr_array.h"

namespace gantry {

struct ZarrLevel {
    ZarrArray array;
    VolumeGrid grid;
};

/// An image of OME-Zarr 0.4: the same volume in ever coarser voxels.
/// Tests: tests/core/io/zarr_read_test.cpp, tests/core/io/zarr_hostile_test.cpp
struct ZarrImage {
    std::filesystem::path folder;
    VoxelEncoding encoding;
    std::vector<ZarrLevel> levels;  ///< finest first; at least one
};

/// Whether a folder is a Zarr array or group, of any version.
[[nodiscard]] bool isZarr(const std::filesystem::path& folder) noexcept;

/// Reads the image in a folder: OME-Zarr of ours and of other programs (0.1 to 0.4), or a plain
/// Zarr array, which is taken as one level of voxels 1 mm apart, centred on the origin. Lengths in
/// the units of its axes become mm; without a unit they are taken as mm. Slope and intercept are
/// those that Gantry recorded.
/// @throws InputError naming the file and what is wrong with it
[[nodiscard]] ZarrImage readZarrImage(const std::filesystem::path& folder);

/// The .zattrs of Gantry's own images: "multiscales" of OME-Zarr 0.4, and the volume's description
/// with slope and intercept as "gantry".
[[nodiscard]] std::string zarrAttributes(const std::string& name, const VolumeDescription& volume,
                                         const std::vector<ZarrLevel>& levels);

}  // namespace gantry
