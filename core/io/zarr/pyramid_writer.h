#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/io/volume/volume_description.h"
#include "core/io/zarr/pyramid_progress.h"
#include "core/io/zarr/zarr_image.h"

namespace gantry {

/// Default voxels along each side of a chunk.
inline constexpr Index kPyramidChunk = 64;
/// The coarsest level is the first that has no more voxels than this along any axis.
inline constexpr Index kCoarsestVoxels = 128;

/// The levels of a pyramid in that folder: each has half the voxels of the one before.
/// chunk: even
[[nodiscard]] std::vector<ZarrLevel> pyramidLevels(const std::filesystem::path& folder,
                                                   const VolumeDescription& volume, Index chunk);

/// Writes an OME-Zarr image and its coarser levels, while slices come in any order and from any
/// thread, into FOLDER.part, which takes its final name in finish().
///
/// A layer is `chunk` slices of a level. Slices that come as a whole layer are compressed at once;
/// others wait, chunk after chunk, in a scratch file of their layer, until it is complete. A layer
/// is then "sealed": its chunks are compressed and written, two by two along y and x, and their
/// means go to the scratch of the layer above, which is sealed when it is complete in its turn. So
/// memory is a few chunks a thread, pyramidMemoryBytes(), whatever the volume.
///
/// flush() syncs chunks and scratch to disk, then the record of which layers are sealed and which
/// slices wait (PyramidProgress). A scratch file that the record relies on stays until a later
/// record has its layer sealed. So a process may be killed at any instant: the next one finds what
/// the record lists, and writes everything else again. Slices that are there already are left
/// unchanged. Because blosc has one fixed setting, the files are identical, byte for byte, to those
/// of an uninterrupted run.
///
/// Until all chunks are written nothing in the folder marks it as a pyramid; the last file,
/// .zattrs, completes it. An older pyramid of the same name is replaced as in SliceFolderSink.
/// Tests: tests/core/io/zarr_pyramid_test.cpp, tests/core/io/zarr_resume_test.cpp,
///        tests/core/io/killed_sink_test.cpp, tests/core/io/full_disk_test.cpp
class PyramidWriter {
  public:
    /// Fills `voxels` with some of row y of slice z, from x on, as they are stored; from any
    /// thread.
    using ReadRow = std::function<void(Index z, Index y, Index x, std::span<std::byte> voxels)>;

    /// @throws InputError  cannot be written, holds other files, cannot be resumed, or another
    ///                     process is writing it
    PyramidWriter(std::filesystem::path folder, const VolumeDescription& volume, Index chunk,
                  bool resume);

    /// Writes these slices. @throws ResourceError when the disk is full; Cancelled
    void write(IndexRange slices, const ReadRow& readRow, int threads,
               const std::stop_token& stop = {});
    /// These do the same as VolumeSink's. Other threads may write or flush meanwhile.
    void flush();
    void finish(int threads, const std::stop_token& stop);
    void discard() noexcept;

    [[nodiscard]] const std::vector<ZarrLevel>& levels() const { return m_levels; }

  private:
    /// Fills a chunk of a layer, zeros where there is no volume. at: its number along y, x
    using FillChunk =
        std::function<void(const std::array<Index, 2>& at, std::span<std::byte> chunk)>;

    void create();
    void reopen();
    void writeHeaders() const;
    void keep(Index level, IndexRange slices, const ReadRow& readRow, int threads);
    void seal(ChunkLayer which, const FillChunk& fill, int threads, const std::stop_token& stop);
    void sealFromScratch(ChunkLayer which, int threads, const std::stop_token& stop);
    void sealFour(ChunkLayer which, const std::array<Index, 2>& quad, const FillChunk& fill);
    void fillFromRows(IndexRange slices, const std::array<Index, 2>& at, const ReadRow& readRow,
                      std::span<std::byte> chunk) const;
    void syncLayer(ChunkLayer which) const;
    /// Identifies the pyramid that a record belongs to: that of another volume differs.
    [[nodiscard]] std::string identity() const;
    [[nodiscard]] const ZarrArray& array(Index level) const;
    [[nodiscard]] std::filesystem::path scratchFile(ChunkLayer which) const;
    [[nodiscard]] Index scratchOffset(Index level, const std::array<Index, 2>& at, Index z) const;

    std::filesystem::path m_folder;
    std::filesystem::path m_part;
    Index m_chunk;
    std::vector<ZarrLevel> m_levels;  ///< in m_part
    std::string m_attributes;         ///< .zattrs
    File m_lock;                      ///< the unfinished folder, claimed
    PyramidProgress m_progress;
    std::mutex m_flushMutex;  ///< one record after the other
};

/// Memory of write() and finish(), beside the callers' slices.
[[nodiscard]] Index pyramidMemoryBytes(PixelType type, Index chunk, int threads);

/// Max disk space of a pyramid beside the voxels of its finest level, if nothing could be
/// compressed: the coarser levels, and a block of the disk for every file and folder.
[[nodiscard]] Index pyramidExtraBytes(const VolumeGrid& grid, PixelType type, Index chunk);
/// The space of its scratch, if slices come in order or from both ends: two layers of each level.
[[nodiscard]] Index pyramidScratchBytes(const VolumeGrid& grid, PixelType type, Index chunk);

}  // namespace gantry
