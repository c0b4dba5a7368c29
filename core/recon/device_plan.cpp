#include "core/recon/device_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/geometry/footprint.h"
#include "core/plan/device_slabs.h"
#include "core/plan/memory_shortfall.h"
#include "core/recon/host_memory.h"

namespace gantry {

namespace {

constexpr Index kDeviceRingSlots = 4;  // one being filled, one waiting, two on their way to devices
constexpr Index kDeviceChunkBytes = 64'000'000;  // so that many threads write a chunk together
constexpr int kMostStoreLanes = 4;               // more gain nothing, even where files are memory
constexpr Index kDeviceLibrariesBytes = 250'000'000;  // what the devices' libraries hold
constexpr Index kDeviceBytes = 60'000'000;            // and what they hold for each device
constexpr double kShareOfDeviceMemory = 0.9;          // of a device, when a job is not told

std::string listed(const std::vector<DeviceFacts>& devices) {
    std::vector<std::string> names;
    names.reserve(devices.size());
    for (const DeviceFacts& device : devices)
        names.push_back(fmt::format("{} ({})", device.number, device.name));
    return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<DeviceFacts> chosenDevices(const JobSpec& spec, const GpuBackend& gpu) {
    if (spec.devices.empty()) return gpu.devices;
    std::vector<DeviceFacts> chosen;
    std::set<int> seen;
    for (const int number : spec.devices) {
        const auto found =
            std::find_if(gpu.devices.begin(), gpu.devices.end(),
                         [&](const DeviceFacts& device) { return device.number == number; });
        if (found == gpu.devices.end())
            throw InputError(fmt::format("There is no GPU {}. This machine has {}.", number,
                                         listed(gpu.devices)),
                             {.field = "devices"});
        if (!seen.insert(number).second)
            throw InputError(fmt::format("GPU {} is named twice. Name each once.", number),
                             {.field = "devices"});
        chosen.push_back(*found);
    }
    return chosen;
}

// How views come to the devices. These prepare pixels of every type, but turn no detector.
ViewState handedOver(const OpenScan& scan, const JobSpec& spec, const GpuBackend& gpu) {
    const std::string whyNot = gpu.whyNoFilter ? gpu.whyNoFilter() : std::string();
    if (spec.filterOn == FilterOn::gpu && !whyNot.empty())
        throw InputError(fmt::format("The GPU cannot filter: {}", whyNot),
                         {.advice = "Use --filter-on cpu.", .field = "filterOn"});
    if (spec.filterOn == FilterOn::cpu || !whyNot.empty()) return ViewState::filtered;
    return scan.rectifier.isIdentity() ? ViewState::stored : ViewState::prepared;
}

class DevicePlanner {
  public:
    DevicePlanner(const OpenScan& scan, const JobSpec& spec, const GpuBackend& gpu, bool isResumed)
        : m_scan(scan),
          m_spec(spec),
          m_gpu(gpu),
          m_isResumed(isResumed),
          m_plan(batchesOf(scan, spec)) {
        m_plan.handedOver = handedOver(scan, spec, gpu);
        m_plan.ringSlots = kDeviceRingSlots;
        const std::vector<DeviceFacts> devices = chosenDevices(spec, gpu);
        // A chunk for each device to fill, and those that are stored meanwhile.
        m_plan.chunkSlots = 2 * static_cast<Index>(devices.size()) + 1;
        m_plan.storeLanes = std::min(kMostStoreLanes, static_cast<int>(devices.size()) + 1);
        // Where host memory is short, chunks take no more than a small part of it.
        m_plan.chunkSlices = chunkSlicesOf(
            spec.volume,
            std::min(kDeviceChunkBytes, m_plan.budgetBytes / (16 * m_plan.chunkSlots)));
        addDevices(devices);
    }

    JobPlan plan(const std::optional<Checkpoint>& checkpoint) {
        if (checkpoint) {
            keepSlabs(m_plan, *checkpoint, m_scan.geometry, m_spec.volume);
            requireFit();
        } else {
            deal();
        }
        for (std::size_t d = 0; d < m_plan.devices.size(); ++d)
            m_plan.devices[d].bytes = bytesOn(d);
        m_plan.hostBytes = hostBytes();
        return std::move(m_plan);
    }

  private:
    [[nodiscard]] DeviceJob jobWith(const std::string& kernel, Index slices, Index rows,
                                    int slabsAtOnce) const {
        return {&m_scan, m_spec.volume, m_spec.filter, m_plan.handedOver, kernel, m_plan.batchViews,
                rows,    slices,        slabsAtOnce,   m_plan.chunkSlices};
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
        return m_gpu.bytesNeeded(m_plan.devices[d].device, deviceJobOf(m_scan, m_spec, m_plan, d));
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

    const OpenScan& m_scan;
    const JobSpec& m_spec;
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

// Of what a job asks for by name, nothing is left out.
void DevicePlanner::note(const ResourceError& why) {
    if (!m_spec.devices.empty()) throw ResourceError(why);
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
    const VolumeGrid& grid = m_spec.volume;
    const auto count = static_cast<Index>(devices.size());
    const Index slices = std::max<Index>(
        1, grid.voxels[2] / (count * passesToOverlap(m_scan.geometry, grid, count)));
    const Index middle = (grid.voxels[2] - slices) / 2;
    const Index rows = footprintRows(m_scan.geometry, grid, {middle, middle + slices}).size();
    // A device takes part of a second until it can be used for the first time; all do so at once.
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
                plans[d].device, jobWith(m_spec.gpuKernel, slices, rows, 2), m_spec.fast);
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

// The device as it is planned with, but for its kernel; refused where no kernel would fit it, which
// needs no trial.
DevicePlan DevicePlanner::opened(const DeviceFacts& facts) const {
    DevicePlan device;
    device.device = facts.number;
    device.name = facts.name;
    device.budgetBytes =
        static_cast<Index>(kShareOfDeviceMemory * static_cast<double>(facts.freeBytes));
    if (m_spec.deviceMemoryBytes > 0)
        device.budgetBytes = std::min(m_spec.deviceMemoryBytes, facts.freeBytes);
    device.kernel.kernel =
        m_spec.gpuKernel.empty() ? std::string(kGpuKernels.back().name) : m_spec.gpuKernel;
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
                          mostSlicesThatFit(m_scan.geometry, m_spec.volume, fits)});
    }
    return result;
}

// Other kernels than those in tiles take as long as there are slices.
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
        leaveOut(d, tooLittle(device, 1, bytesOf(device, 1, m_scan.geometry.detector.rows, 2)));
    }
}

