#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/base/types.h"
#include "core/io/pixel_type.h"

namespace gantry {

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
