#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/base/file.h"
#include "core/base/file_memory.h"
#include "core/geometry/volume_grid.h"
#include "core/io/volume/volume_sink.h"
#include "core/io/volume/voxel_encoding.h"
#include "core/io/volume/written_slices.h"

namespace gantry {

/// A file whose voxels lie in one piece, [z][y][x], between texts that are known beforehand.
struct FlatLayout {
    std::filesystem::path path;  ///< the final name
    std::string before;          ///< the bytes in front of the voxels
    std::string after;           ///< and behind them
    /// Bytes between the voxels and `after` that are made of each slice alone, its smaller images;
    /// 0: none.
    Index madeBytes = 0;
    /// Makes those of a slice, [y][x] in 1/mm: calls `write` with bytes and their place from the
    /// voxels' end. Any thread.
    using WriteMade = std::function<void(Index offset, std::span<const std::byte> bytes)>;
    std::function<void(Index z, std::span<const float> slice, const WriteMade& write)> make = {};
    /// A small text file that goes with it (.mhd, .json); an empty path: none.
    std::filesystem::path companionPath = {};
    std::string companionText = {};
    /// What earlier versions wrote, where it is another one: a file that was begun so is resumed
    /// so. Null: none.
    std::shared_ptr<const FlatLayout> former = nullptr;
};

/// Writes a volume as MetaImage, raw or BigTIFF, which are all flat files. Slices come in any order
/// from any thread, and a resumed file is identical, byte for byte, to an uninterrupted one. A file
/// in memory gets its memory beforehand.
/// Tests: tests/core/io/open_sink_test.cpp, tests/core/io/full_disk_test.cpp
class FlatSink : public VolumeSink {
  public:
    /// @throws InputError  cannot be written; another process is writing it; to resume: missing or
    ///                     of another volume
    /// @throws ResourceError  the disk is full
    FlatSink(FlatLayout layout, const VolumeGrid& grid, const VoxelEncoding& encoding,
             SinkStart start);

    void expect(std::span<const IndexRange> slices) override;
    void flush() override;
    void discard() noexcept override;

    /// @throws InternalError when a slice has not been written
    void requireComplete() const { m_written.requireAll(); }
    /// Reads voxels back from the unfinished file, from `firstVoxel` on, counted as [z][y][x]:
    /// attenuation. float32 files only; safe from any thread.
    void read(Index firstVoxel, std::span<float> voxels) const;

  private:
    void put(Index zBegin, Span3<const float> voxels, int threads) override;
    /// Removes an older companion, gives the data their final name, then the companion: data never
    /// lie beside a companion of other data.
    void complete(int threads, const std::stop_token& stop) override;
    void create();
    void reopen(SinkStart start);
    [[nodiscard]] bool holdsTexts() const;
    void makeOf(Index zBegin, Span3<const float> voxels, int threads);
    [[nodiscard]] Index offsetOf(Index zBegin) const;
    [[nodiscard]] Index afterBegin() const;

    FlatLayout m_layout;
    VolumeGrid m_grid;
    VoxelEncoding m_encoding;
    std::filesystem::path m_part;
    std::filesystem::path m_companionPart;
    File m_file;
    WrittenSlices m_written;
    std::optional<FileMemory> m_memory;
};

/// "<path>.part", the name of an incomplete output.
[[nodiscard]] std::filesystem::path partName(const std::filesystem::path& path);

/// Claims an incomplete output until `part` closes.
/// @throws InputError "<path>: another process is writing this volume"
void claim(File& part, const std::filesystem::path& path);

}  // namespace gantry
