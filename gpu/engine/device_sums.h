#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/kernels/iterate/sums.h"

namespace gantry {

/// Sums that kernels leave in pieces on a device, which is current. Not thread-safe.
/// Tests: tests/gpu/engine/gpu_space_test.cpp
class DeviceSums {
  public:
    explicit DeviceSums(cudaStream_t stream)
        : m_stream(stream), m_onDevice(kDoubles), m_onHost(kDoubles) {}

    /// launch(pieces): enqueues the kernel. Waits for it. @returns the sums, added in order
    template <std::size_t kSums, class Launch>
    [[nodiscard]] std::array<double, kSums> of(const Launch& launch) {
        take(launch, kSums);
        std::array<double, kSums> sums{};
        for (std::size_t i = 0; i < gpu::kSumBlocks * kSums; ++i)
            sums[i % kSums] += m_onHost.data()[i];
        return sums;
    }

    /// The largest of values that are 0 or more. Waits for it.
    [[nodiscard]] double largest(const float* values, Index count) {
        take([&](double* out) { return gpu::findLargest(values, count, out, m_stream); }, 1);
        return *std::max_element(m_onHost.data(), m_onHost.data() + gpu::kSumBlocks);
    }

  private:
    static constexpr Index kDoubles = Index{gpu::kSumBlocks} * gpu::kMaxSums;

    template <class Launch>
    void take(const Launch& launch, std::size_t sums) {
        check(launch(m_onDevice.data()), "summing");
        check(cudaMemcpyAsync(m_onHost.data(), m_onDevice.data(),
                              gpu::kSumBlocks * sums * sizeof(double), cudaMemcpyDeviceToHost,
                              m_stream),
              "summing");
        check(cudaStreamSynchronize(m_stream), "summing");
    }

    cudaStream_t m_stream;
    DeviceBuffer<double> m_onDevice;
    PinnedBuffer<double> m_onHost;
};

}  // namespace gantry