// Whether the volume could be cut so that slabs fit all devices and what they need fits the host.
bool DevicePlanner::dealAll() {
    const VolumeGrid& grid = m_spec.volume;
    const auto count = static_cast<Index>(m_plan.devices.size());
    const Index most = (grid.voxels[2] + count - 1) / count;
    const std::vector<DeviceShare> alone = shares(1);
    const std::vector<DeviceShare> paired = shares(2);
    Index passes = std::min(most, passesToOverlap(m_scan.geometry, grid, count));
    while (true) {
        m_plan.slabs =
            dealSlabs(m_scan.geometry, grid, passes == 1 ? alone : paired, passes, layer());
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
        leaveOut(d, tooLittle(m_plan.devices[d], deviceJobOf(m_scan, m_spec, m_plan, d).mostSlices,
                              bytes));
        d = 0;  // the others' slabs are other ones now
    }
    requireHostMemory();
}

Index DevicePlanner::hostBytes() const {
    Index most = 0;
    for (const PassPlan& pass : passesOf(m_plan))
        most = std::max(most, hostBytesOfPass(m_scan, m_plan, pass.rows));
    return hostBytesOfRun(m_scan, m_plan, m_spec.volume) + most + kDeviceLibrariesBytes +
           static_cast<Index>(m_plan.devices.size()) * kDeviceBytes;
}

// The request's parts that are not for the CPU.
void requireNoGpuWish(const JobSpec& spec) {
    const auto refuse = [](const char* field, const char* option, const std::string& wish) {
        throw InputError(
            fmt::format("{} needs a GPU, and the job runs on the CPU.", wish),
            {.advice = fmt::format("Leave {} out, or use --engine gpu.", option), .field = field});
    };
    if (!spec.gpuKernel.empty()) refuse("kernel", "--kernel", "The kernel " + spec.gpuKernel);
    if (spec.filterOn == FilterOn::gpu) refuse("filterOn", "--filter-on", "Filtering on the GPU");
    if (!spec.devices.empty()) refuse("devices", "--devices", "A choice of GPUs");
    if (spec.fast) refuse("precision", "--precision", "The precision fast");
    if (spec.deviceMemoryBytes > 0)
        refuse("deviceMemoryBytes", "--device-memory", "A limit of GPU memory");
}

}  // namespace

bool asksForDevices(const JobSpec& spec) {
    return spec.engine == Engine::gpu || !spec.gpuKernel.empty() ||
           spec.filterOn == FilterOn::gpu || !spec.devices.empty();
}

bool runsOnDevices(const JobSpec& spec, const Backends& backends) {
    if (isFastKernel(spec.gpuKernel) && !spec.fast)
        throw InputError(fmt::format("The kernel {} interpolates in texture hardware, with "
                                     "fractions of 8 bits. Choose an exact kernel such as tile.",
                                     spec.gpuKernel),
                         {.advice = "Or add --precision fast.", .field = "kernel"});
    if (spec.engine == Engine::cpu) {
        requireNoGpuWish(spec);
        return false;
    }
    if (spec.cpuKernel != CpuKernel::columns) {
        if (spec.engine == Engine::gpu)
            throw InputError(
                "The kernel reference runs on the CPU alone.",
                {.advice = "Use --engine cpu, or leave --kernel out.", .field = "kernel"});
        requireNoGpuWish(spec);
        return false;
    }
    if (asksForDevices(spec) && backends.gpu.devices.empty())
        throw InputError(fmt::format("No GPU can be used: {}.", backends.whyNoGpu),
                         {.advice = "Use --engine cpu.", .field = "engine"});
    return !backends.gpu.devices.empty();
}

DeviceJob deviceJobOf(const OpenScan& scan, const JobSpec& spec, const JobPlan& plan,
                      std::size_t index) {
    DeviceJob job;
    job.scan = &scan;
    job.volume = spec.volume;
    job.filter = spec.filter;
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

JobPlan planOnDevices(const OpenScan& scan, const JobSpec& spec, const GpuBackend& gpu,
                      const std::optional<Checkpoint>& checkpoint) {
    return DevicePlanner(scan, spec, gpu, checkpoint.has_value()).plan(checkpoint);
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
