#pragma once

#include <mutex>
#include <string>

#include "core/base/host_buffer.h"
#include "core/io/projection_source.h"
#include "core/io/zarr/zarr_array.h"

namespace gantry {

/// The slices of a Zarr array. Because chunks are thick, as many slices are read at a time as a
/// fixed share of memory holds, at most a layer of chunks, and the following slices come from
/// there. Several threads may read; they take turns.
/// Tests: tests/core/io/zarr_read_test.cpp
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

/// A box of voxels: along z, y, x.
using ZarrBox = std::array<IndexRange, 3>;

/// Reads a box of an array, with up to that many threads; only chunks that it meets are read.
/// voxels: [z][y][x] of the array's type, host byte order
/// @throws InputError as readZarrChunk()
void readZarrBox(const ZarrArray& array, const ZarrBox& box, std::span<std::byte> voxels,
                 int threads);

}  // namespace gantry
