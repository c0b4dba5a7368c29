#include "gpu/engine/gpu_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/engine/cone_kernel.h"
#include "gpu/engine/gpu_engine.h"
#include "gpu/engine/gpu_filter.h"
#include "gpu/engine/gpu_projector.h"
#include "gpu/engine/gpu_space.h"
#include "gpu/engine/trial_cache.h"
#include "gpu/engine/tuner.h"

namespace gantry {

namespace {

// The backend's functions share it; it lives as long as one of them.
class Devices {
  public:
    Devices(std::vector<DeviceInfo> devices, std::filesystem::path cache)
        : m_devices(std::move(devices)), m_cache(std::move(cache)), m_last(&m_devices.front()) {}

    // The device of that number, which last() returns from now on.
    const DeviceInfo& use(int number) {
        const auto found =
            std::ranges::find_if(m_devices, [&](const auto& d) { return d.number == number; });
        if (found == m_devices.end())
            throw InputError(fmt::format("This machine has no GPU {}.", number),
                             {.advice = "`gantry devices` lists those it has."});
        m_last = &*found;
        return *found;
    }

    // A device that is in use already: asking another one would make a context on a GPU that the
    // job leaves out.
    [[nodiscard]] const DeviceInfo& last() const { return *m_last; }
    [[nodiscard]] const std::filesystem::path& cache() const { return m_cache; }

    // Why cuFFT cannot be used. cuFFT and the driver are the same for all devices, so only the
    // first call tries it.
    const std::string& whyNoFilter() {
        std::call_once(m_tried, [this] { m_whyNoFilter = whyNoCufft(); });
        return m_whyNoFilter;
    }

  private:
    const std::vector<DeviceInfo> m_devices;
    const std::filesystem::path m_cache;
    std::atomic<const DeviceInfo*> m_last;
    std::once_flag m_tried;
    std::string m_whyNoFilter;
};

}  // namespace

EngineInfo gpuEngineInfo() {
    EngineInfo info;
    for (const ConeKernelInfo& kernel : coneKernels())
        info.kernels.push_back(kernel.kernel);
    info.bytesNeeded = gpuEngineBytes;
    info.viewFilterBytes = gpuViewFilterBytes;
    info.viewStepsBytes = gpuViewStepsBytes;
    info.spaceBytes = gpuSpaceBytes;
    info.projectorBytes = gpuProjectorBytes;
    return info;
}

EngineBackend makeGpuBackend(const DeviceList& list, const std::filesystem::path& cache) {
    EngineBackend backend;
    backend.info = gpuEngineInfo();
    if (list.devices.empty()) return backend;
    for (const DeviceInfo& device : list.devices)
        backend.info.devices.push_back(
            {device.number, device.name, device.memoryBytes, device.freeBytes,
             device.multiprocessors, device.computeMajor + 0.1 * device.computeMinor, device.uuid});

    const auto devices = std::make_shared<Devices>(list.devices, cache);
    backend.whyNoFilter = [devices](int device) {
        makeCurrent(devices->use(device).number);
        return devices->whyNoFilter();
    };
    backend.chooseKernel = [devices](int device, const DeviceJob& job, bool fast) {
        return chooseKernel(devices->use(device), job, fast, devices->cache());
    };
    backend.keepSpeed = [devices](int device, const DeviceJob& job, bool fast,
                                  const KernelChoice& found) {
        TrialCache(devices->cache())
            .keep(trialKey(devices->use(device), job, fast),
                  {found.kernel.name, found.updatesPerSecond});
    };
    backend.measure = [devices](int device, const DeviceJob& job) {
        return measureRates(devices->use(device), job);
    };
    backend.makeEngine = [devices](int device, const DeviceJob& job, const SpanSink& sink,
                                   std::int64_t originNs) {
        return makeGpuEngine(devices->use(device), job, sink, originNs);
    };
    backend.makeViewFilter = [devices](int device, const DeviceJob& job, const SpanSink& sink,
                                       std::int64_t originNs) {
        return makeGpuViewFilter(devices->use(device), job, sink, originNs);
    };
    backend.makeViewSteps = [devices](int device, const ViewStepsJob& job) {
        return makeGpuViewSteps(devices->use(device), job);
    };
    backend.makeProjector = [devices](int device, ProjectedViews views, int /*threads*/) {
        return makeGpuProjector(devices->use(device), std::move(views));
    };
    backend.makeSpace = [devices](int device, const SpaceTask& task, const SpanSink& sink,
                                  std::int64_t originNs) {
        return makeGpuSpace(devices->use(device), task, sink, originNs);
    };
    backend.makePreview = [devices](int device) {
        return makeGpuPlanePreview(devices->use(device));
    };
    backend.pin = [devices](void* data, Index bytes) -> std::shared_ptr<void> {
        makeCurrent(devices->last().number);
        try {
            return std::make_shared<PinnedRegion>(data, bytes);
        } catch (const ResourceError&) {
            return nullptr;  // copies are slower then; a lost device fails at its next call
        }
    };
    return backend;
}

}  // namespace gantry
