#pragma once

#include <filesystem>

#include "core/geometry/volume_grid.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/voxel_encoding.h"

namespace gantry {

/// A BigTIFF of uncompressed slices, one image a slice, whose voxels lie in one piece in front of
/// all image directories. Every offset is known beforehand, so slices can be written in any order
/// and a killed run can be resumed; libtiff can only append. The first image has the
/// VolumeDescription as ImageDescription, all have the pitch as resolution.
/// Source: the BigTIFF design of libtiff,
/// https://libtiff.gitlab.io/libtiff/specification/bigtiff.html
/// Tests: tests/core/io/tiff_sink_test.cpp
[[nodiscard]] FlatLayout bigTiffLayout(const std::filesystem::path& path, const VolumeGrid& grid,
                                       const VoxelEncoding& encoding);

}  // namespace gantry
