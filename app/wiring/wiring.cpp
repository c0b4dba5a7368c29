#include "app/wiring/wiring.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/backproject/cpu_columns.h"
#include "core/backproject/reference.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#if GANTRY_GPU
#include "gpu/engine/gpu_backend.h"
#include "gpu/engine/plane_preview.h"
#endif

namespace gantry {

namespace fs = std::filesystem;

std::string cpuName() {
    switch (supportedSimdLevels().back()) {
        case SimdLevel::avx512:
            return "CPU (AVX-512)";
        case SimdLevel::avx2:
            return "CPU (AVX2)";
        case SimdLevel::portable:
            break;
    }
    return "CPU";
}

#if GANTRY_GPU

namespace {

// The user's cache folder by the XDG standard; empty where there is none.
fs::path kernelCache() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    fs::path folder = cache ? cache : "";
    if (!folder.is_absolute() && home) folder = fs::path(home) / ".cache";
    return folder.is_absolute() ? folder / "gantry" / "kernels.json" : fs::path();
}

}  // namespace

DeviceList findDevices() {
    return listDevices();
}

std::unique_ptr<PlaneProjector> makePlaneProjector(const DeviceList& list, int number) {
    if (list.devices.empty()) return makeCpuPlaneProjector(availableThreads());
    return makePlanePreview(deviceNumbered(list, number));
}

#else

DeviceList findDevices() {
    return {{}, kNoGpuEngine};
}

std::unique_ptr<PlaneProjector> makePlaneProjector(const DeviceList&, int) {
    return makeCpuPlaneProjector(availableThreads());
}

#endif

const DeviceInfo& deviceNumbered(const DeviceList& list, int number) {
    if (list.devices.empty()) throw InputError(fmt::format("This needs a GPU: {}.", list.whyNone));
    std::vector<int> numbers;
    for (const DeviceInfo& device : list.devices) {
        if (device.number == number) return device;
        numbers.push_back(device.number);
    }
    throw InputError(
        fmt::format("there is no GPU {}; this machine has {}", number, fmt::join(numbers, ", ")));
}

Backends makeBackends() {
    Backends backends;
    backends.cpuColumns = [](int threads) { return makeCpuColumnsBackProjector(threads); };
    backends.reference = [](int threads) { return makeReferenceBackProjector(threads); };
    backends.cpuName = cpuName();
    const DeviceList list = findDevices();
    backends.whyNoGpu = list.whyNone;
#if GANTRY_GPU
    backends.gpu = makeGpuBackend(list, kernelCache());
#endif
    return backends;
}

}  // namespace gantry
