#include "core/io/zarr/zarr_slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/io/image_shape.h"
#include "core/io/zarr/zarr_chunk.h"

namespace gantry {

namespace {

constexpr Index kMaxLoadedBytes = Index{1} << 30;

// Copies the part of a chunk that lies in a box.
void copyFromChunk(const ZarrArray& array, const std::array<Index, 3>& at,
                   std::span<const std::byte> chunk, const ZarrBox& box,
                   std::span<std::byte> voxels) {
    const Index voxelBytes = sizeBytes(array.type);
    ZarrBox common;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index begin = at[axis] * array.chunks[axis];
        common[axis] = {std::max(box[axis].begin, begin),
                        std::min(box[axis].end, begin + array.chunks[axis])};
    }
    const auto offsetIn = [&](const std::array<Index, 3>& first, const std::array<Index, 3>& size,
                              Index z, Index y) {
        return ((z - first[0]) * size[1] + y - first[1]) * size[2] + common[2].begin - first[2];
    };
    const std::array<Index, 3> chunkFirst = {at[0] * array.chunks[0], at[1] * array.chunks[1],
                                             at[2] * array.chunks[2]};
    const std::array<Index, 3> boxFirst = {box[0].begin, box[1].begin, box[2].begin};
    const std::array<Index, 3> boxSize = {box[0].size(), box[1].size(), box[2].size()};
    for (Index z = common[0].begin; z < common[0].end; ++z)
        for (Index y = common[1].begin; y < common[1].end; ++y)
            std::memcpy(voxels.data() + offsetIn(boxFirst, boxSize, z, y) * voxelBytes,
                        chunk.data() + offsetIn(chunkFirst, array.chunks, z, y) * voxelBytes,
                        static_cast<std::size_t>(common[2].size() * voxelBytes));
}

}  // namespace

void readZarrBox(const ZarrArray& array, const ZarrBox& box, std::span<std::byte> voxels,
                 int threads) {
    ZarrBox chunks;  // that overlap the box
    for (std::size_t axis = 0; axis < 3; ++axis) {
        require(box[axis].begin >= 0 && box[axis].end <= array.shape[axis],
                "voxels that a volume does not have were to be read");
        if (box[axis].empty()) return;
        chunks[axis] = {box[axis].begin / array.chunks[axis],
                        (box[axis].end - 1) / array.chunks[axis] + 1};
    }
    const Index across = chunks[2].size();
    const Index layer = chunks[1].size() * across;
    parallelFor(threads, chunks[0].size() * layer, 1, [&](Index i, Index, int) {
        const std::array<Index, 3> at = {chunks[0].begin + i / layer,
                                         chunks[1].begin + i % layer / across,
                                         chunks[2].begin + i % across};
        HostBuffer<std::byte> chunk(array.chunkBytes());
        readZarrChunk(array, at, chunk.span());
        copyFromChunk(array, at, chunk.span(), box, voxels);
    });
}

ZarrSlices::ZarrSlices(ZarrArray array, std::string format) : m_array(std::move(array)) {
    m_info.views = m_array.shape[0];
    m_info.rows = m_array.shape[1];
    m_info.columns = m_array.shape[2];
    m_info.pixelType = m_array.type;
    m_info.format = std::move(format);
    m_info.isCompressed = m_array.codec != ZarrCodec::none;
    // Checking each file would take seconds for a large volume, so this is the max size.
    m_info.storedBytes = m_info.views * m_info.rows * m_info.columns * sizeBytes(m_array.type);
}

void ZarrSlices::load(Index slice) const {
    const Index layer = slice / m_array.chunks[0];
    const Index end = std::min((layer + 1) * m_array.chunks[0], m_info.views);
    const Index sliceBytes = m_info.rows * m_info.columns * sizeBytes(m_array.type);
    const Index count = std::clamp<Index>(kMaxLoadedBytes / sliceBytes, 1, end - slice);
    m_loaded = {};
    if (m_voxels.count() < count * sliceBytes) {
        m_voxels = {};
        m_voxels = HostBuffer<std::byte>(count * sliceBytes);
    }
    readZarrBox(m_array, {{{slice, slice + count}, {0, m_info.rows}, {0, m_info.columns}}},
                m_voxels.span().first(static_cast<std::size_t>(count * sliceBytes)),
                availableThreads());
    m_loaded = {slice, slice + count};
}

void ZarrSlices::readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const {
    const ImageShape shape{m_info.columns, m_info.rows, m_info.pixelType};
    checkRequest(shape, m_info.views, view, rows, pixels);
    const std::lock_guard lock(m_mutex);
    if (!m_loaded.contains(view)) load(view);
    const Index rowBytes = m_info.columns * sizeBytes(m_info.pixelType);
    const Index row = (view - m_loaded.begin) * m_info.rows + rows.begin;
    std::memcpy(pixels.data(), m_voxels.data() + row * rowBytes, pixels.size());
}

std::string ZarrSlices::viewName(Index view) const {
    return fmt::format("{}, slice {}", m_array.folder.string(), view);
}

}  // namespace gantry
