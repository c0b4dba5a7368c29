#include "core/plan/device_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/geometry/footprint.h"
#include "core/plan/device_choice.h"
#include "core/plan/device_slabs.h"
#include "core/plan/host_memory.h"
#include "core/plan/memory_shortfall.h"

namespace gantry {

namespace {

constexpr Index kDeviceRingSlots = 4;  // one being filled, one waiting, two on their way to devices
constexpr Index kDeviceChunkBytes = 64'000'000;  // so that many threads write a chunk together
constexpr int kMostStoreLanes = 4;               // more gain nothing, even where files are memory
constexpr Index kDeviceLibrariesBytes = 250'000'000;  // what the devices' libraries hold
constexpr Index kDeviceBytes = 60'000'000;            // and what they hold for each device
constexpr double kShareOfDeviceMemory = 0.9;          // of a device, unless the job says otherwise

class DevicePlanner {
  public:
    DevicePlanner(const Acquisition& acquisition, const ReconstructionRequest& request,
                  const GpuBackend& gpu, bool isResumed)
        : m_acquisition(acquisition),
          m_request(request),
          m_gpu(gpu),
          m_isResumed(isResumed),
          m_plan(batchesOf(acquisition, request)) {
        m_plan.handedOver = stateHandedOver(acquisition, request, gpu);
        m_plan.ringSlots = kDeviceRingSlots;
        const std::vector<DeviceFacts> devices = chosenDevices(request, gpu);
        // A chunk for each device to fill, and those that are stored meanwhile.
        m_plan.chunkSlots = 2 * static_cast<Index>(devices.size()) + 1;
        m_plan.storeLanes = std::min(kMostStoreLanes, static_cast<int>(devices.size()) + 1);
        // Where host memory is short, chunks take no more than a small part of it.
        m_plan.chunkSlices = chunkSlicesOf(
            request.volume,
            std::min(kDeviceChunkBytes, m_plan.budgetBytes / (16 * m_plan.chunkSlots)));
        addDevices(devices);
    }

    JobPlan plan(const std::optional<FinishedSlabs>& finished) {
        if (finished) {
            keepSlabs(m_plan, *finished, m_acquisition.geometry, m_request.volume);
            requireFit();
        } else {
            deal();
        }
        countOnce(m_plan, m_acquisition);
        for (std::size_t d = 0; d < m_plan.devices.size(); ++d)
            m_plan.devices[d].bytes = bytesOn(d);
        m_plan.hostBytes = hostBytes();
        return std::move(m_plan);
    }

  private:
    [[nodiscard]] DeviceJob jobWith(const std::string& kernel, Index slices, Index rows,
                                    int slabsAtOnce) const {
        return {&m_acquisition,
                m_request.volume,
                m_request.filter,
                m_plan.handedOver,
                kernel,
                m_plan.batchViews,
                rows,
                slices,
                slabsAtOnce,
                m_plan.chunkSlices};
    }

    void addDevices(const std::vector<DeviceFacts>& devices);
    [[nodiscard]] DevicePlan opened(const DeviceFacts& facts) const;
    void leaveOut(std::size_t d, const ResourceError& why);
    void note(const ResourceError& why);
    void requireDevices() const;
    void deal();
    [[nodiscard]] bool dealAll();
    [[nodiscard]] std::vector<DeviceShare> shares(int slabsAtOnce) const;
    [[nodiscard]] Index layer() const;
    [[nodiscard]] bool fits() const;
    void requireFit();
    [[nodiscard]] Index bytesOn(std::size_t d) const {
        return m_gpu.bytesNeeded(m_plan.devices[d].device,
                                 deviceJobOf(m_acquisition, m_request, m_plan, d));
    }
    [[nodiscard]] Index bytesOf(const DevicePlan& device, Index slices, Index rows,
                                int slabsAtOnce) const {
        return m_gpu.bytesNeeded(device.device,
                                 jobWith(device.kernel.kernel, slices, rows, slabsAtOnce));
    }
    [[nodiscard]] Index hostBytes() const;
    [[nodiscard]] ResourceError tooLittle(const DevicePlan& device, Index slices,
                                          Index bytes) const;
    void requireHostMemory() const;

