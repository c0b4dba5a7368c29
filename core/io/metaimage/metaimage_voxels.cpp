#include <algorithm>
#include <bit>
#include <optional>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/inflate_reader.h"
#include "core/io/metaimage/metaimage_header.h"

namespace gantry {

namespace {

void swapBytes(std::span<std::byte> voxels, std::size_t voxelBytes) {
    for (std::size_t at = 0; at < voxels.size(); at += voxelBytes)
        std::reverse(voxels.data() + at, voxels.data() + at + voxelBytes);
}

}  // namespace

struct MetaImageVoxels::Data {
    File file;
    std::optional<InflateReader> inflated;
};

MetaImageVoxels::MetaImageVoxels(MetaImageHeader header)
    : m_header(std::move(header)), m_data(std::make_unique<Data>()) {
    File file(m_header.dataPath, File::Mode::read);
    if (m_header.compressed)
        m_data->inflated.emplace(std::move(file), m_header.dataOffset, m_header.storedBytes,
                                 m_header.dataBytes());
    else
        m_data->file = std::move(file);
}

MetaImageVoxels::~MetaImageVoxels() = default;

void MetaImageVoxels::read(Index first, std::span<std::byte> voxels) const {
    const Index voxelBytes = sizeBytes(m_header.type);
    const auto bytes = static_cast<Index>(voxels.size());
    require(
        first >= 0 && bytes % voxelBytes == 0 && first * voxelBytes + bytes <= m_header.dataBytes(),
        "voxels are read beyond the end of a MetaImage");
    if (m_data->inflated)
        m_data->inflated->read(first * voxelBytes, voxels);
    else
        m_data->file.readAt(m_header.dataOffset + first * voxelBytes, voxels);
    const bool hostIsBig = std::endian::native == std::endian::big;
    if (m_header.bigEndian != hostIsBig && voxelBytes > 1)
        swapBytes(voxels, static_cast<std::size_t>(voxelBytes));
}

}  // namespace gantry
