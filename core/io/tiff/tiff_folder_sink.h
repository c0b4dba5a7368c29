#pragma once

#include <filesystem>
#include <mutex>
#include <vector>

#include "core/base/file.h"
#include "core/geometry/volume_grid.h"
#include "core/io/volume/volume_sink.h"
#include "core/io/volume/voxel_encoding.h"
#include "core/io/volume/written_slices.h"

namespace gantry {

/// Writes a volume as a folder of TIFF files slice_0000.tif, slice_0001.tif, ... (at least four
/// digits), one file a slice. Each has the VolumeDescription as ImageDescription and the pitch as
/// resolution. Slices come in any order from any thread.
/// An older folder of the same name is replaced in finish(), if it contains only slices: for an
/// instant it is named "<folder>.part.old", and a run killed then can be resumed.
/// Tests: tests/core/io/tiff_sink_test.cpp
class TiffFolderSink : public VolumeSink {
  public:
    /// @throws InputError  cannot be written, holds other files, cannot be resumed, or another
    ///                     process is writing it
    TiffFolderSink(std::filesystem::path folder, const VolumeGrid& grid,
                   const VoxelEncoding& encoding, SinkStart start);

    void flush() override;
    void discard() noexcept override;

  private:
    void put(Index zBegin, Span3<const float> voxels, int threads) override;
    void complete(int threads, const std::stop_token& stop) override;
    [[nodiscard]] std::filesystem::path sliceFile(Index z) const;
    void create();
    void reopen(SinkStart start);
    void writeSlice(Index z, std::span<const std::byte> pixels);

    std::filesystem::path m_folder;
    std::filesystem::path m_part;
    VolumeGrid m_grid;
    VoxelEncoding m_encoding;
    std::string m_description;
    File m_lock;  // the unfinished folder, claimed
    WrittenSlices m_written;
    std::mutex m_mutex;
    std::vector<Index> m_unsynced;  // slices since the last flush
};

/// Whether all entries of a folder are slices as this sink names them. @throws InputError when it
/// cannot be read
[[nodiscard]] bool holdsOnlySlices(const std::filesystem::path& folder);

}  // namespace gantry
