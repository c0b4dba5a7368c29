#include "core/io/zarr/make_pyramid.h"
#include "core/base/written_place.h"
#include "core/io/input_files.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <system_error>

#include "core/base/file.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/output_names.h"
#include "core/io/volume/stored_volume.h"
#include "core/io/volume/volume_format.h"
#include "core/io/zarr/pyramid_folder.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Max bytes that are read at a time. A whole layer of chunks needs no scratch.
constexpr Index kMaxSlabBytes = Index{512} << 20;

void checkPyramidOutput(const fs::path& volume, const fs::path& output) {
    if (volumeFormatOf(output).format != VolumeFormat::zarr)
        refuseOutput(output,
                     "a pyramid is an OME-Zarr folder; choose a name that ends in "
                     ".ome.zarr");
    checkOutputPlace(output);
    std::error_code ignored;
    if (fs::equivalent(volume, output, ignored))
        refuseOutput(output, "it is the volume that is read; choose another name");
}

// Slices in a buffer, as they are stored.
class StoredSlab {
  public:
    StoredSlab(const StoredVolume& volume, Index slices)
        : m_volume(volume),
          m_rowBytes(volume.grid.voxels[0] * sizeBytes(volume.encoding.type)),
          m_voxels(slices * volume.grid.voxels[1] * m_rowBytes) {}

    void read(IndexRange slices, int threads, const std::stop_token& stop) {
        m_slices = slices;
        const Index sliceBytes = m_volume.grid.voxels[1] * m_rowBytes;
        // Compressed files are read in order.
        const int readers = m_volume.slices->info().readsRowsAlone ? threads : 1;
        parallelFor(
            readers, slices.size(), 1,
            [&](Index i, Index, int) {
                m_volume.slices->readRows(slices.begin + i, {0, m_volume.grid.voxels[1]},
                                          m_voxels.span().subspan(i * sliceBytes, sliceBytes));
            },
            stop);
    }
    void copyRow(Index z, Index y, Index x, std::span<std::byte> voxels) const {
        const Index row = (z - m_slices.begin) * m_volume.grid.voxels[1] + y;
        std::memcpy(voxels.data(),
                    m_voxels.data() + row * m_rowBytes + x * sizeBytes(m_volume.encoding.type),
                    voxels.size());
    }

  private:
    const StoredVolume& m_volume;
    Index m_rowBytes;
    HostBuffer<std::byte> m_voxels;
    IndexRange m_slices;
};

void copySlices(const StoredVolume& volume, PyramidWriter& writer, const PyramidOptions& options) {
    const auto [nX, nY, nZ] = volume.grid.voxels;
    const Index sliceBytes = nX * nY * sizeBytes(volume.encoding.type);
    const Index slices =
        std::clamp<Index>(kMaxSlabBytes / sliceBytes, 1, std::min(options.chunk, nZ));
    StoredSlab slab(volume, slices);
    for (Index z = 0; z < nZ; z += slices) {
        const IndexRange range{z, std::min(z + slices, nZ)};
        slab.read(range, options.threads, options.stop);
        writer.write(
            range,
            [&](Index slice, Index y, Index x, std::span<std::byte> voxels) {
                slab.copyRow(slice, y, x, voxels);
            },
            options.threads, options.stop);
        options.onProgress(static_cast<double>(range.end) / static_cast<double>(nZ));
    }
}

}  // namespace

fs::path pyramidPathFor(const fs::path& volume) {
    fs::path path = placeOf(volume);
    // A folder's name has no ending, whatever dots are in it.
    if (!isFolder(path)) path.replace_extension();
    path += ".ome.zarr";
    return path;
}

PyramidFacts makePyramid(const fs::path& volume, const fs::path& output,
                         const PyramidOptions& options) {
    const StoredVolume stored = openStoredVolume(volume);
    checkPyramidOutput(volume, output);
    ReadFiles read;
    addVolumeFiles(read, volume);
    read.requireApart(outputNames(output));
    const VolumeDescription description{stored.grid, stored.encoding};
    const PixelType type = stored.encoding.type;
    PyramidFacts facts;
    facts.type = type;
    facts.voxelBytes = stored.grid.count() * sizeBytes(type);
    requireDisk(output,
                facts.voxelBytes + pyramidExtraBytes(stored.grid, type, options.chunk) +
                    pyramidScratchBytes(stored.grid, type, options.chunk),
                "Free space, or choose another place.");
    PyramidWriter writer(writtenPlace(placeOf(output)), description, options.chunk, false);
    try {
        copySlices(stored, writer, options);
        writer.finish(options.threads, options.stop);
    } catch (...) {
        writer.discard();
        throw;
    }
    for (const ZarrLevel& level : writer.levels())
        facts.levels.push_back(level.grid);
    facts.storedBytes = bytesBelow(placeOf(output));
    return facts;
}

}  // namespace gantry
