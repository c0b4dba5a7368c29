#pragma once

#include <memory>

#include "core/backproject/cpu_columns.h"
#include "core/engine/plane_preview.h"

namespace gantry {

/// Renders on the CPU, with the best instruction set of this machine or the given one. @throws
/// InternalError  the machine does not support the level Tests:
/// tests/core/cpu/cpu_plane_preview_test.cpp
[[nodiscard]] std::unique_ptr<PlanePreview> makeCpuPlanePreview(int threads);
[[nodiscard]] std::unique_ptr<PlanePreview> makeCpuPlanePreview(int threads, SimdLevel level);
/// Renders in double; tests compare the others with it.
[[nodiscard]] std::unique_ptr<PlanePreview> makeReferencePlanePreview(int threads);

}  // namespace gantry
