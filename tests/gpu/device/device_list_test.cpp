#include "gpu/device/device_list.h"

#include "tests/gpu/support/device.h"

namespace gantry {
namespace {

TEST(DeviceList, NamesDevicesOrSaysInOneSentenceWhyThereAreNone) {
    const DeviceList list = listDevices();
    EXPECT_NE(list.devices.empty(), list.whyNone.empty());
    EXPECT_EQ(list.whyNone.find('\n'), std::string::npos);
}

TEST(DeviceList, TellsWhatADeviceIs) {
    GANTRY_NEEDS_DEVICE();
    for (const DeviceInfo& device : listDevices().devices) {
        EXPECT_FALSE(device.name.empty());
        EXPECT_GT(device.memoryBytes, 1'000'000'000);
        EXPECT_GT(device.freeBytes, 0);
        EXPECT_LE(device.freeBytes, device.memoryBytes);
        EXPECT_GT(device.multiprocessors, 0);
        EXPECT_GT(device.clockMHz, 100);
        EXPECT_GE(device.computeMajor, 5);
        EXPECT_GE(device.sharedBytes, 48 * 1024);
        EXPECT_GE(device.loadPercent, -1);
        EXPECT_LE(device.loadPercent, 100);
        EXPECT_EQ(device.uuid.size(), 36U);
        EXPECT_GE(device.driverVersion, device.runtimeVersion / 1000 * 1000);
    }
}

TEST(DeviceList, IsTheSameEveryTime) {
    GANTRY_NEEDS_DEVICE();
    const DeviceList again = listDevices();
    ASSERT_EQ(again.devices.size(), test::testDevices().devices.size());
    for (std::size_t i = 0; i < again.devices.size(); ++i) {
        EXPECT_EQ(again.devices[i].uuid, test::testDevices().devices[i].uuid);
        EXPECT_EQ(again.devices[i].number, static_cast<int>(i));
    }
}

}  // namespace
}  // namespace gantry
