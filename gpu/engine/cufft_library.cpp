#include "gpu/engine/cufft_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "core/base/throw_error.h"
#include "gpu/device/cuda_check.h"

namespace gantry {

namespace {

// A toolkit may lie in a folder that the linker does not search.
constexpr const char* kFolders[] = {"", "/usr/local/cuda/lib64/"};
// The version of this build's CUDA comes first, then 13, 12 and 11; the functions used are the same
// in all.
constexpr int kVersions[] = {CUDART_VERSION / 1000 - 1, 12, 11, 10};

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
}

RowTransforms::RowTransforms(Index length, Index rows) {
    checkCufft(m_library.create(&m_plan), "making a plan");
    try {
        checkCufft(m_library.setAutoAllocation(m_plan, 0), "making a plan");
        int points = static_cast<int>(length);
        std::size_t workBytes = 0;
        checkCufft(m_library.makePlanMany(m_plan, 1, &points, nullptr, 1, points, nullptr, 1,
                                          points, CUFFT_C2C, static_cast<int>(rows), &workBytes),
                   "planning the transforms of detector rows");
        m_work = DeviceBuffer<std::byte>(static_cast<Index>(workBytes));
        checkCufft(m_library.setWorkArea(m_plan, m_work.data()), "making a plan");
    } catch (...) {
        (void)m_library.destroy(m_plan);
        forgetError();
        throw;
    }
}

RowTransforms::~RowTransforms() {
    (void)m_library.destroy(m_plan);
    forgetError();
}

Index RowTransforms::bytesNeeded(Index length, Index rows) {
    constexpr Index kLibraryBytes = Index{64} << 20;
    return length * rows * static_cast<Index>(sizeof(float2)) + kLibraryBytes;
}

void RowTransforms::run(float2* rows, int direction, cudaStream_t stream) {
    checkCufft(m_library.setStream(m_plan, stream), "choosing a stream");
    checkCufft(m_library.execC2C(m_plan, rows, rows, direction), "transforming detector rows");
}

}  // namespace gantry
