#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/bench/cone_problems.h"
#include "app/bench/kernel_bench.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// The figures of one kernel on one problem.
struct GpuKernelFigures {
    std::string kernel;
    bool isExact = true;      ///< interpolates in fp32 throughout
    std::string whyNot;       ///< why it was not run; then the rest is 0
    double gups = 0;          ///< of the kernel only: median of the rounds
    double repackShare = 0;   ///< time to repack the views / time of the kernel
    Index views = 0;          ///< views of the circle added in a round
    double uniformError = 0;  ///< relative RMSE against the reference, uniform [0,1) data
    double noiseError = 0;    ///< the same for zero-mean noise
};

struct GpuBenchRequest {
    DeviceInfo device;
    std::vector<ConeProblem> problems;
    std::vector<std::string> kernels;
    Index views = 0;  ///< max in a round; 0: as many as there is time for
};

/// Names of all kernels for cones; none in a build without the GPU engine.
[[nodiscard]] std::vector<std::string> coneKernelNames();
/// Names of the shapes of kernels that have several, each measured only if it is named.
[[nodiscard]] std::vector<std::string> coneKernelShapeNames();

/// Names of the kernels for parallel beams.
[[nodiscard]] std::vector<std::string> parallelBenchKernelNames();

/// Measures every kernel on every problem, with all data on the device: batches of 32 views spread
/// over the circle, all with the same random pixels but their own matrices. Errors are those of 32
/// views in total, on some 60 000 voxels of each problem. context: secondsEach of a measurement,
/// about onProblem: called with each problem when it is done
/// @throws ResourceError, Cancelled; InputError in a build without the GPU engine
/// Tests: tests/cli/test_devices.py
void benchConeKernels(
    const GpuBenchRequest& request, const BenchContext& context,
    const std::function<void(const ConeProblem&, const std::vector<GpuKernelFigures>&)>& onProblem);

}  // namespace gantry
