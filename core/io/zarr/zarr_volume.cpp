#include "core/io/zarr/zarr_volume.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/io/image_shape.h"
#include "core/io/projection_source.h"
#include "core/io/volume/rescale_volume.h"
#include "core/io/volume/volume_sink.h"
#include "core/io/volume/voxel_encoding.h"
#include "core/io/zarr/pyramid_folder.h"
#include "core/io/zarr/pyramid_writer.h"
#include "core/io/zarr/zarr_array.h"
#include "core/io/zarr/zarr_chunk.h"
#include "core/io/zarr/zarr_image.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// The slices of a Zarr array. Because chunks are thick, as many slices are read at a time as a
// fixed share of memory holds, at most a layer of chunks, and the following slices come from
// there. Several threads may read; they take turns.
// Tests: tests/core/io/zarr_read_test.cpp
class ZarrSlices : public ProjectionSource {
  public:
    /// format: "OME-Zarr, 32-bit float, 4 levels"
    ZarrSlices(ZarrArray array, std::string format);

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override;
    [[nodiscard]] std::string viewName(Index view) const override;

  private:
    void load(Index slice) const;

    ZarrArray m_array;
    SourceInfo m_info;
    mutable std::mutex m_mutex;
    mutable IndexRange m_loaded;             // slices in the buffer, of one layer of chunks
    mutable HostBuffer<std::byte> m_voxels;  // [z][y][x]
};

// A box of voxels: along z, y, x.
using ZarrBox = std::array<IndexRange, 3>;

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

// Reads a box of an array, with up to that many threads; only chunks that it meets are read.
// voxels: [z][y][x] of the array's type, host byte order
// @throws InputError as readZarrChunk()
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
                m_voxels.span().first(count * sliceBytes), availableThreads());
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

// Writes a volume as an OME-Zarr pyramid: see PyramidWriter.
// Tests: tests/core/io/zarr_pyramid_test.cpp, tests/core/io/open_sink_test.cpp
class ZarrSink final : public VolumeSink {
  public:
    /// @throws InputError as PyramidWriter
    ZarrSink(std::filesystem::path folder, const VolumeDescription& volume, SinkStart start)
        : m_volume(volume),
          m_writer(std::move(folder), volume, kPyramidChunk, start == SinkStart::resumed) {}

    void flush() override { m_writer.flush(); }
    void discard() noexcept override { m_writer.discard(); }

  private:
    void put(Index zBegin, Span3<const float> voxels, int threads) override;
    void complete(int threads, const std::stop_token& stop) override {
        m_writer.finish(threads, stop);
    }

    VolumeDescription m_volume;
    PyramidWriter m_writer;
};

void ZarrSink::put(Index zBegin, Span3<const float> voxels, int threads) {
    require(voxels.size(1) == m_volume.grid.voxels[1] && voxels.size(2) == m_volume.grid.voxels[0],
            "slices do not fit the volume that they belong to");
    const Index voxelBytes = sizeBytes(m_volume.encoding.type);
    m_writer.write(
        {zBegin, zBegin + voxels.size(0)},
        [&](Index z, Index y, Index x, std::span<std::byte> stored) {
            const std::span row(voxels.row(z - zBegin, y) + x,
                                stored.size() / static_cast<std::size_t>(voxelBytes));
            encode(m_volume.encoding, row, stored);
        },
        threads);
}

StoredVolume readZarr(const fs::path& folder) {
    const ZarrImage image = readZarrImage(folder);
    const ZarrLevel& finest = image.levels.front();
    const std::string format =
        fmt::format("{}, {}, {} {}", pathExists(folder / ".zarray") ? "Zarr" : "OME-Zarr",
                    describe(finest.array.type), image.levels.size(),
                    image.levels.size() == 1 ? "level" : "levels");
    return {finest.grid, image.encoding, std::make_unique<ZarrSlices>(finest.array, format)};
}

void checkZarrPlace(const fs::path& place) {
    if (!pathExists(place)) return;
    if (!isFolder(place))
        refuseOutput(place, "it is a file, and a folder is needed; choose another name");
    if (!holdsOnlyZarr(place))
        refuseOutput(place, "the folder holds other files than a Zarr image; choose another name");
}

class ZarrLevels final : public VolumeLevels {
  public:
    explicit ZarrLevels(ZarrImage image) : m_image(std::move(image)) {
        for (const ZarrLevel& level : m_image.levels)
            m_grids.push_back(level.grid);
    }

    [[nodiscard]] const std::vector<VolumeGrid>& grids() const override { return m_grids; }

  private:
    [[nodiscard]] std::array<Index, 3> pieceVoxels(Index level) const override {
        const auto& chunks = m_image.levels[level].array.chunks;
        return {chunks[2], chunks[1], chunks[0]};
    }

    void readBox(Index level, const VoxelBox& box, Span3<float> voxels,
                 int threads) const override {
        const ZarrArray& array = m_image.levels[level].array;
        HostBuffer<std::byte> stored(voxels.count() * sizeBytes(array.type));
        readZarrBox(array, {box.z, box.y, box.x}, stored.span(), threads);
        decode(m_image.encoding, stored.span(),
               {voxels.data(), static_cast<std::size_t>(voxels.count())});
    }

    ZarrImage m_image;
    std::vector<VolumeGrid> m_grids;
};

}  // namespace

VolumeFileFormat zarrVolumes() {
    VolumeFileFormat format;
    format.format = VolumeFormat::zarr;
    format.name = "folders of OME-Zarr (.ome.zarr)";
    format.label = "OME-Zarr pyramid";
    format.extensions = {".ome.zarr", ".zarr"};
    format.hasOneWriter = true;
    format.isFolder = true;
    format.checkPlace = checkZarrPlace;
    format.headerBytes = [](const VolumeGrid& grid, PixelType type) {
        return pyramidExtraBytes(grid, type, kPyramidChunk);
    };
    format.scratchBytes = [](const VolumeGrid& grid, PixelType type) {
        return pyramidScratchBytes(grid, type, kPyramidChunk);
    };
    format.threadBytes = [](PixelType type) { return pyramidMemoryBytes(type, kPyramidChunk, 1); };
    format.write = [](const fs::path& place, const VolumeGrid& grid, const VoxelEncoding& encoding,
                      SinkStart start) -> std::unique_ptr<VolumeSink> {
        if (start == SinkStart::joined)
            refuseOutput(place,
                         "one process alone can write an OME-Zarr. Let one rank write for all with "
                         "--io single, or choose another format, and make the pyramid of it "
                         "afterwards with `gantry pyramid`");
        return std::make_unique<ZarrSink>(place, VolumeDescription{grid, encoding}, start);
    };
    format.read = readZarr;
    format.isVolume = [](const fs::path& folder) {
        (void)readZarrImage(folder);
        return true;
    };
    return format;
}

std::unique_ptr<VolumeLevels> openZarrLevels(const fs::path& folder) {
    ZarrImage image = readZarrImage(folder);
    image.encoding = asRecorded(folder, image.encoding);
    return std::make_unique<ZarrLevels>(std::move(image));
}

}  // namespace gantry
