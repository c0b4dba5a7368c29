#include "core/io/zarr/pyramid_writer.h"
#include "core/base/system_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/base/throw_error.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/volume_format.h"
#include "core/io/zarr/pyramid_folder.h"
#include "core/io/zarr/zarr_chunk.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxSyncThreads = 8;

std::vector<Index> slicesOfLevels(const std::vector<ZarrLevel>& levels) {
    std::vector<Index> slices;
    slices.reserve(levels.size());
    for (const ZarrLevel& level : levels)
        slices.push_back(level.array.shape[0]);
    return slices;
}

void makeFolders(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throwSystemFault(folder, "cannot be made as a folder", error.value());
}

}  // namespace

std::vector<ZarrLevel> pyramidLevels(const fs::path& folder, const VolumeDescription& volume,
                                     Index chunk) {
    require(chunk > 0 && chunk % 2 == 0, "the chunks of a pyramid have an odd side");
    std::vector<ZarrLevel> levels;
    VolumeGrid grid = volume.grid;
    while (true) {
        ZarrLevel level;
        level.array.folder = folder / fmt::format("{}", levels.size());
        level.array.shape = {grid.voxels[2], grid.voxels[1], grid.voxels[0]};
        level.array.chunks = {chunk, chunk, chunk};
        level.array.type = volume.encoding.type;
        level.grid = grid;
        levels.push_back(level);
        if (*std::ranges::max_element(grid.voxels) <= kCoarsestVoxels) return levels;
        grid = coarsened(grid, 2);
    }
}

PyramidWriter::PyramidWriter(fs::path folder, const VolumeDescription& volume, Index chunk,
                             bool resume)
    : m_folder(std::move(folder)),
      m_part(partName(m_folder)),
      m_chunk(chunk),
      m_levels(pyramidLevels(m_part, volume, chunk)),
      m_attributes(zarrAttributes(m_folder.stem().string(), volume, m_levels)),
      m_progress(slicesOfLevels(m_levels), chunk) {
    resume ? reopen() : create();
}

const ZarrArray& PyramidWriter::array(Index level) const {
    return m_levels[level].array;
}

fs::path PyramidWriter::scratchFile(ChunkLayer which) const {
    return m_part / kScratchName / fmt::format("{}.{}", which.level, which.layer);
}

Index PyramidWriter::scratchOffset(Index level, const std::array<Index, 2>& at, Index z) const {
    const ZarrArray& own = array(level);
    const Index chunk = at[0] * own.chunksAlong(2) + at[1];
    return chunk * own.chunkBytes() + z % m_chunk * m_chunk * m_chunk * sizeBytes(own.type);
}

void PyramidWriter::create() {
    makeFolders(m_part);
    m_lock = File(m_part, File::Mode::folder);
    claim(m_lock, m_folder);
    if (!holdsOnlyZarr(m_part))
        throwError<InputError>(
            "The folder {} holds other files. Remove it, or choose another place.",
            m_part.string());
    try {
        emptyPyramid(m_part);
        makeFolders(m_part / kScratchName);
        flush();
    } catch (...) {
        discard();
        throw;
    }
}

// Writes the headers; the last one marks the pyramid as complete.
void PyramidWriter::writeHeaders() const {
    for (const ZarrLevel& level : m_levels)
        writeFileAtomically(level.array.folder / ".zarray", zarrArrayText(level.array));
    writeFileAtomically(m_part / ".zgroup", "{\"zarr_format\": 2}\n");
    writeFileAtomically(m_part / ".zattrs", m_attributes);
}

std::string PyramidWriter::identity() const {
    return zarrArrayText(array(0)) + m_attributes;
}

void PyramidWriter::reopen() {
    if (!isFolder(m_part)) {
        // The run was complete, so the rest of the older volume is removed.
        if (isFolder(m_folder)) removePyramid(oldPyramidName(m_part));
        throwError<InputError>(
            "The unfinished volume {} is gone. Start the job again from the beginning.",
            m_part.string());
    }
    m_lock = File(m_part, File::Mode::folder);
    claim(m_lock, m_folder);
    removeUnfinishedFiles(m_part);
    for (const ZarrLevel& level : m_levels)
        removeUnfinishedFiles(level.array.folder);
    const auto textOf = [](const fs::path& path) {
        return pathExists(path) ? readTextFile(path) : std::string();
    };
    if (textOf(array(0).folder / ".zarray") + textOf(m_part / ".zattrs") == identity()) {
        m_progress.sealAll();
        return;
    }
    const std::string record = textOf(m_part / kScratchName / kRecordName);
    if (!record.starts_with(identity()) ||
        !m_progress.restore(std::string_view(record).substr(identity().size())))
        throwError<InputError>(
            "The unfinished volume {} differs in size, type or place from the one asked for. Start "
            "the job again from the beginning.",
            m_part.string());
}

