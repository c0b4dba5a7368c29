#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "core/prep/rings.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/engine/gpu_corrections.h"
#include "gpu/kernels/steps/wavelets.h"

namespace gantry {

/// Removes rings from some detector rows of all views at a time, on the device that was current
/// when it was made, with RingRemover's results. Not thread-safe.
/// Tests: tests/gpu/engine/gpu_view_steps_test.cpp
class GpuRings final : public GpuAllViewsCorrection {
  public:
    /// rows: max at a time. @throws ResourceError
    GpuRings(const RingSpec& spec, Index views, Index columns, Index rows);

    void apply(const gpu::Sinograms& sinograms, cudaStream_t stream) override;

    /// Whether it can be done for that many views; sorting holds them in a processor's own memory.
    [[nodiscard]] static bool takes(const RingSpec& spec, Index views);
    /// Device memory that it takes for each row, bytes.
    [[nodiscard]] static Index bytesOfRow(const RingSpec& spec, Index views, Index columns);

  private:
    // A scale of the wavelets, with what its slow part is made with.
    struct Scale {
        DeviceBuffer<float> smooth;
        DeviceBuffer<float> stripes;
        DeviceBuffer<float2> circle;
        DeviceBuffer<float> gains;
        Index views;
        Index columns;
        int count;  ///< of gains

        [[nodiscard]] gpu::WaveletScale of(int rows) const;
    };

    void makeScales(Index views, Index columns, Index rows);
    void removeByWavelets(const gpu::Sinograms& sinograms, cudaStream_t stream);

    RingSpec m_spec;
    DeviceBuffer<std::uint32_t> m_sorted;
    DeviceBuffer<std::uint16_t> m_order;
    DeviceBuffer<double> m_mean;
    gpu::WaveletTaps m_taps{};
    std::vector<Scale> m_scales;
    DeviceBuffer<float> m_lines;
    DeviceBuffer<float2> m_sums;
};

}  // namespace gantry
