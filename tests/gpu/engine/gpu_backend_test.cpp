#include "gpu/engine/gpu_backend.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/gpu/engine/device_jobs.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

TEST(GpuBackends, SayWhatMemorySlabsAndBatchesTake) {
    const Acquisition scan = test::acquisitionOf(70, 93, 81);
    DeviceJob job = test::jobOn(scan, 45);
    job.kernel = "standard";
    job.volume.voxels = {45, 38, 51};
    job.maxSlices = 10;
    const EngineInfo info = gpuEngineInfo();
    const Index few = info.bytesNeeded(job);
    constexpr Index kSlabs = 2;
    EXPECT_GE(few, kSlabs * 10 * 45 * 38 * 4 + 2 * 32 * 81 * 93 * 4);
    job.maxSlices = 20;
    EXPECT_EQ(info.bytesNeeded(job) - few, kSlabs * 10 * 45 * 38 * 4);
}

TEST(GpuBackends, HasNothingWhereThereIsNoDevice) {
    const test::TemporaryFolder folder;
    const EngineBackend backend = makeGpuBackend({{}, "none"}, folder / "kernels.json");
    EXPECT_TRUE(backend.info.devices.empty());
}

TEST(GpuBackends, AnUnknownDeviceIsTheUsersMistake) {
    const test::TemporaryFolder folder;
    DeviceList list;
    list.devices.emplace_back().name = "one";
    const EngineBackend backend = makeGpuBackend(list, folder / "kernels.json");
    ASSERT_EQ(backend.info.devices.size(), 1U);
    EXPECT_EQ(backend.info.devices[0].name, "one");
    EXPECT_EQ(backend.info.kernels.back(), (Kernel{"tile", false, 128}));
    const Acquisition scan = test::acquisitionOf(90, 101, 75);
    EXPECT_ERROR((void)backend.chooseKernel(3, test::jobOn(scan, 45), false), InputError, "GPU 3");
}

}  // namespace
}  // namespace gantry
