#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/base/host_buffer.h"
#include "core/base/types.h"
#include "core/io/pixel_type.h"
#include "core/io/zarr/zarr_array.h"

namespace gantry {

// How Gantry's own chunks are compressed. All settings are fixed, so that blosc gives the same
// bytes for the same voxels.
inline constexpr const char* kBloscCodec = "zstd";
inline constexpr int kBloscLevel = 1;
inline constexpr int kBloscShuffle = 1;  ///< bytes, not bits

/// Reads one chunk. at: its number along z, y, x; it is one of the array's
/// voxels: [z][y][x], array.chunkBytes(), in host byte order; those beyond the array's end have any
/// value, those of a missing chunk the array's fill
/// @throws InputError naming the chunk's file when it is damaged, or of another size
/// Tests: tests/core/io/zarr_read_test.cpp, tests/core/io/zarr_hostile_test.cpp
void readZarrChunk(const ZarrArray& array, const std::array<Index, 3>& at,
                   std::span<std::byte> voxels);

/// Compresses voxels of `voxelBytes` bytes each. room: grows as needed @returns a part of room
[[nodiscard]] std::span<const std::byte> compressZarrChunk(std::span<const std::byte> voxels,
                                                           Index voxelBytes,
                                                           HostBuffer<std::byte>& room);

/// Whether a voxel of that type can have the value.
[[nodiscard]] bool isStorable(PixelType type, double value);

/// Makes an eighth of a coarser chunk: means of the finite voxels in blocks of 2×2×2 (NaN if there
/// are none), integers rounded to the nearest, halves up. Blocks at the far ends may be cut: the
/// mean is that of the rest.
///
/// side: voxels along each axis of a chunk; even
/// extent: how much of the chunk is volume, along z, y, x
/// chunk: [side][side][side] of that type
/// coarse: [side/2][side][side]
/// quarter: which of its quarters along y, x is made, each 0 or 1
/// Tests: tests/core/io/zarr_pyramid_test.cpp
void halveChunk(PixelType type, Index side, const std::array<Index, 3>& extent,
                std::span<const std::byte> chunk, std::span<std::byte> coarse,
                const std::array<Index, 2>& quarter);

}  // namespace gantry
