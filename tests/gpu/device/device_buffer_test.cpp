#include "gpu/device/device_buffer.h"

#include <cuda_runtime_api.h>

#include <vector>

#include "gpu/device/cuda_check.h"
#include "gpu/device/layered_texture.h"
#include "tests/gpu/support/device.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

class Buffers : public testing::Test {
  protected:
    void SetUp() override {
        GANTRY_NEEDS_DEVICE();
        makeCurrent(test::testDevice().number);
    }
};

TEST_F(Buffers, KeepWhatIsCopiedToThem) {
    const std::vector<int> there = {3, 1, 4, 1, 5};
    const DeviceBuffer<int> buffer(5);
    check(cudaMemcpy(buffer.data(), there.data(), 20, cudaMemcpyHostToDevice), "copying");
    const PinnedBuffer<int> back(5);
    check(cudaMemcpy(back.data(), buffer.data(), 20, cudaMemcpyDeviceToHost), "copying");
    EXPECT_EQ(std::vector<int>(back.data(), back.data() + 5), there);
}

TEST_F(Buffers, MoreThanTheDeviceHasIsRefusedByItsSize) {
    EXPECT_ERROR(DeviceBuffer<std::byte>(100'000'000'000'000), ResourceError, "100 TB");
    EXPECT_NO_THROW(DeviceBuffer<std::byte>(1000));
}

TEST_F(Buffers, GrowButDoNotShrink) {
    DeviceBuffer<float> buffer;
    EXPECT_EQ(buffer.count(), 0);
    buffer.reserve(100);
    const float* place = buffer.data();
    buffer.reserve(50);
    EXPECT_EQ(buffer.data(), place);
    EXPECT_EQ(buffer.count(), 100);
    buffer.reserve(200);
    EXPECT_EQ(buffer.sizeBytes(), 800);
}

TEST_F(Buffers, HostMemoryIsPinnedForAsLongAsTheRegionLives) {
    std::vector<float> host(100'000);
    const auto bytes = static_cast<Index>(host.size() * sizeof(float));
    EXPECT_FALSE(isPinned(host.data(), bytes));
    {
        const PinnedRegion region(host.data(), bytes);
        EXPECT_TRUE(isPinned(host.data(), bytes));
        EXPECT_TRUE(isPinned(host.data() + 1000, 4));
    }
    EXPECT_FALSE(isPinned(host.data(), bytes));
    const PinnedRegion nothing(host.data(), 0);
    EXPECT_FALSE(isPinned(host.data(), 0));
}

TEST_F(Buffers, MemoryThatIsPinnedAlreadyStaysSo) {
    std::vector<float> host(100'000);
    const auto bytes = static_cast<Index>(host.size() * sizeof(float));
    const PinnedRegion region(host.data(), bytes);
    {
        const PinnedRegion again(host.data(), bytes);
        EXPECT_NO_THROW(checkLaunch("working"));
    }
    EXPECT_TRUE(isPinned(host.data(), bytes));
}

TEST_F(Buffers, ATextureLargerThanTheDeviceTakesIsRefused) {
    const auto make = [](Index width) {
        return LayeredTexture(1, 1, width, 1, LayeredTexture::Read::nearest);
    };
    EXPECT_ERROR((void)make(1'000'000), ResourceError,
                 "Choose the kernel tile or l1-tran. Use --kernel");
    EXPECT_EQ(make(77).width(), 77);
}

}  // namespace
}  // namespace gantry
