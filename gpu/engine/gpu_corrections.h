#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "core/engine/view_steps.h"
#include "gpu/kernels/steps/rings.h"
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

/// The same of a step that sees all views: it takes some rows at a time.
class GpuAllViewsCorrection {
  public:
    virtual ~GpuAllViewsCorrection() = default;

    /// Enqueues it; one call's work at a time.
    virtual void apply(const gpu::Sinograms& sinograms, cudaStream_t stream) = 0;
};

/// Whether all steps of the job have such a form.
[[nodiscard]] bool haveGpuForms(const ViewStepsJob& job);

/// The forms of all steps of single views that the job has, in their order.
/// maxViews: of a block. @throws ResourceError
[[nodiscard]] std::vector<std::unique_ptr<GpuCorrection>> gpuCorrections(const ViewStepsJob& job,
                                                                         Index maxViews);
/// Device memory that they take, bytes.
[[nodiscard]] Index gpuCorrectionBytes(const ViewStepsJob& job, Index maxViews);

/// The same of all steps that see all views. maxRows: at a time
[[nodiscard]] std::vector<std::unique_ptr<GpuAllViewsCorrection>> gpuAllViewsCorrections(
    const ViewStepsJob& job, Index maxRows);
/// Device memory that they take for each row, bytes.
[[nodiscard]] Index gpuAllViewsBytesOfRow(const ViewStepsJob& job);

}  // namespace gantry