void PyramidWriter::write(IndexRange slices, const ReadRow& readRow, int threads,
                          const std::stop_token& stop) {
    require(slices.begin >= 0 && slices.end <= array(0).shape[0],
            "slices do not fit the volume that they belong to");
    for (Index z = slices.begin; z < slices.end;) {
        const ChunkLayer which{0, z / m_chunk};
        const IndexRange layer = m_progress.slicesOf(which);
        const IndexRange piece{z, std::min(slices.end, layer.end)};
        z = piece.end;
        const std::vector<IndexRange> missing = m_progress.missing(0, piece);
        if (missing == std::vector{layer}) {
            seal(
                which,
                [&](const std::array<Index, 2>& at, std::span<std::byte> chunk) {
                    fillFromRows(layer, at, readRow, chunk);
                },
                threads, stop);
            continue;
        }
        for (const IndexRange& range : missing) {
            keep(0, range, readRow, threads);
            if (m_progress.add(0, range)) sealFromScratch(which, threads, stop);
        }
    }
}

// Fills as many slices of a chunk as the buffer takes; slices: of one layer
void PyramidWriter::fillFromRows(IndexRange slices, const std::array<Index, 2>& at,
                                 const ReadRow& readRow, std::span<std::byte> chunk) const {
    const auto [nZ, nY, nX] = array(0).shape;
    const Index voxelBytes = sizeBytes(array(0).type);
    const Index rows = std::min(m_chunk, nY - at[0] * m_chunk);
    const Index columns = std::min(m_chunk, nX - at[1] * m_chunk);
    std::ranges::fill(chunk, std::byte{0});
    for (Index z = slices.begin; z < slices.end; ++z)
        for (Index y = 0; y < rows; ++y) {
            const Index row = (z - slices.begin) * m_chunk + y;
            readRow(z, at[0] * m_chunk + y, at[1] * m_chunk,
                    chunk.subspan(row * m_chunk * voxelBytes, columns * voxelBytes));
        }
}

void PyramidWriter::keep(Index level, IndexRange slices, const ReadRow& readRow, int threads) {
    File file(scratchFile({level, slices.begin / m_chunk}), File::Mode::keep);
    const Index columns = array(level).chunksAlong(2);
    const Index tileBytes = m_chunk * m_chunk * sizeBytes(array(level).type);
    parallelFor(threads, array(level).chunksAlong(1) * columns, 1, [&](Index i, Index, int) {
        const std::array<Index, 2> at = {i / columns, i % columns};
        HostBuffer<std::byte> tiles(slices.size() * tileBytes);
        fillFromRows(slices, at, readRow, tiles.span());
        file.writeAt(scratchOffset(level, at, slices.begin), tiles.span());
    });
}

void PyramidWriter::sealFromScratch(ChunkLayer which, int threads, const std::stop_token& stop) {
    const File file(scratchFile(which), File::Mode::read);
    const Index slices = m_progress.slicesOf(which).size();
    const Index tileBytes = m_chunk * m_chunk * sizeBytes(array(which.level).type);
    seal(
        which,
        [&](const std::array<Index, 2>& at, std::span<std::byte> chunk) {
            const auto stored = chunk.first(slices * tileBytes);
            file.readAt(scratchOffset(which.level, at, 0), stored);
            std::fill(chunk.begin() + std::ssize(stored), chunk.end(), std::byte{0});
        },
        threads, stop);
}

void PyramidWriter::seal(ChunkLayer which, const FillChunk& fill, int threads,
                         const std::stop_token& stop) {
    const Index quadsY = (array(which.level).chunksAlong(1) + 1) / 2;
    const Index quadsX = (array(which.level).chunksAlong(2) + 1) / 2;
    parallelFor(
        threads, quadsY * quadsX, 1,
        [&](Index i, Index, int) {
            sealFour(which, {i / quadsX, i % quadsX}, fill);
        },
        stop);
    const PyramidProgress::Sealed sealed = m_progress.seal(which);
    if (sealed.scratchMayGo) removeFile(scratchFile(which));
    if (sealed.completesNext) sealFromScratch({which.level + 1, which.layer / 2}, threads, stop);
}

