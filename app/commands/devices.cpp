#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/device_json.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "app/wiring/wiring.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/cpu/cpu_backend.h"

namespace gantry {

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const DeviceList& list) {
    Json devices = Json::array();
    for (const DeviceInfo& device : list.devices)
        devices.push_back(deviceJson(device));
    Json document = {{"devices", devices},
                     {"cpu", {{"name", cpuName()}, {"threads", availableThreads()}}}};
    if (list.devices.empty()) document["whyNoGpu"] = list.whyNone;
    return document;
}

void print(const DeviceList& list) {
    if (list.devices.empty()) {
        show("No GPU: {}.\n", list.whyNone);
    } else {
        TextRows rows = {{"GPU", "free memory", "SMs", "compute", "clock", "load", "driver"}};
        for (const DeviceInfo& d : list.devices)
            rows.push_back(
                {fmt::format("{}: {}", d.number, d.name),
                 fmt::format("{} of {}", formatBytes(d.freeBytes), formatBytes(d.memoryBytes)),
                 fmt::format("{}", d.multiprocessors),
                 fmt::format("{}.{}", d.computeMajor, d.computeMinor),
                 fmt::format("{} MHz", d.clockMHz),
                 d.loadPercent < 0 ? "unknown" : fmt::format("{} %", d.loadPercent),
                 fmt::format("CUDA {}", cudaVersion(d.driverVersion))});
        show("{}", textTable(rows));
    }
    show("{}, {} threads\n", cpuName(), availableThreads());
}

}  // namespace

void addDevices(Command program) {
    auto json = std::make_shared<bool>(false);
    Command command = program.command(
        "devices", "List what can reconstruct here: GPUs with memory and load, and the CPU");
    command.flag("--json", *json, "Print one JSON document");
    command.examples("  gantry devices\n  gantry devices --json");
    command.action([json](Session&) {
        const DeviceList list = findDevices();
        if (*json)
            showJson(toJson(list));
        else
            print(list);
        return 0;
    });
}

}  // namespace gantry
