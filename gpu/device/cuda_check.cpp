#include "gpu/device/cuda_check.h"

#include <fmt/format.h>

#include "core/base/throw_error.h"

namespace gantry {

namespace {

bool isLost(cudaError_t result) {
    constexpr int kContained = 226;  // cudaErrorContained, which CUDA 11 and 12 do not name
    switch (result) {
        case cudaErrorNoDevice:
        case cudaErrorInsufficientDriver:
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
        case cudaErrorHardwareStackError:
        case cudaErrorSystemNotReady:
        case cudaErrorSystemDriverMismatch:
        case cudaErrorInitializationError:
        case cudaErrorCudartUnloading:
        // The driver reports these for a GPU that has fallen off its bus or was reset.
        case cudaErrorUnknown:
            return true;
        default:
            return static_cast<int>(result) == kContained;
    }
}

// Whether the error means that this build has no code that the GPU could run.
bool isStrange(cudaError_t result) {
    switch (result) {
        case cudaErrorNoKernelImageForDevice:
        case cudaErrorInvalidDeviceFunction:
        case cudaErrorUnsupportedPtxVersion:
        case cudaErrorJitCompilerNotFound:
        case cudaErrorJitCompilationDisabled:
            return true;
        default:
            return false;
    }
}

}  // namespace

void check(cudaError_t result, const char* doing) {
    if (result == cudaSuccess) return;
    forgetError();
    const char* reason = cudaGetErrorString(result);
    if (result == cudaErrorMemoryAllocation)
        throw ResourceError(
            fmt::format("The GPU's memory ran out while {}. Close other programs that use the GPU.",
                        doing),
            {.code = ErrorCode::deviceMemory,
             .advice = "Or lower --device-memory, so that the volume is made in more passes, or "
                       "use --engine cpu."});
    if (result == cudaErrorDevicesUnavailable)
        throw ResourceError(
            fmt::format("Another program has the GPU to itself ({}, while {}). Close that program.",
                        reason, doing),
            {.advice = "Or choose another GPU with --devices, or use --engine cpu."});
    if (result == cudaErrorLaunchTimeout)
        throw ResourceError(
            fmt::format("The GPU's driver stopped work that takes too long for a GPU with a screen "
                        "({}, while {}). Choose a GPU that drives no screen, or a smaller batch.",
                        reason, doing),
            {.advice = "Use --devices or --batch."});
    if (isStrange(result))
        throw ResourceError(
            fmt::format("This build of Gantry does not support the GPU ({}, while {}). Choose "
                        "another GPU, or the CPU.",
                        reason, doing),
            {.advice = "Use --devices or --engine cpu."});
    if (isLost(result))
        throw ResourceError(
            fmt::format("The GPU stopped responding while {} ({}). Resume the job to continue from "
                        "its finished slabs.",
                        doing, reason),
            {.advice = "Run `gantry worker JOB`, or use --engine cpu."});
    throwError<InternalError>("The GPU reports \"{}\" while {}.", reason, doing);
}

void checkLaunch(const char* doing) {
    check(cudaGetLastError(), doing);
}

void makeCurrent(int device) {
    check(cudaSetDevice(device), fmt::format("selecting GPU {}", device).c_str());
}

}  // namespace gantry
