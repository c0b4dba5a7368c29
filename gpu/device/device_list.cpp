#include "gpu/device/device_list.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"

namespace gantry {

namespace {

// Loads NVIDIA's management library (NVML) and the few functions used here. It comes with the
// driver; toolkits need not have its header. It gives a device's load and free memory without a
// context on it.
class Nvml {
  public:
    using Handle = void*;
    struct Memory {
        unsigned long long total;
        unsigned long long free;
        unsigned long long used;
    };
    struct Utilization {
        unsigned gpu;
        unsigned memory;
    };

    Nvml() : m_library(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
        if (!m_library) return;
        const auto start = find<int()>("nvmlInit_v2");
        if (start != nullptr) m_isReady = start() == 0;
    }
    ~Nvml() {
        if (!m_isReady) return;
        if (const auto stop = find<int()>("nvmlShutdown")) (void)stop();
    }
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    // uuid: without its prefix, which tells whole devices from parts of one.
    [[nodiscard]] std::optional<Handle> device(const std::string& uuid) const {
        const auto byUuid = find<int(const char*, Handle*)>("nvmlDeviceGetHandleByUUID");
        if (!m_isReady || byUuid == nullptr) return {};
        for (const char* prefix : {"GPU-", "MIG-"}) {
            Handle handle = nullptr;
            if (byUuid((prefix + uuid).c_str(), &handle) == 0) return handle;
        }
        return {};
    }

    template <class Answer>
    [[nodiscard]] std::optional<Answer> ask(const char* question, Handle device) const {
        const auto function = find<int(Handle, Answer*)>(question);
        Answer answer = {};
        if (function == nullptr || function(device, &answer) != 0) return {};
        return answer;
    }

  private:
    struct Closer {
        void operator()(void* library) const noexcept { dlclose(library); }
    };

    template <class Function>
    [[nodiscard]] Function* find(const char* name) const {
        if (!m_library) return nullptr;
        return reinterpret_cast<Function*>(dlsym(m_library.get(), name));
    }

    std::unique_ptr<void, Closer> m_library;
    bool m_isReady = false;
};

std::string hexOf(const cudaUUID_t& uuid) {
    std::string text;
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
    }
    return text;
}

int attribute(cudaDeviceAttr what, int device) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, what, device), "reading its properties");
    return value;
}

// Asks the runtime, which makes a context on the device.
Index freeBytesByContext(int device) {
    int before = 0;
    check(cudaGetDevice(&before), "reading which GPU is in use");
    makeCurrent(device);
    std::size_t free = 0;
    std::size_t total = 0;
    const cudaError_t result = cudaMemGetInfo(&free, &total);
    makeCurrent(before);
    check(result, "reading its free memory");
    return static_cast<Index>(free);
}

DeviceInfo describe(int number, const Nvml& nvml) {
    cudaDeviceProp properties = {};
    check(cudaGetDeviceProperties(&properties, number), "reading its properties");
    DeviceInfo info;
    info.number = number;
    info.name = properties.name;
    info.memoryBytes = static_cast<Index>(properties.totalGlobalMem);
    info.multiprocessors = properties.multiProcessorCount;
    info.clockMHz = attribute(cudaDevAttrClockRate, number) / 1000;
    info.computeMajor = properties.major;
    info.computeMinor = properties.minor;
    info.sharedBytes = static_cast<Index>(properties.sharedMemPerBlockOptin);
    info.l2Bytes = properties.l2CacheSize;
    info.uuid = hexOf(properties.uuid);
    check(cudaDriverGetVersion(&info.driverVersion), "reading its driver's version");
    check(cudaRuntimeGetVersion(&info.runtimeVersion), "reading its runtime's version");

    const std::optional<Nvml::Handle> handle = nvml.device(info.uuid);
    std::optional<Nvml::Memory> memory;
    if (handle) {
        memory = nvml.ask<Nvml::Memory>("nvmlDeviceGetMemoryInfo", *handle);
        if (const auto use = nvml.ask<Nvml::Utilization>("nvmlDeviceGetUtilizationRates", *handle))
            info.loadPercent = static_cast<int>(use->gpu);
    }
    info.freeBytes = memory ? static_cast<Index>(memory->free) : freeBytesByContext(number);
    return info;
}

std::string versionText(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string whyNone(cudaError_t result) {
    int driver = 0;
    const bool hasDriver = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
    int runtime = 0;
    (void)cudaRuntimeGetVersion(&runtime);
    (void)cudaGetLastError();
    if (!hasDriver) return "this machine has no NVIDIA driver";
    if (result == cudaErrorInsufficientDriver)
        return fmt::format(
            "the NVIDIA driver is made for CUDA {}; this build needs one for CUDA {} or newer",
            versionText(driver), versionText(runtime));
    if (result == cudaErrorNoDevice || result == cudaSuccess)
        return "this machine has no NVIDIA GPU, or CUDA_VISIBLE_DEVICES hides it";
    return fmt::format("the NVIDIA driver gives no access to a GPU: {}",
                       cudaGetErrorString(result));
}

}  // namespace

DeviceList listDevices() {
    DeviceList list;
    int count = 0;
    const cudaError_t result = cudaGetDeviceCount(&count);
    if (result != cudaSuccess || count == 0) {
        list.whyNone = whyNone(result);
        return list;
    }
    const Nvml nvml;
    for (int number = 0; number < count; ++number) {
        try {
            list.devices.push_back(describe(number, nvml));
        } catch (const std::exception& error) {
            // A device that is broken or in use does not exclude the others.
            list.whyNone = messageOf(error);
        }
    }
    if (!list.devices.empty()) list.whyNone.clear();
    return list;
}

}  // namespace gantry
