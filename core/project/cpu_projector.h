#pragma once

#include <memory>

#include "core/backproject/cpu_kernels.h"
#include "core/project/projector.h"

namespace gantry {

/// Joseph's projector and its adjoint in single precision on the CPU. Where the rows of a view's
/// detector lie along the rotation axis, a detector column and the voxel columns that its rays pass
/// are walked in SIMD lanes along z; views of other positions are walked ray by ray.
/// Without a level it uses the best one of this machine.
/// Tests: tests/core/project/adjoint_test.cpp, tests/core/project/joseph_test.cpp
/// @throws InternalError  the machine does not support the level
[[nodiscard]] std::unique_ptr<Projector> makeCpuProjector(
    ProjectedViews views, int threads, SimdLevel level = supportedSimdLevels().back());

}  // namespace gantry
