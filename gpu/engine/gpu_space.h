#pragma once

#include <memory>

#include "core/iterate/method.h"
#include "core/iterate/subsets.h"
#include "core/project/projection_space.h"
#include "core/project/projector.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// A method's vectors, its views and the projector in the memory of one GPU. hasCounts: setViews()
/// gets counts; tiled: as of DeviceRays
/// @throws ResourceError
/// Tests: tests/gpu/engine/gpu_space_test.cpp
[[nodiscard]] std::unique_ptr<ProjectionSpace> makeGpuSpace(const DeviceInfo& device,
                                                            const ProjectedViews& views,
                                                            const VolumeGrid& grid,
                                                            const Subsets& subsets, bool hasCounts,
                                                            bool tiled = true);

/// Device memory that such a space and the method's vectors take at their peak, bytes.
[[nodiscard]] Index gpuSpaceBytes(const SpaceShape& shape, const IterativeMethod& method);

}  // namespace gantry
