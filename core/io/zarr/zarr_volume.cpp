#include "core/io/zarr/zarr_volume.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/host_buffer.h"
#include "core/io/image_shape.h"
#include "core/io/zarr/pyramid_folder.h"
#include "core/io/zarr/pyramid_writer.h"
#include "core/io/zarr/zarr_image.h"
#include "core/io/zarr/zarr_sink.h"
#include "core/io/zarr/zarr_slices.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

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
        const auto& chunks = m_image.levels[static_cast<std::size_t>(level)].array.chunks;
        return {chunks[2], chunks[1], chunks[0]};
    }

    void readBox(Index level, const VoxelBox& box, Span3<float> voxels,
                 int threads) const override {
        const ZarrArray& array = m_image.levels[static_cast<std::size_t>(level)].array;
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
    format.extensions = {".ome.zarr", ".zarr"};
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
    return std::make_unique<ZarrLevels>(readZarrImage(folder));
}

}  // namespace gantry