    const Acquisition& m_acquisition;
    const ReconstructionRequest& m_request;
    const GpuBackend& m_gpu;
    const bool m_isResumed;
    JobPlan m_plan;
    std::optional<ResourceError> m_firstLeftOut;
};

ResourceError DevicePlanner::tooLittle(const DevicePlan& device, Index slices, Index bytes) const {
    return deviceShortfall(device.device, device.name,
                           {bytes, device.budgetBytes, m_isResumed, slices});
}

void DevicePlanner::requireHostMemory() const {
    const Index bytes = hostBytes();
    if (bytes > m_plan.budgetBytes) throw hostShortfall({bytes, m_plan.budgetBytes, m_isResumed});
}

// A device that the job names is never left out.
void DevicePlanner::note(const ResourceError& why) {
    if (!m_request.devices.empty()) throw ResourceError(why);
    if (!m_firstLeftOut) m_firstLeftOut = why;
    m_plan.notes.push_back("A GPU was left out. " + why.message());
}

void DevicePlanner::leaveOut(std::size_t d, const ResourceError& why) {
    note(why);
    m_plan.devices.erase(m_plan.devices.begin() + static_cast<std::ptrdiff_t>(d));
    requireDevices();
}

void DevicePlanner::requireDevices() const {
    if (m_plan.devices.empty())
        throw NoUsableDevice(m_firstLeftOut->message(), m_firstLeftOut->details());
}

void DevicePlanner::addDevices(const std::vector<DeviceFacts>& devices) {
    const VolumeGrid& grid = m_request.volume;
    const auto count = static_cast<Index>(devices.size());
    const Index slices = std::max<Index>(
        1, grid.voxels[2] / (count * passesToOverlap(m_acquisition.geometry, grid, count)));
    const Index middle = (grid.voxels[2] - slices) / 2;
    const Index rows =
        footprintRows(m_acquisition.geometry, grid, {middle, middle + slices}).size();
    // The first use of a device takes part of a second; all start at once.
    std::vector<DevicePlan> plans(devices.size());
    std::vector<std::optional<ResourceError>> failures(devices.size());
    parallelFor(static_cast<int>(count), count, 1, [&](Index begin, Index, int) {
        const auto d = static_cast<std::size_t>(begin);
        try {
            plans[d] = opened(devices[d]);
        } catch (const ResourceError& error) {
            failures[d] = error;
        }
    });
    for (std::size_t d = 0; d < devices.size(); ++d) {
        if (failures[d]) {
            note(*failures[d]);
            continue;
        }
        try {
            plans[d].kernel = m_gpu.chooseKernel(
                plans[d].device, jobWith(m_request.gpuKernel, slices, rows, 2), m_request.fast);
            m_plan.devices.push_back(std::move(plans[d]));
        } catch (const ResourceError& error) {
            note(error);
        }
    }
    requireDevices();
    // Each makes a slab of a slice at least.
    const auto used = static_cast<std::size_t>(
        std::min(grid.voxels[2], static_cast<Index>(m_plan.devices.size())));
    m_plan.devices.resize(used);
}

// The device as planned, but for its kernel; refused, without a trial, where no kernel would fit.
DevicePlan DevicePlanner::opened(const DeviceFacts& facts) const {
    DevicePlan device;
    device.device = facts.number;
    device.name = facts.name;
    device.budgetBytes =
        static_cast<Index>(kShareOfDeviceMemory * static_cast<double>(facts.freeBytes));
    if (m_request.deviceMemoryBytes > 0)
        device.budgetBytes = std::min(m_request.deviceMemoryBytes, facts.freeBytes);
    device.kernel.kernel =
        m_request.gpuKernel.empty() ? std::string(kGpuKernels.back().name) : m_request.gpuKernel;
    const Index least = bytesOf(device, 1, 1, 1);
    if (least > device.budgetBytes) throw tooLittle(device, 1, least);
    return device;
}

std::vector<DeviceShare> DevicePlanner::shares(int slabsAtOnce) const {
    std::vector<DeviceShare> result;
    for (const DevicePlan& device : m_plan.devices) {
        const auto fits = [&](Index slices, Index rows) {
            return bytesOf(device, slices, rows, slabsAtOnce) <= device.budgetBytes;
        };
        result.push_back({std::max(1.0, device.kernel.updatesPerSecond),
                          mostSlicesThatFit(m_acquisition.geometry, m_request.volume, fits)});
    }
    return result;
}

// The time of kernels without tiles is proportional to the slices.
Index DevicePlanner::layer() const {
    return std::all_of(
               m_plan.devices.begin(), m_plan.devices.end(),
               [](const DevicePlan& device) { return device.kernel.kernel.starts_with("tile"); })
               ? kTileSlices
               : 1;
}

bool DevicePlanner::fits() const {
    for (std::size_t d = 0; d < m_plan.devices.size(); ++d)
        if (bytesOn(d) > m_plan.devices[d].budgetBytes) return false;
    return hostBytes() <= m_plan.budgetBytes;
}

void DevicePlanner::deal() {
    while (!dealAll()) {
        const std::vector<DeviceShare> paired = shares(2);
        const auto small = std::find_if(paired.begin(), paired.end(), [](const DeviceShare& share) {
            return share.mostSlices < 1;
        });
        if (small == paired.end()) {
            requireHostMemory();
            for (std::size_t d = 0; d < m_plan.devices.size(); ++d)
                if (const Index bytes = bytesOn(d); bytes > m_plan.devices[d].budgetBytes)
                    throw tooLittle(m_plan.devices[d], 1, bytes);
            throw InternalError("a volume that fits its devices was not dealt to them");
        }
        const auto d = static_cast<std::size_t>(small - paired.begin());
        const DevicePlan& device = m_plan.devices[d];
        leaveOut(d,
                 tooLittle(device, 1, bytesOf(device, 1, m_acquisition.geometry.detector.rows, 2)));
    }
}

// Whether the volume can be cut so that slabs fit all devices and their batches fit the host.
bool DevicePlanner::dealAll() {
    const VolumeGrid& grid = m_request.volume;
    const auto count = static_cast<Index>(m_plan.devices.size());
    const Index most = (grid.voxels[2] + count - 1) / count;
    const std::vector<DeviceShare> alone = shares(1);
    const std::vector<DeviceShare> paired = shares(2);
    Index passes = std::min(most, passesToOverlap(m_acquisition.geometry, grid, count));
    while (true) {
        m_plan.slabs =
            dealSlabs(m_acquisition.geometry, grid, passes == 1 ? alone : paired, passes, layer());
        if (!m_plan.slabs.empty() && fits()) return true;
        if (passes >= most) return false;
        passes = std::min(most, std::max(passes + 1, passes * 21 / 20));
    }
}

void DevicePlanner::requireFit() {
    for (std::size_t d = 0; d < m_plan.devices.size();) {
        const Index bytes = bytesOn(d);
        if (bytes <= m_plan.devices[d].budgetBytes) {
            ++d;
            continue;
        }
        leaveOut(d, tooLittle(m_plan.devices[d],
                              deviceJobOf(m_acquisition, m_request, m_plan, d).mostSlices, bytes));
        d = 0;  // the others' slabs have changed
    }
    requireHostMemory();
}

Index DevicePlanner::hostBytes() const {
    Index most = 0;
    for (const PassPlan& pass : passesOf(m_plan))
        most = std::max(most, hostBytesOfPass(m_acquisition, m_plan, pass.rows));
    return hostBytesOfRun(m_acquisition, m_plan, m_request.volume) + most + kDeviceLibrariesBytes +
           static_cast<Index>(m_plan.devices.size()) * kDeviceBytes;
}

}  // namespace

DeviceJob deviceJobOf(const Acquisition& acquisition, const ReconstructionRequest& request,
                      const JobPlan& plan, std::size_t index) {
    DeviceJob job;
    job.acquisition = &acquisition;
    job.volume = request.volume;
    job.filter = request.filter;
    job.handedOver = plan.handedOver;
    job.kernel = plan.devices[index].kernel.kernel;
    job.batchViews = plan.batchViews;
    job.slabsAtOnce = 0;
    job.chunkSlices = plan.chunkSlices;
    for (std::size_t i = static_cast<std::size_t>(plan.firstSlab) + index; i < plan.slabs.size();
         i += plan.devices.size()) {
        job.mostRows = std::max(job.mostRows, plan.slabs[i].rows.size());
        job.mostSlices = std::max(job.mostSlices, plan.slabs[i].slices.size());
        job.slabsAtOnce = std::min(2, job.slabsAtOnce + 1);
    }
    return job;
}

JobPlan planOnDevices(const Acquisition& acquisition, const ReconstructionRequest& request,
                      const GpuBackend& gpu, const std::optional<FinishedSlabs>& finished) {
    return DevicePlanner(acquisition, request, gpu, finished.has_value()).plan(finished);
}

std::string engineName(const JobPlan& plan) {
    std::string text;
    for (std::size_t i = 0; i < plan.devices.size();) {
        const DevicePlan& first = plan.devices[i];
        std::size_t same = 0;
        while (i < plan.devices.size() && plan.devices[i].name == first.name &&
               plan.devices[i].kernel.kernel == first.kernel.kernel) {
            ++same;
            ++i;
        }
        text +=
            fmt::format("{}{}{} ({}, {})", text.empty() ? "" : " + ",
                        same > 1 ? fmt::format("{} × ", same) : "", first.name, first.kernel.kernel,
                        isFastKernel(first.kernel.kernel) ? "fast" : "exact");
    }
    return text;
}

}  // namespace gantry
