#pragma once

#include <gtest/gtest.h>

#include "gpu/device/device_list.h"

namespace gantry::test {

/// The GPUs of this machine, asked for once a program.
inline const DeviceList& testDevices() {
    static const DeviceList list = listDevices();
    return list;
}

/// The GPU that is current when a test begins. Only after GANTRY_NEEDS_DEVICE().
inline const DeviceInfo& testDevice() {
    return testDevices().devices.front();
}

}  // namespace gantry::test

/// First line of a test that needs a GPU, or of a fixture's SetUp(): skips it where there is none.
#define GANTRY_NEEDS_DEVICE()                                                       \
    do {                                                                            \
        if (gantry::test::testDevices().devices.empty())                            \
            GTEST_SKIP() << "needs a GPU: " << gantry::test::testDevices().whyNone; \
    } while (false)
