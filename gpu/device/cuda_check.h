#pragma once

#include <cuda_runtime_api.h>

namespace gantry {

/// Throws when a call of the CUDA runtime failed; `doing` completes "the GPU failed while ...".
/// The runtime's memory of the error is cleared, so that the next call starts clean.
/// @throws ResourceError  out of device memory, a lost or busy device; says what to change
/// @throws InternalError  anything else: a fault of Gantry
/// Tests: tests/gpu/device/cuda_check_test.cpp
void check(cudaError_t result, const char* doing);

/// Throws when the kernel just launched could not be started. @throws as check()
void checkLaunch(const char* doing);

/// For destructors, which cannot report a failure: the next call must not report it either.
inline void forgetError() noexcept {
    (void)cudaGetLastError();
}

/// Makes `device`, by CUDA's number, the current device of this thread. @throws ResourceError
void makeCurrent(int device);

}  // namespace gantry
