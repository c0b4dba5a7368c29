#pragma once

#include <functional>
#include <stop_token>

#include "core/backproject/columns_layout.h"
#include "core/backproject/simd_kernels.h"
#include "core/base/host_buffer.h"

namespace gantry {

// Shared by back-projectors whose slabs have columns along z.

/// Makes room for that many floats. A buffer that is too small is freed first, and its content
/// lost.
void makeRoom(HostBuffer<float>& buffer, Index count);

void fillWithZeros(float* values, Index count, int threads);

/// Distributes the bricks of a slab's columns to threads. @throws Cancelled
void forEachBrick(const SlabLayout& slab, int threads,
                  const std::function<void(const ColumnsBrick&)>& add, const std::stop_token& stop);

}  // namespace gantry
