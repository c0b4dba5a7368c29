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

    // The library's functions, with the types that cufft.h declares.
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

/// Fourier transforms of complex rows in place, a fixed number of rows at a time, on the device
/// that was current at construction. Not thread-safe.
class RowTransforms {
  public:
    /// @throws ResourceError if memory or cuFFT is lacking, or cuFFT does not work with this driver
    RowTransforms(Index length, Index rows);
    ~RowTransforms();
    RowTransforms(const RowTransforms&) = delete;
    RowTransforms& operator=(const RowTransforms&) = delete;

    /// Transforms with the exponent −2πi·jk/length. rows: [row][length]
    void forward(float2* rows, cudaStream_t stream) { run(rows, CUFFT_FORWARD, stream); }
    /// Transforms with the exponent +2πi·jk/length and does not divide by the length.
    void inverse(float2* rows, cudaStream_t stream) { run(rows, CUFFT_INVERSE, stream); }

    /// An upper bound of the device memory, in bytes, that the transforms take besides the rows:
    /// for work, as much as the rows, if the length has no prime factor above 5; and for the
    /// library's own code and data.
    [[nodiscard]] static Index bytesNeeded(Index length, Index rows);

  private:
    void run(float2* rows, int direction, cudaStream_t stream);

    CufftLibrary m_library;
    cufftHandle m_plan = 0;
    DeviceBuffer<std::byte> m_work;
};

}  // namespace gantry
