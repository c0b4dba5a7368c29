#include "app/wiring/wiring.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/parallel.h"
#include "core/base/this_machine.h"
#include "core/base/throw_error.h"
#include "core/cpu/cpu_backend.h"
#if GANTRY_GPU
#include "gpu/engine/gpu_backend.h"
#endif

namespace gantry {

namespace fs = std::filesystem;

namespace {

// A file of that name in the user's cache folder by the XDG standard; empty where there is none.
fs::path cachedFile(const char* name) {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    fs::path folder = cache ? cache : "";
    if (!folder.is_absolute() && home) folder = fs::path(home) / ".cache";
    return folder.is_absolute() ? folder / "gantry" / name : fs::path();
}

}  // namespace

#if GANTRY_GPU

DeviceList findDevices() {
    return listDevices();
}

#else

DeviceList findDevices() {
    return {{}, kNoGpuEngine};
}

EngineInfo gpuEngineInfo() {
    return {};
}

#endif

const DeviceInfo& deviceNumbered(const DeviceList& list, int number) {
    if (list.devices.empty()) throwError<InputError>("This needs a GPU: {}.", list.whyNone);
    std::vector<int> numbers;
    for (const DeviceInfo& device : list.devices) {
        if (device.number == number) return device;
        numbers.push_back(device.number);
    }
    throwError<InputError>("there is no GPU {}; this machine has {}", number,
                           fmt::join(numbers, ", "));
}

Backends makeBackends() {
    Backends backends;
    backends.cpu = makeCpuBackend();
    const DeviceList list = findDevices();
    backends.whyNoGpu = list.whyNone;
#if GANTRY_GPU
    backends.gpu = makeGpuBackend(list, cachedFile("kernels.json"));
#endif
    backends.storageSpeeds = cachedFile("storage.json");
    backends.runTimes = cachedFile("runs.json");
    return backends;
}

std::vector<Kernel> cpuKernelList() {
    return makeCpuBackend().info.kernels;
}

std::vector<Kernel> gpuKernelList() {
    return gpuEngineInfo().kernels;
}

Machine machineWithoutGpus() {
    return {availableThreads(), availableMemoryBytes(), makeCpuBackend().info, gpuEngineInfo(), {}};
}

}  // namespace gantry
