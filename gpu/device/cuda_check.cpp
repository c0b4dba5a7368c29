#include "gpu/device/cuda_check.h"

#include <fmt/format.h>

#include "core/base/error.h"

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
        // What the driver says of a GPU that has fallen off its bus or was reset.
        case cudaErrorUnknown:
            return true;
        default:
            return static_cast<int>(result) == kContained;
    }
}

// This build has no code that the GPU could run.
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
        throw ResourceError(fmt::format(
            "GPU memory: none was left while {}; end other programs on the GPU, lower "
            "--device-memory so that the volume is made in more passes, or use --engine cpu",
            doing));
    if (result == cudaErrorDevicesUnavailable)
        throw ResourceError(fmt::format(
            "GPU: another program has it for itself ({}, while {}); end that program, choose "
            "another GPU with --devices, or use --engine cpu",
            reason, doing));
    if (result == cudaErrorLaunchTimeout)
        throw ResourceError(fmt::format(
            "GPU: its driver ended work that took too long for a GPU with a screen ({}, while {}); "
            "choose one that drives no screen with --devices, or a smaller --batch",
            reason, doing));
    if (isStrange(result))
        throw ResourceError(fmt::format(
            "GPU: this build has no code for it ({}, while {}); choose another GPU with --devices, "
            "or use --engine cpu",
            reason, doing));
    if (isLost(result))
        throw ResourceError(
            fmt::format("GPU: it was lost while {} ({}); run the job again to go on from its "
                        "finished slabs, or use --engine cpu",
                        doing, reason));
    throw InternalError(fmt::format("GPU: {} while {}", reason, doing));
}

void checkLaunch(const char* doing) {
    check(cudaGetLastError(), doing);
}

void makeCurrent(int device) {
    check(cudaSetDevice(device), fmt::format("turning to GPU {}", device).c_str());
}

}  // namespace gantry
