#include "core/live/live_place.h"

#include <gtest/gtest.h>

#include "tests/support/cpu_backends.h"

namespace gantry {
namespace {

constexpr Index kGb = 1'000'000'000;

Machine machineWithGpus() {
    Machine machine = test::machine();
    machine.gpu.devices = {{0, "small", 8 * kGb, 2 * kGb}, {3, "large", 80 * kGb, 70 * kGb}};
    return machine;
}

TEST(LivePlace, IsAGpuThatTheRequestMayUseOrElseTheCpu) {
    const Machine machine = machineWithGpus();
    JobSpec request;
    ASSERT_TRUE(livePlace(request, machine, 16 * kGb).device);
    EXPECT_EQ(livePlace(request, machine, 16 * kGb).device->number, 0);
    request.devices = {3};
    EXPECT_EQ(livePlace(request, machine, 16 * kGb).device->number, 3);
    request.devices = {7};
    EXPECT_FALSE(livePlace(request, machine, 16 * kGb).device);
    request.devices = {};
    request.engine = Engine::cpu;
    EXPECT_FALSE(livePlace(request, machine, 16 * kGb).device);
    EXPECT_FALSE(livePlace(JobSpec(), test::machine(), 16 * kGb).device);
    request.engine = Engine::automatic;
    request.cpuKernel = kReferenceKernel;
    EXPECT_FALSE(livePlace(request, machine, 16 * kGb).device) << "the run is on the CPU, too";
}

TEST(LivePlace, IsTheCpuWhereOnlyThatCanFilterAsTheJobAsks) {
    JobSpec request;
    request.scan.geometry.detector.rollDeg = 1;
    EXPECT_TRUE(livePlace(request, machineWithGpus(), 16 * kGb).device);
    request.rows = FilterRows::own;
    EXPECT_FALSE(livePlace(request, machineWithGpus(), 16 * kGb).device);
}

TEST(LivePlace, LeavesMemoryToAJobAndKeepsTheRequestsLimits) {
    JobSpec request;
    LivePlace place = livePlace(request, machineWithGpus(), 16 * kGb);
    EXPECT_EQ(place.hostBytes, 8 * kGb);
    EXPECT_EQ(place.device->bytes, 12 * kGb / 10);
    request.memoryBytes = kGb;
    request.deviceMemoryBytes = kGb / 2;
    place = livePlace(request, machineWithGpus(), 16 * kGb);
    EXPECT_EQ(place.hostBytes, kGb);
    EXPECT_EQ(place.device->bytes, kGb / 2);
}

}  // namespace
}  // namespace gantry
