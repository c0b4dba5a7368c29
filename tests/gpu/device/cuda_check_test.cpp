#include "gpu/device/cuda_check.h"

#include "gpu/device/stream.h"
#include "tests/gpu/support/device.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

TEST(CudaCheck, SuccessIsSilent) {
    EXPECT_NO_THROW(check(cudaSuccess, "working"));
}

TEST(CudaCheck, LackOfMemorySaysWhatToChange) {
    EXPECT_ERROR(check(cudaErrorMemoryAllocation, "taking 4 GB"), ResourceError, "taking 4 GB");
    EXPECT_ERROR(check(cudaErrorMemoryAllocation, "taking 4 GB"), ResourceError, "--device-memory");
}

TEST(CudaCheck, ALostGpuSaysThatTheJobGoesOn) {
    for (const cudaError_t lost :
         {cudaErrorECCUncorrectable, cudaErrorNvlinkUncorrectable, cudaErrorUnknown})
        EXPECT_ERROR(check(lost, "back-projecting"), ResourceError, "Resume the job");
}

TEST(CudaCheck, AGpuThatIsTakenOrTooOldSaysToChooseAnother) {
    EXPECT_ERROR(check(cudaErrorDevicesUnavailable, "starting"), ResourceError, "--devices");
    EXPECT_ERROR(check(cudaErrorNoKernelImageForDevice, "starting"), ResourceError, "--devices");
}

TEST(CudaCheck, AGpuThatDrivesTheScreenSaysToChooseAnotherOrSmallerBatches) {
    EXPECT_ERROR(check(cudaErrorLaunchTimeout, "adding views"), ResourceError, "--devices");
    EXPECT_ERROR(check(cudaErrorLaunchTimeout, "adding views"), ResourceError, "--batch");
}

TEST(CudaCheck, WhatElseFailsIsOurFault) {
    EXPECT_ERROR(check(cudaErrorIllegalAddress, "adding views"), InternalError, "adding views");
}

TEST(CudaCheck, AQuestionThatIsAnsweredNotYetIsNoFailure) {
    GANTRY_NEEDS_DEVICE();
    makeCurrent(test::testDevice().number);
    const Stream stream;
    Event event;
    event.record(stream.get());
    while (!event.isPassed()) {
    }
    EXPECT_NO_THROW(checkLaunch("working"));
}

TEST(CudaCheck, ADeviceThatIsNotThereIsRefused) {
    EXPECT_THROW(makeCurrent(4711), Error);
}

}  // namespace
}  // namespace gantry
