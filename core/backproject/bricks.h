#pragma once

#include <functional>
#include <stop_token>

#include "core/backproject/columns_layout.h"
#include "core/backproject/simd_kernels.h"
#include "core/base/host_buffer.h"

namespace gantry {

// What back-projectors whose slabs have columns along z share.

/// Room for that many floats; the old ones are freed before. What was there may be lost.
void makeRoom(HostBuffer<float>& buffer, Index count);

void fillWithZeros(float* values, Index count, int threads);

/// Hands every brick of a slab's columns to one of the threads. @throws Cancelled
void forEachBrick(const SlabLayout& slab, int threads,
                  const std::function<void(const ColumnsBrick&)>& add, const std::stop_token& stop);

}  // namespace gantry
