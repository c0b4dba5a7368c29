#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "core/io/image_shape.h"
#include "core/io/projection_source.h"
#include "core/io/stored_pixels.h"
#include "core/io/volume/stored_volume.h"

namespace gantry {

/// Slices of a volume that lie in one piece, [z][y][x].
/// Tests: tests/core/io/stored_volume_test.cpp
class FlatSlices : public ProjectionSource {
  public:
    /// voxels: of a volume of that size, x, y, z
    /// file: that was opened; the voxels may lie in another one
    /// format: "MetaImage"
    FlatSlices(StoredPixels voxels, const std::array<Index, 3>& size, std::filesystem::path file,
               std::string_view format);

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override;
    [[nodiscard]] std::string viewName(Index view) const override;

  private:
    std::filesystem::path m_file;
    PixelReader m_voxels;
    ImageShape m_shape;
    SourceInfo m_info;
};

/// Opens such a volume. Its sizes and the bytes that they need are checked against the file first.
/// file: that was opened, for messages
/// voxels: their file, where they begin in it, and how they are stored; the rest is filled in here
/// @throws InputError naming the file and what does not fit
[[nodiscard]] StoredVolume openFlatVolume(const std::filesystem::path& file,
                                          std::string_view format, const VolumeGrid& grid,
                                          const VoxelEncoding& encoding, StoredPixels voxels);

}  // namespace gantry