// Seals four chunks, two by two along y and x, which make one half of a chunk of the next level.
void PyramidWriter::sealFour(ChunkLayer which, const std::array<Index, 2>& quad,
                             const FillChunk& fill) {
    const ZarrArray& own = array(which.level);
    const IndexRange slices = m_progress.slicesOf(which);
    HostBuffer<std::byte> chunk(own.chunkBytes());
    HostBuffer<std::byte> room;
    HostBuffer<std::byte> coarse(own.chunkBytes() / 2);
    std::ranges::fill(coarse.span(), std::byte{0});
    for (Index part = 0; part < 4; ++part) {
        const std::array<Index, 2> quarter = {part / 2, part % 2};
        const std::array<Index, 2> at = {2 * quad[0] + quarter[0], 2 * quad[1] + quarter[1]};
        if (at[0] >= own.chunksAlong(1) || at[1] >= own.chunksAlong(2)) continue;
        fill(at, chunk.span());
        const auto stored = compressZarrChunk(chunk.span(), sizeBytes(own.type), room);
        const fs::path path = own.chunkFile({which.layer, at[0], at[1]});
        makeFolders(path.parent_path());
        File file(path, File::Mode::create);
        file.writeAt(0, stored);
        file.startSync(0, std::ssize(stored));
        file.close();
        const std::array<Index, 3> extent = {slices.size(),
                                             std::min(m_chunk, own.shape[1] - at[0] * m_chunk),
                                             std::min(m_chunk, own.shape[2] - at[1] * m_chunk)};
        halveChunk(own.type, m_chunk, extent, chunk.span(), coarse.span(), quarter);
    }
    const Index next = which.level + 1;
    if (next == std::ssize(m_levels)) return;
    const Index kept = (slices.size() + 1) / 2 * m_chunk * m_chunk * sizeBytes(own.type);
    File scratch(scratchFile({next, which.layer / 2}), File::Mode::keep);
    scratch.writeAt(scratchOffset(next, quad, slices.begin / 2), coarse.span().first(kept));
    scratch.close();
}

void PyramidWriter::flush() {
    const std::scoped_lock lock(m_flushMutex);
    const PyramidProgress::Record record = m_progress.record();
    for (const ChunkLayer& which : record.sealed)
        syncLayer(which);
    for (const ChunkLayer& which : record.scratch)
        File(scratchFile(which), File::Mode::update).sync();
    m_lock.sync();  // the scratch's folder; renaming the record syncs the names in it too
    writeFileAtomically(m_part / kScratchName / kRecordName, identity() + record.text);
    for (const ChunkLayer& which : record.released)
        removeFile(scratchFile(which));
}

// Syncs the chunks of a layer, and their names, to disk.
void PyramidWriter::syncLayer(ChunkLayer which) const {
    const ZarrArray& own = array(which.level);
    const Index columns = own.chunksAlong(2);
    // A disk serves many such requests in about the time of one.
    parallelFor(kMaxSyncThreads, own.chunksAlong(1), 1, [&](Index y, Index, int) {
        for (Index x = 0; x < columns; ++x)
            File(own.chunkFile({which.layer, y, x}), File::Mode::update).sync();
        File(own.chunkFile({which.layer, y, 0}).parent_path(), File::Mode::folder).sync();
    });
    const fs::path layer = own.chunkFile({which.layer, 0, 0}).parent_path().parent_path();
    for (const fs::path& folder : {layer, own.folder, m_part})
        File(folder, File::Mode::folder).sync();
}

void PyramidWriter::finish(int threads, const std::stop_token& stop) {
    // Seals the layers that a killed run had completed but not sealed.
    for (auto waiting = m_progress.unsealed(); !waiting.empty(); waiting = m_progress.unsealed()) {
        sealFromScratch(waiting.front(), threads, stop);
    }
    require(m_progress.isComplete(),
            "a volume was to be completed before all its slices were written");
    if (isFolder(m_part / kScratchName)) flush();
    if (stop.stop_requested()) throw Cancelled();
    writeHeaders();
    std::error_code ignored;
    fs::remove_all(m_part / kScratchName, ignored);
    replacePyramid(m_part, m_folder);
    m_lock.close();
}

void PyramidWriter::discard() noexcept {
    removePyramid(m_part);
    m_lock = File();
}

Index pyramidMemoryBytes(PixelType type, Index chunk, int threads) {
    // A chunk, its compressed form and half a chunk of the next level; plus the 4.6 to 5.3 MB that
    // blosc and zstd took in trials with 2 and with 16 threads.
    constexpr Index kCompressorBytes = 5'500'000;
    return threads * (5 * chunk * chunk * chunk * sizeBytes(type) / 2 + kCompressorBytes);
}

Index pyramidExtraBytes(const VolumeGrid& grid, PixelType type, Index chunk) {
    Index bytes = 0;
    for (const ZarrLevel& level : pyramidLevels({}, {grid, {type, 1, 0}}, chunk)) {
        const ZarrArray& own = level.array;
        if (level.grid != grid) bytes += level.grid.count() * sizeBytes(type);
        // There is a folder for each row of chunks and for each layer.
        const Index rowEntries = own.chunksAlong(2) + 1;
        const Index layerEntries = own.chunksAlong(1) * rowEntries + 1;
        bytes += (own.chunksAlong(0) * layerEntries + 2) * kVolumeHeaderBytes;
    }
    return bytes + kVolumeHeaderBytes;
}

Index pyramidScratchBytes(const VolumeGrid& grid, PixelType type, Index chunk) {
    Index bytes = 0;
    for (const ZarrLevel& level : pyramidLevels({}, {grid, {type, 1, 0}}, chunk)) {
        const ZarrArray& own = level.array;
        const Index slices = std::min(2 * chunk, own.shape[0]);
        bytes += own.chunksAlong(1) * own.chunksAlong(2) * chunk * chunk * slices * sizeBytes(type);
    }
    return bytes;
}

}  // namespace gantry
