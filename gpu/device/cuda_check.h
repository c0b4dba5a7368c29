#pragma once

#include <cuda_runtime_api.h>

namespace gantry {

/// Throws when a call of the CUDA runtime failed; `doing` completes "the GPU failed while ...".
/// The runtime's memory of the error is cleared, so that the next call starts clean.
/// @throws ResourceError  out of device memory, a lost or busy device; says what to change
/// @throws InternalError  anything else: a fault of Gantry
/// Tests: tests/gpu/device/cuda_check_test.cpp
void check(cudaError_t result, const char* doing);

/// After a kernel's launch: whether it could be started.
void checkLaunch(const char* doing);

/// For destructors, which cannot report a failure: the next call must not report it either.
inline void forgetError() noexcept {
    (void)cudaGetLastError();
}

/// This thread's next calls go to that device, by CUDA's number. @throws ResourceError
void makeCurrent(int device);

}  // namespace gantry
