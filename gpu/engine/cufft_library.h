#pragma once

#include <cuda_runtime_api.h>
#include <cufft.h>

#include <cstddef>
#include <memory>

#include "core/base/types.h"
#include "gpu/device/device_buffer.h"

namespace gantry {

/// NVIDIA's cuFFT, loaded when it is needed, so that the program starts on machines without it.
/// Tests: tests/gpu/engine/gpu_filter_test.cpp
class CufftLibrary {
  public:
    /// @throws ResourceError when no known version can be loaded
    CufftLibrary();

    // These are declared in cufft.h.
    decltype(&cufftCreate) create = nullptr;
    decltype(&cufftDestroy) destroy = nullptr;
    decltype(&cufftSetAutoAllocation) setAutoAllocation = nullptr;
    decltype(&cufftMakePlanMany) makePlanMany = nullptr;
    decltype(&cufftSetWorkArea) setWorkArea = nullptr;
    decltype(&cufftSetStream) setStream = nullptr;
    decltype(&cufftExecC2C) execC2C = nullptr;

  private:
    struct Closer {
        void operator()(void* handle) const noexcept;
    };
    template <class Function>
    void find(Function& function, const char* name);

    std::unique_ptr<void, Closer> m_handle;
};

/// Transforms complex rows in place, a fixed number at a time, on the device that was current when
/// it was made. Not thread-safe.
class RowTransforms {
  public:
    /// @throws ResourceError no memory, no cuFFT, or one that does not work with this driver
    RowTransforms(Index length, Index rows);
    ~RowTransforms();
    RowTransforms(const RowTransforms&) = delete;
    RowTransforms& operator=(const RowTransforms&) = delete;

    /// e^{−2πi…}; rows: [row][length]
    void forward(float2* rows, cudaStream_t stream) { run(rows, CUFFT_FORWARD, stream); }
    /// e^{+2πi…}, not divided by the length.
    void inverse(float2* rows, cudaStream_t stream) { run(rows, CUFFT_INVERSE, stream); }

    /// Device memory that transforms take besides the rows, bytes. Lengths without prime factors
    /// above 5 take no more than the rows themselves and what the library loads.
    [[nodiscard]] static Index bytesNeeded(Index length, Index rows);

  private:
    void run(float2* rows, int direction, cudaStream_t stream);

    CufftLibrary m_library;
    cufftHandle m_plan = 0;
    DeviceBuffer<std::byte> m_work;
};

}  // namespace gantry
