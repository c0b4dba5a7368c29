#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <vector>

#include "core/engine/view_steps.h"
#include "gpu/kernels/steps/view_filters.h"

namespace gantry {

/// The form for GPUs of a step of single views (core/prep/steps/correction_step.h), with the CPU's
/// results, on the device that was current when it was made. One thread uses it.
/// Tests: tests/gpu/engine/gpu_view_steps_test.cpp
class GpuCorrection {
  public:
    virtual ~GpuCorrection() = default;

    /// Enqueues it. from: [s][v][u] of whole blocks of rows; other: memory of the same size
    /// counters: pixels that are replaced are added there
    /// @returns which of both has the result
    virtual float* apply(const gpu::ViewBlock& block, float* from, float* other,
                         const gpu::ViewCounters& counters, cudaStream_t stream) = 0;
};

/// The forms of all steps of single views that the job has, in their order.
/// maxViews: of a block. @throws ResourceError
[[nodiscard]] std::vector<std::unique_ptr<GpuCorrection>> gpuCorrections(const ViewStepsJob& job,
                                                                         Index maxViews);

/// Device memory that they take, bytes; nothing: a step, of single or of all views, has no such
/// form.
[[nodiscard]] std::optional<Index> gpuCorrectionBytes(const ViewStepsJob& job, Index maxViews);

}  // namespace gantry
