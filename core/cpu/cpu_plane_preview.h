#pragma once

#include <memory>

#include "core/engine/plane_preview.h"

namespace gantry {

/// In double on the CPU: where there is no GPU, and what others are compared with.
/// Tests: tests/core/cpu/cpu_plane_preview_test.cpp
[[nodiscard]] std::unique_ptr<PlanePreview> makeCpuPlanePreview(int threads);

}  // namespace gantry
