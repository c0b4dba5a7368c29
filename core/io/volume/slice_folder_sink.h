#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/geometry/volume_grid.h"
#include "core/io/volume/volume_sink.h"
#include "core/io/volume/voxel_encoding.h"
#include "core/io/volume/written_slices.h"

namespace gantry {

/// How a slice becomes a file.
struct SliceFiles {
    std::string_view ending;  ///< ".tif"
    /// Writes slice z; pixels: as encoded. identity: see below
    std::function<void(const std::filesystem::path& file, Index z,
                       std::span<const std::byte> pixels, const std::string& identity)>
        write;
    /// Whether a file that an interrupted run left belongs to this volume. @throws InputError if it
    /// is cut off
    std::function<bool(const std::filesystem::path& file)> belongs;
    /// What all slices of one volume share and no other volume has, made anew for each: an
    /// unfinished folder keeps it. Empty: there is no such thing.
    std::function<std::string()> makeIdentity = {};
};

/// Writes a volume as a folder of files slice_0000.tif, slice_0001.tif, ... (at least four digits),
/// one file a slice. Slices come in any order from any thread.
/// An older folder of the same name is replaced in finish(), if it contains only slices: for an
/// instant it is named "<folder>.part.old", and a run killed then can be resumed.
/// Tests: tests/core/io/tiff_sink_test.cpp
class SliceFolderSink : public VolumeSink {
  public:
    /// @throws InputError  cannot be written, holds other files, cannot be resumed, or another
    ///                     process is writing it
    SliceFolderSink(std::filesystem::path folder, const VolumeGrid& grid,
                    const VoxelEncoding& encoding, SliceFiles files, SinkStart start);

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
    SliceFiles m_files;
    std::string m_identity;
    File m_lock;  // the unfinished folder, claimed
    WrittenSlices m_written;
    std::mutex m_mutex;
    std::vector<Index> m_unsynced;  // slices since the last flush
};

/// @throws InputError if something else than a folder of such slices has that name, which a volume
/// of that ending would replace
void checkSliceFolder(const std::filesystem::path& place, std::string_view ending);

}  // namespace gantry
