#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/host_buffer.h"
#include "core/io/volume/volume_description.h"
#include "core/io/zarr/pyramid_writer.h"
#include "core/io/zarr/zarr_chunk.h"
#include "core/io/zarr/zarr_image.h"

namespace gantry::test {

inline constexpr Index kLargeChunk = 64;

/// An OME-Zarr of any size of which no chunk was written. @returns its levels
inline std::vector<ZarrLevel> writeEmptyPyramid(const std::filesystem::path& path,
                                                const VolumeDescription& description) {
    std::vector<ZarrLevel> levels = pyramidLevels(path, description, kLargeChunk);
    for (const ZarrLevel& level : levels) {
        std::filesystem::create_directories(level.array.folder);
        writeFileAtomically(level.array.folder / ".zarray", zarrArrayText(level.array));
    }
    writeFileAtomically(path / ".zattrs", zarrAttributes("v", description, levels));
    return levels;
}

/// voxels: kLargeChunk³ of one byte, [z][y][x]; at: the chunk's number along z, y and x
inline void writeChunk(const ZarrLevel& level, const std::array<Index, 3>& at,
                       std::span<const std::byte> voxels) {
    HostBuffer<std::byte> room;
    const auto stored = compressZarrChunk(voxels, 1, room);
    const auto file = level.array.chunkFile(at);
    std::filesystem::create_directories(file.parent_path());
    writeFileAtomically(file, {reinterpret_cast<const char*>(stored.data()), stored.size()});
}

/// A file that is a hole but for a header and one row of voxels.
/// position: of the row, bytes after the header
inline void writeHollowFile(const std::filesystem::path& path, const std::string& header,
                            Index bytes, Index position, std::span<const std::byte> row) {
    const auto start = static_cast<Index>(header.size());
    File file(path, File::Mode::create);
    file.resize(start + bytes);
    file.writeAt(0, std::as_bytes(std::span(header)));
    file.writeAt(start + position, row);
    file.close();
}

}  // namespace gantry::test
