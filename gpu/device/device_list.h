#pragma once

#include <string>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// A GPU as the operator knows it, and what decides its share of the work.
struct DeviceInfo {
    int number = 0;    ///< as CUDA counts them, CUDA_VISIBLE_DEVICES obeyed
    std::string name;  ///< "NVIDIA H200"
    Index memoryBytes = 0;
    Index freeBytes = 0;  ///< now; what other programs hold is not free
    int multiprocessors = 0;
    int clockMHz = 0;
    int computeMajor = 0;  ///< compute capability
    int computeMinor = 0;
    Index sharedBytes = 0;  ///< shared memory that one block may take
    Index l2Bytes = 0;
    int loadPercent = -1;   ///< how busy others keep it now; -1: not known
    std::string uuid;       ///< the same in every run
    int driverVersion = 0;  ///< 13000 is 13.0
    int runtimeVersion = 0;
};

/// GPUs that this machine has and this build can use, or why there are none.
struct DeviceList {
    std::vector<DeviceInfo> devices;
    std::string whyNone;  ///< one sentence; empty when there are devices
};

/// Asks the driver. A context is made on a device only where its free memory needs one.
/// Never throws for lack of a GPU or driver: whyNone then gives the reason.
/// Tests: tests/gpu/device/device_list_test.cpp
[[nodiscard]] DeviceList listDevices();

}  // namespace gantry
