#pragma once

#include <cuda_runtime_api.h>
#include <cufft.h>

#include <cstddef>
#include <memory>
#include <vector>

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
    decltype(&cufftExecR2C) execR2C = nullptr;
    decltype(&cufftExecC2R) execC2R = nullptr;

  private:
    struct Closer {
        void operator()(void* handle) const noexcept;
    };
    template <class Function>
    void find(Function& function, const char* name);

    std::unique_ptr<void, Closer> m_handle;
};

/// One plan of cuFFT, without memory for its work.
class FftPlan {
  public:
    /// sizes: the slowest dimension first; type: CUFFT_C2C, CUFFT_R2C or CUFFT_C2R of arrays
    /// without gaps. @throws ResourceError if memory or cuFFT is lacking, or cuFFT does not work
    /// with this driver
    FftPlan(const CufftLibrary& library, std::vector<int> sizes, cufftType type, Index batch);
    ~FftPlan();
    FftPlan(const FftPlan&) = delete;
    FftPlan& operator=(const FftPlan&) = delete;

    [[nodiscard]] cufftHandle get() const { return m_plan; }
    [[nodiscard]] Index workBytes() const { return m_workBytes; }
    /// work: workBytes() on the device, which outlive its use
    void setWork(std::byte* work);

  private:
    const CufftLibrary& m_library;
    cufftHandle m_plan = 0;
    Index m_workBytes = 0;
};

/// Fourier transforms of complex rows in place, a fixed number of rows at a time, on the device
/// that was current at construction. Not thread-safe.
class RowTransforms {
  public:
    /// @throws ResourceError if memory or cuFFT is lacking, or cuFFT does not work with this driver
    RowTransforms(Index length, Index rows);

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
    FftPlan m_plan;
    DeviceBuffer<std::byte> m_work;
};

/// Fourier transforms of real images, a fixed number at a time, on the device that was current at
/// construction. Not thread-safe.
class ImageTransforms {
  public:
    /// @throws as RowTransforms does
    ImageTransforms(Index rows, Index columns, Index images);

    /// images: [image][row][column]; spectra: [image][row][columns/2 + 1]
    void forward(float* images, float2* spectra, cudaStream_t stream);
    /// Does not divide by the number of points, and overwrites the spectra.
    void inverse(float2* spectra, float* images, cudaStream_t stream);

    /// An upper bound of the device memory, in bytes, that the transforms take besides both arrays.
    [[nodiscard]] static Index bytesNeeded(Index rows, Index columns, Index images);

  private:
    CufftLibrary m_library;
    FftPlan m_forward;
    FftPlan m_inverse;
    DeviceBuffer<std::byte> m_work;  ///< of both, as only one of them runs at a time
};

}  // namespace gantry
