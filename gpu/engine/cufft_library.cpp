#include "gpu/engine/cufft_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/throw_error.h"
#include "gpu/device/cuda_check.h"

namespace gantry {

namespace {

// A toolkit may lie in a folder that the linker does not search.
constexpr const char* kFolders[] = {"", "/usr/local/cuda/lib64/"};
// The version of this build's CUDA comes first, then 13, 12 and 11; the functions used are the same
// in all.
constexpr int kVersions[] = {CUDART_VERSION / 1000 - 1, 12, 11, 10};

constexpr Index kLibraryBytes = Index{64} << 20;  // its own code and data

constexpr const char* kFilterOnCpu = "Use --filter-on cpu.";

void* openAny() {
    std::string reason;
    for (const char* folder : kFolders) {
        for (const int version : kVersions) {
            const std::string name = fmt::format("{}libcufft.so.{}", folder, version);
            // cuFFT registers its kernels with the CUDA runtime and must not be unloaded before the
            // runtime.
            if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
                return handle;
            if (const char* error = dlerror(); error && reason.empty()) reason = error;
        }
    }
    throw ResourceError(
        fmt::format("cuFFT cannot be loaded ({}). Install NVIDIA's cuFFT of CUDA 11 or newer, or "
                    "filter on the CPU.",
                    reason),
        {.advice = kFilterOnCpu});
}

// Checks a result of cuFFT as check() does: `doing` completes "cuFFT failed while ...".
void checkCufft(cufftResult result, const char* doing) {
    if (result == CUFFT_SUCCESS) return;
    // A lost device or a fault of earlier work is not cuFFT's; CUDA names it.
    check(cudaDeviceSynchronize(), doing);
    const int code = static_cast<int>(result);
    if (result == CUFFT_ALLOC_FAILED)
        throw ResourceError(
            fmt::format("The GPU's memory ran out for cuFFT while {}. Close other programs that "
                        "use the GPU, or filter on the CPU.",
                        doing),
            {.code = ErrorCode::deviceMemory,
             .advice = "Lower --device-memory or --batch, or use --filter-on cpu."});
    if (result == CUFFT_SETUP_FAILED || result == CUFFT_INTERNAL_ERROR)
        throw ResourceError(
            fmt::format("cuFFT does not work with this machine's driver (result {} while {}). "
                        "Update the driver, or filter on the CPU.",
                        code, doing),
            {.advice = kFilterOnCpu});
    throwError<InternalError>("cuFFT reports result {} while {}.", code, doing);
}

}  // namespace

void CufftLibrary::Closer::operator()(void* handle) const noexcept {
    dlclose(handle);
}

template <class Function>
void CufftLibrary::find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(m_handle.get(), name));
    if (!function)
        throw ResourceError(
            fmt::format("The installed cuFFT lacks {}. Install that of CUDA 11 or newer, or filter "
                        "on the CPU.",
                        name),
            {.advice = kFilterOnCpu});
}

CufftLibrary::CufftLibrary() : m_handle(openAny()) {
    find(create, "cufftCreate");
    find(destroy, "cufftDestroy");
    find(setAutoAllocation, "cufftSetAutoAllocation");
    find(makePlanMany, "cufftMakePlanMany");
    find(setWorkArea, "cufftSetWorkArea");
    find(setStream, "cufftSetStream");
    find(execC2C, "cufftExecC2C");
    find(execR2C, "cufftExecR2C");
    find(execC2R, "cufftExecC2R");
}

FftPlan::FftPlan(const CufftLibrary& library, std::vector<int> sizes, cufftType type, Index batch)
    : m_library(library) {
    checkCufft(m_library.create(&m_plan), "making a plan");
    try {
        checkCufft(m_library.setAutoAllocation(m_plan, 0), "making a plan");
        std::size_t workBytes = 0;
        checkCufft(
            m_library.makePlanMany(m_plan, static_cast<int>(sizes.size()), sizes.data(), nullptr, 1,
                                   0, nullptr, 1, 0, type, static_cast<int>(batch), &workBytes),
            "planning transforms");
        m_workBytes = static_cast<Index>(workBytes);
    } catch (...) {
        (void)m_library.destroy(m_plan);
        forgetError();
        throw;
    }
}

FftPlan::~FftPlan() {
    (void)m_library.destroy(m_plan);
    forgetError();
}

void FftPlan::setWork(std::byte* work) {
    checkCufft(m_library.setWorkArea(m_plan, work), "making a plan");
}

RowTransforms::RowTransforms(Index length, Index rows)
    : m_plan(m_library, {static_cast<int>(length)}, CUFFT_C2C, rows), m_work(m_plan.workBytes()) {
    m_plan.setWork(m_work.data());
}

Index RowTransforms::bytesNeeded(Index length, Index rows) {
    return length * rows * static_cast<Index>(sizeof(float2)) + kLibraryBytes;
}

void RowTransforms::run(float2* rows, int direction, cudaStream_t stream) {
    checkCufft(m_library.setStream(m_plan.get(), stream), "choosing a stream");
    checkCufft(m_library.execC2C(m_plan.get(), rows, rows, direction),
               "transforming detector rows");
}

ImageTransforms::ImageTransforms(Index rows, Index columns, Index images)
    : m_forward(m_library, {static_cast<int>(rows), static_cast<int>(columns)}, CUFFT_R2C, images),
      m_inverse(m_library, {static_cast<int>(rows), static_cast<int>(columns)}, CUFFT_C2R, images),
      m_work(std::max(m_forward.workBytes(), m_inverse.workBytes())) {
    m_forward.setWork(m_work.data());
    m_inverse.setWork(m_work.data());
}

void ImageTransforms::forward(float* images, float2* spectra, cudaStream_t stream) {
    checkCufft(m_library.setStream(m_forward.get(), stream), "choosing a stream");
    checkCufft(m_library.execR2C(m_forward.get(), images, spectra), "transforming views");
}

void ImageTransforms::inverse(float2* spectra, float* images, cudaStream_t stream) {
    checkCufft(m_library.setStream(m_inverse.get(), stream), "choosing a stream");
    checkCufft(m_library.execC2R(m_inverse.get(), spectra, images), "transforming views");
}

Index ImageTransforms::bytesNeeded(Index rows, Index columns, Index images) {
    // Transforms of two dimensions keep up to two copies of the spectra.
    return 2 * rows * (columns / 2 + 1) * images * static_cast<Index>(sizeof(float2)) +
           kLibraryBytes;
}

}  // namespace gantry
