#pragma once

#include <filesystem>
#include <memory>

#include "core/base/span3.h"
#include "core/geometry/volume_grid.h"
#include "core/io/projection_source.h"
#include "core/io/volume/voxel_encoding.h"

namespace gantry {

/// A volume on disk, checked but not read.
/// Tests: tests/core/io/stored_volume_test.cpp, tests/core/io/read_volume_test.cpp
struct StoredVolume {
    VolumeGrid grid;
    VoxelEncoding encoding;  ///< as the record beside it, or else the file says: see asRecorded()
    /// Its voxels as stored: a "view" is a slice, its rows in order of y.
    std::unique_ptr<ProjectionSource> slices;

    /// Reads slices [zBegin, zBegin + voxels.size(0)) as values in encoding.scale's unit:
    /// attenuation in 1/mm or Hounsfield units. voxels: [z][y][x]. Several threads may read at
    /// once. @throws InputError naming the file when it is damaged
    void read(Index zBegin, Span3<float> voxels) const;
};

/// Opens any volume that openSink() writes; also MetaImages of other programs (any element type,
/// compressed too), TIFF stacks, one file or a folder of slices in natural order, and the finest
/// level of Zarr images (see readZarrImage()). Where TIFF files carry no description of ours,
/// voxels are taken as attenuation, 1 mm apart, centred on the origin; images are slices in order
/// of z, their top row is y index 0. All sizes are checked against the files.
/// @throws InputError naming the file: missing, damaged, of an unknown format, or slices that do
/// not fit together
[[nodiscard]] StoredVolume openStoredVolume(const std::filesystem::path& path);

/// Whether a file or folder is marked as a volume: a MetaImage, a Zarr image, or raw or TIFF files
/// with a description of ours. False for images that may also be projections, and for files that
/// cannot be read.
[[nodiscard]] bool isStoredVolume(const std::filesystem::path& path);

}  // namespace gantry
