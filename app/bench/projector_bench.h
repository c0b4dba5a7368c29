#pragma once

#include <string>
#include <vector>

#include "app/bench/kernel_bench.h"
#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// A volume to be projected into views, and back.
struct ProjectorProblem {
    std::string title;  ///< "1024 × 768, 360 views, 512³"
    ScanGeometry geometry;
    VolumeGrid grid;

    /// Pixels · views · voxels along the longest axis: samples of Joseph's method.
    [[nodiscard]] double samples() const;
    /// Voxels · views.
    [[nodiscard]] double updates() const;
};

/// Problems with which other programs' projectors were measured, and 256³; quick: small ones.
[[nodiscard]] std::vector<ProjectorProblem> projectorProblems(bool onGpu, bool quick);

struct ProjectorFigures {
    double forwardSeconds = 0;  ///< of all views: the median of the rounds
    double adjointSeconds = 0;
};

/// Measures the CPU's projector, volume and views in host memory. @throws Cancelled, ResourceError
[[nodiscard]] ProjectorFigures benchCpuProjector(const ProjectorProblem& problem, int threads,
                                                 const BenchContext& context);
/// Measures a GPU's, volume and views in the device's memory.
/// @throws Cancelled, ResourceError; InputError in a build without the GPU engine
/// Tests: tests/cli/test_devices.py
[[nodiscard]] ProjectorFigures benchGpuProjector(int device, const ProjectorProblem& problem,
                                                 const BenchContext& context);

}  // namespace gantry
