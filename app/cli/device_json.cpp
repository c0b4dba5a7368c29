#include "app/cli/device_json.h"

#include <fmt/format.h>

namespace gantry {

std::string cudaVersion(int number) {
    return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

nlohmann::ordered_json deviceJson(const DeviceInfo& device) {
    nlohmann::ordered_json document = {
        {"number", device.number},
        {"name", device.name},
        {"uuid", device.uuid},
        {"memoryBytes", device.memoryBytes},
        {"freeBytes", device.freeBytes},
        {"multiprocessors", device.multiprocessors},
        {"computeCapability", fmt::format("{}.{}", device.computeMajor, device.computeMinor)},
        {"clockMHz", device.clockMHz},
        {"l2Bytes", device.l2Bytes},
        {"sharedBytes", device.sharedBytes},
        {"loadPercent", nullptr},
        {"driverCuda", cudaVersion(device.driverVersion)},
        {"runtimeCuda", cudaVersion(device.runtimeVersion)}};
    if (device.loadPercent >= 0) document["loadPercent"] = device.loadPercent;
    return document;
}

}  // namespace gantry
