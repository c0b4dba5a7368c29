#include "core/plan/planner.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/geometry/views/mirror.h"
#include "core/geometry/views/parallel_views.h"
#include "core/plan/device_choice.h"
#include "core/plan/device_slabs.h"
#include "core/plan/host_memory.h"
#include "core/plan/passes.h"
#include "core/plan/plan_forecast.h"
#include "core/plan/questions.h"
#include "core/plan/step_devices.h"

namespace gantry {

namespace {

constexpr Index kCpuRingSlots = 3;   // one being filled, one filtered, one back-projected
constexpr Index kCpuChunkSlots = 3;  // one being copied from the slab, one waiting, one written
constexpr Index kCpuChunkBytes = 8'000'000;
constexpr Index kDeviceRingSlots = 4;  // one being filled, one waiting, two on their way to devices
constexpr Index kDeviceChunkBytes = 64'000'000;  // so that many threads write a chunk together
constexpr int kMaxStoreLanes = 4;                // more gain nothing, even where files are memory
constexpr Index kDeviceLibrariesBytes = 250'000'000;  // held by the devices' libraries
constexpr Index kDeviceBytes = 60'000'000;            // held by them for each device

// Distributes the volume to devices: the CPU, whose slabs are in the host's memory, or GPUs.
class Planner {
  public:
    Planner(const PlanInputs& inputs, EngineKind engine,
            const std::optional<FinishedSlabs>& finished)
        : m_in(inputs),
          m_geometry(inputs.acquisition.geometry),
          m_grid(inputs.request.volume),
          m_finished(finished),
          m_plan(batchesOf(inputs)) {
        m_plan.engine = engine;
        if (inputs.part) m_plan.part = *inputs.part;
    }

    void useCpu();
    void useGpus(std::optional<ViewState> state);
    JobPlan plan();

  private:
    [[nodiscard]] bool isOnCpu() const { return m_plan.engine == EngineKind::cpu; }
    [[nodiscard]] bool isResumed() const { return m_finished.has_value(); }
    [[nodiscard]] bool isGathered() const { return m_in.part && m_in.part->plan.isGathered(); }
    void filterBeforeGathering();
    void note(const ResourceError& why);
    void leaveOut(Index d, const ResourceError& why);
    void requireDevices() const;
    void keepSlabs();
    void assign();
    bool assignPairsIfFaster();
    void assignThinFirstIfFaster(std::optional<Index> mirror);
    [[nodiscard]] std::optional<Index> mirror() const;
    [[nodiscard]] bool assignAll(std::optional<Index> mirror,
                                 FirstPass first = FirstPass::asOthers);
    [[nodiscard]] std::vector<DeviceShare> shares(int slabsAtOnce,
                                                  std::optional<Index> mirror) const;
    [[nodiscard]] Index layer() const;
    void takeSlabs(std::vector<SlabPlan> slabs);
    void takeSpare();
    [[nodiscard]] bool fits() const;
    void requireFit();
    [[nodiscard]] Index bytesOn(Index d) const;
    [[nodiscard]] Index bytesOf(const DevicePlan& device, Index slices, Index rows,
                                int slabsAtOnce) const;
    [[nodiscard]] Index viewFilterBytes() const;
    void takeSteps();
    void holdViewsIfTheyFit();
    [[nodiscard]] Index hostBytes() const;
    [[nodiscard]] Index engineBytesOnHost(const PassPlan& pass) const;
    [[nodiscard]] ResourceError tooLittle(const DevicePlan& device, Index slices,
                                          Index bytes) const;
    void requireHostMemory() const;

    const PlanInputs& m_in;
    const AlignedViews& m_geometry;
    const VolumeGrid& m_grid;
    const std::optional<FinishedSlabs>& m_finished;
    JobPlan m_plan;
    std::optional<ResourceError> m_firstLeftOut;
    bool m_canCorrect = false;  ///< views on a device
};

void Planner::useCpu() {
    m_plan.ringSlots = kCpuRingSlots;
    m_plan.chunkSlots = kCpuChunkSlots;
    m_plan.chunkSlices = chunkSlicesOf(m_grid, kCpuChunkBytes);
    DevicePlan cpu;
    cpu.name = m_in.machine.cpu.devices.front().name;
    cpu.kernel.kernel = kernelNamed(m_in.machine.cpu, m_in.request.cpuKernel, "cpuKernel",
                                    m_geometry.areAligned(), areParallel(m_geometry.matrices));
    cpu.budgetBytes = m_plan.budgetBytes;
    m_plan.devices = {cpu};
}

void Planner::useGpus(std::optional<ViewState> state) {
    std::vector<Candidate> candidates = candidatesOf(m_in);
    const auto count = std::ssize(candidates);
    m_plan.ringSlots = kDeviceRingSlots;
    // Each device fills a chunk while others are stored.
    m_plan.chunkSlots = 2 * count + 1;
    m_plan.storeLanes = std::min(kMaxStoreLanes, static_cast<int>(count) + 1);
    // Where host memory is short, chunks take no more than a small part of it.
    m_plan.chunkSlices = chunkSlicesOf(
        m_grid, std::min(kDeviceChunkBytes, m_plan.budgetBytes / (16 * m_plan.chunkSlots)));
    std::string whyNoFilter;
    for (Candidate& candidate : candidates) {
        DevicePlan& device = candidate.device;
        if (candidate.whyNot) {
            note(*candidate.whyNot);
            continue;
        }
        const Question question = gpuKernelQuestion(m_in, device.device, count);
        if (const auto* failure = m_in.facts.find<DeviceFailure>(question)) {
            note(ResourceError(failure->message, failure->details));
            continue;
        }
        if (const auto* facts = m_in.facts.find<KernelFacts>(question)) {
            device.kernel = facts->choice;
            if (whyNoFilter.empty()) whyNoFilter = facts->whyNoFilter;
        }
        m_plan.devices.push_back(device);
    }
    requireDevices();
    m_plan.handedOver = state.value_or(stateHandedOver(m_in, whyNoFilter));
    m_canCorrect = whyNoFilter.empty() && m_in.request.filterOn != FilterOn::cpu;
    takeSteps();
    if (isGathered()) filterBeforeGathering();
    // Leaves out devices beyond one slice each.
    m_plan.devices.resize(std::min<std::size_t>(m_grid.voxels[2], m_plan.devices.size()));
}

// The CPU corrects views where it is asked to filter them, or where one of the devices that would
// do so has little memory, without room for a slab beside them.
void Planner::takeSteps() {
    m_plan.areStepsOnDevice = m_plan.areRowsResampledThere = false;
    const auto& bytes = m_in.machine.gpu.viewStepsBytes;
    if (!bytes || !m_canCorrect) return;
    const Acquisition& scan = m_in.acquisition;
    const auto fits = [&] {
        for (Index d = 0; d < std::ssize(m_plan.devices); ++d)
            if (bytesOf(m_plan.devices[d], 1, m_geometry.detector.rows, 2) +
                    stepsBytesOn(m_in, m_plan, d) >
                m_plan.devices[d].budgetBytes)
                return false;
        return true;
    };
    m_plan.areStepsOnDevice =
        scan.corrections.changesPixels() && bytes(viewStepsJobOf(scan, m_plan)).has_value();
    m_plan.areStepsOnDevice = m_plan.areStepsOnDevice && fits();
    m_plan.areRowsResampledThere = !scan.rectifier.isIdentity() && !needsHostIntegrals(scan);
    m_plan.areRowsResampledThere = m_plan.areRowsResampledThere && fits();
}

// Views are filtered before they are gathered; a device that filters returns them.
void Planner::filterBeforeGathering() {
    const ViewState taken = std::exchange(m_plan.handedOver, ViewState::filtered);
    if (taken == ViewState::filtered) return;
    if (m_in.machine.gpu.viewFilterBytes)
        m_plan.filteredFrom = taken;
    else if (m_in.request.filterOn == FilterOn::gpu)
        throw InputError(
            "The GPU cannot hand back filtered views to be gathered.",
            {.advice = "Use --exchange rows, or --filter-on cpu.", .field = "filterOn"});
}

JobPlan Planner::plan() {
    // Chunks that several ranks sum have the same size on all of them.
    if (m_in.part) m_plan.chunkSlices = m_in.part->plan.chunkSlices;
    if (isResumed())
        keepSlabs();
    else
        assign();
    countOnce(m_plan, m_in.acquisition);
    for (Index d = 0; d < std::ssize(m_plan.devices); ++d)
        m_plan.devices[d].bytes = bytesOn(d);
    m_plan.hostBytes = hostBytes();
    return std::move(m_plan);
}

// A device that the job names is never left out, so its error is thrown.
void Planner::note(const ResourceError& why) {
    if (!m_in.request.devices.empty()) throw ResourceError(why);
    if (!m_firstLeftOut) m_firstLeftOut = why;
    m_plan.notes.push_back("A GPU was left out. " + why.message());
}

void Planner::leaveOut(Index d, const ResourceError& why) {
    note(why);
    m_plan.devices.erase(m_plan.devices.begin() + d);
    requireDevices();
    takeSteps();
}

void Planner::requireDevices() const {
    if (m_plan.devices.empty())
        throw NoUsableDevice(m_firstLeftOut->message(), m_firstLeftOut->details());
}

ResourceError Planner::tooLittle(const DevicePlan& device, Index slices, Index bytes) const {
    return deviceShortfall(device.device, device.name,
                           {bytes, device.budgetBytes, isResumed(), slices});
}

void Planner::requireHostMemory() const {
    const Index bytes = hostBytes();
    if (bytes > m_plan.budgetBytes) throw hostShortfall({bytes, m_plan.budgetBytes, isResumed()});
}

void Planner::takeSlabs(std::vector<SlabPlan> slabs) {
    m_plan.slabs = std::move(slabs);
    const std::set<Index> done = isResumed() ? m_finished->done : std::set<Index>();
    for (SlabPlan& slab : m_plan.slabs)
        slab.rows = isGathered() ? slab.rows.hull() : m_in.acquisition.rowsInBlocks(slab.rows);
    m_plan.passes = isGathered() ? gatheredPasses(m_plan, *m_in.part, done)
                                 : passesOf(m_plan, m_in.acquisition, done);
    if (m_in.part && !m_in.part->spare.empty()) takeSpare();
    holdViewsIfTheyFit();
}

// Views that stay on the device are not copied back and forth for steps that see all of them, and
// whole views, where a step needs them, are not read again for each pass.
void Planner::holdViewsIfTheyFit() {
    m_plan.areViewsHeldThere = false;
    const Corrections& corrections = m_in.acquisition.corrections;
    // One of several ranks reads only its part of the views, but all of them for rings.
    const bool areWholeTakenAgain =
        corrections.needsWholeViews() && m_plan.passCount() > 1 && !m_plan.part;
    if (!m_plan.areStepsOnDevice || needsHostIntegrals(m_in.acquisition.asStored()) ||
        !(corrections.needsAllViews() || areWholeTakenAgain))
        return;
    m_plan.areViewsHeldThere = true;
    m_plan.areViewsHeldThere = bytesOn(0) <= m_plan.devices.front().budgetBytes;
}

void Planner::takeSpare() {
    std::set<Index> others;
    for (Index i = 0; i < std::ssize(m_plan.slabs); ++i)
        if (!m_in.part->spare.contains(i)) others.insert(others.end(), i);
    m_plan.spare = passesOf(m_plan, m_in.acquisition, others);
    if (!fits()) leaveLargeSpare(m_plan);
    if (!fits()) m_plan.spare.clear();
}

// An interrupted run keeps its slabs, so that the result is the same.
void Planner::keepSlabs() {
    std::vector<SlabPlan> slabs;
    for (const IndexRanges& slices : m_finished->slabs)
        slabs.push_back(gantry::slabOf(m_geometry, m_grid, slices));
    takeSlabs(std::move(slabs));
    if (isOnCpu()) return;
    // With these slabs there may be too little memory left to filter on the device.
    if (m_plan.filteredFrom && m_in.request.filterOn == FilterOn::automatic && !fits())
        m_plan.filteredFrom.reset();
    requireFit();
}

std::vector<DeviceShare> Planner::shares(int slabsAtOnce, std::optional<Index> mirror) const {
    std::vector<DeviceShare> result;
    for (Index d = 0; d < std::ssize(m_plan.devices); ++d) {
        const DevicePlan& device = m_plan.devices[d];
        const Index left = device.budgetBytes - stepsBytesOn(m_in, m_plan, d);
        const auto fits = [&](Index slices, Index rows) {
            return bytesOf(device, slices, rows, slabsAtOnce) <= left;
        };
        // The CPU's slabs are in the host's memory, which is checked as a whole.
        const Index max = isOnCpu() ? m_grid.voxels[2]
                          : mirror  ? maxPairedSlicesThatFit(m_geometry, m_grid, *mirror, fits)
                                    : maxSlicesThatFit(m_geometry, m_grid, fits);
        const double speed =
            device.kernel.updatesPerSecond * device.kernel.kernel.partOfSpeed(mirror.has_value());
        result.push_back({std::max(1.0, speed), max});
    }
    return result;
}

// The highest layer of the kernels, which is whole layers of kernels with thinner ones.
Index Planner::layer() const {
    Index max = 1;
    for (const DevicePlan& device : m_plan.devices)
        max = std::max(max, device.kernel.kernel.layerSlices);
    return max;
}

bool Planner::fits() const {
    for (Index d = 0; !isOnCpu() && d < std::ssize(m_plan.devices); ++d)
        if (bytesOn(d) > m_plan.devices[d].budgetBytes) return false;
    return hostBytes() <= m_plan.budgetBytes;
}

// Pairs double the speed of kernels that mirror, but may read more rows and need thinner slabs.
bool Planner::assignPairsIfFaster() {
    const std::optional<Index> mirror = this->mirror();
    if (!mirror) return false;
    JobPlan plain = m_plan;
    const bool isFaster = assignAll(mirror) && knownWall(m_in, m_plan) < knownWall(m_in, plain);
    if (!isFaster) m_plan = std::move(plain);
    return isFaster;
}

// A store that bounds the run has to wait for the first pass; but every pass reads some rows again.
void Planner::assignThinFirstIfFaster(std::optional<Index> mirror) {
    constexpr double kClearly = 0.98;
    if (isOnCpu() || m_plan.passes.size() < 2) return;
    JobPlan even = m_plan;
    const bool isFaster = assignAll(mirror, FirstPass::thin) &&
                          knownWall(m_in, m_plan) < kClearly * knownWall(m_in, even);
    if (!isFaster) m_plan = std::move(even);
}

// The mirror of the volume, if all kernels mirror.
std::optional<Index> Planner::mirror() const {
    for (const DevicePlan& device : m_plan.devices)
        if (!device.kernel.kernel.mirrors) return std::nullopt;
    return mirroredSlices(m_geometry, m_grid);
}

void Planner::assign() {
    while (!assignAll({})) {
        const std::vector<DeviceShare> two = shares(2, {});
        const auto small =
            std::ranges::find_if(two, [](const DeviceShare& share) { return share.maxSlices < 1; });
        if (small == two.end()) {
            requireHostMemory();
            for (Index d = 0; d < std::ssize(m_plan.devices); ++d)
                if (const Index bytes = bytesOn(d); bytes > m_plan.devices[d].budgetBytes)
                    throw tooLittle(m_plan.devices[d], 1, bytes);
            throw InternalError("a volume that fits its devices was not assigned to them");
        }
        const Index d = small - two.begin();
        const DevicePlan& device = m_plan.devices[d];
        leaveOut(d, tooLittle(device, 1, bytesOf(device, 1, m_geometry.detector.rows, 2)));
    }
    const bool hasPairs = assignPairsIfFaster();
    assignThinFirstIfFaster(hasPairs ? mirror() : std::nullopt);
}

// Whether the volume can be cut so that slabs fit all devices and their batches fit the host; it is
// cut into pairs where there is a mirror.
bool Planner::assignAll(std::optional<Index> mirror, FirstPass first) {
    const auto count = std::ssize(m_plan.devices);
    const Index max = maxPasses(m_grid, count, mirror);
    m_plan.areViewsHeldThere = false;
    const std::vector<DeviceShare> one = shares(1, mirror);
    const std::vector<DeviceShare> two = shares(2, mirror);
    Index passes =
        isOnCpu() ? 1 : std::min(max, passesToOverlap(m_geometry, m_grid, count, mirror));
    // With a thin first pass, the others keep the height they would have without it.
    if (first == FirstPass::thin && passes < max) ++passes;
    while (true) {
        const std::vector<DeviceShare>& held = passes == 1 ? one : two;
        takeSlabs(mirror ? assignPairs(m_geometry, m_grid, *mirror, held, passes, layer(), first)
                         : assignSlabs(m_geometry, m_grid, held, passes, layer(), first));
        if (!m_plan.slabs.empty() && fits()) return true;
        if (passes >= max) return false;
        passes = std::min(max, std::max(passes + 1, passes * 21 / 20));
    }
}

void Planner::requireFit() {
    for (Index d = 0; d < std::ssize(m_plan.devices);) {
        const DevicePlan& device = m_plan.devices[d];
        const Index bytes = bytesOn(d);
        if (bytes <= device.budgetBytes) {
            ++d;
            continue;
        }
        leaveOut(d, tooLittle(device, deviceJobOf(m_in, m_plan, d).maxSlices, bytes));
        takeSlabs(std::move(m_plan.slabs));
        d = 0;  // checks all again, because the other slabs have changed
    }
    requireHostMemory();
}

Index Planner::bytesOn(Index d) const {
    return m_in.machine.engine(m_plan.engine).bytesNeeded(deviceJobOf(m_in, m_plan, d)) +
           viewFilterBytes() + stepsBytesOn(m_in, m_plan, d);
}

Index Planner::bytesOf(const DevicePlan& device, Index slices, Index rows, int slabsAtOnce) const {
    DeviceJob job = jobWithoutSlabs(m_in.acquisition, m_in.request, m_plan, device.kernel.kernel);
    job.maxRows = rows;
    job.maxSlices = slices;
    job.slabsAtOnce = slabsAtOnce;
    return m_in.machine.engine(m_plan.engine).bytesNeeded(job) + viewFilterBytes();
}

// A rank that gathers has one device.
Index Planner::viewFilterBytes() const {
    const auto& bytes = m_in.machine.gpu.viewFilterBytes;
    return m_plan.filteredFrom ? bytes(viewFilterJobOf(m_in.acquisition, m_in.request, m_plan)) : 0;
}

// Memory of the CPU's slab in a pass; each of its ranges has its own block of rows, if there are
// two.
Index Planner::engineBytesOnHost(const PassPlan& pass) const {
    if (pass.assignments.empty()) return 0;
    const SlabPlan& slab = m_plan.slabs[pass.assignments.front().slab];
    const std::span<const IndexRange> rows = slab.rows.parts();
    Index bytes = 0;
    for (std::size_t i = 0; i < slab.slices.parts().size(); ++i)
        bytes += bytesOf(m_plan.devices.front(), slab.slices.parts()[i].size(),
                         rows[rows.size() == 2 ? i : 0].size(), 1);
    return bytes;
}

Index Planner::hostBytes() const {
    Index max = 0;
    for (Index i = 0; i < m_plan.passCount(); ++i)
        max = std::max(max, hostBytesOfPass(m_in.acquisition, m_plan, m_plan.pass(i)) +
                                (isOnCpu() ? engineBytesOnHost(m_plan.pass(i)) : 0));
    const Index libraries =
        isOnCpu() ? 0 : kDeviceLibrariesBytes + std::ssize(m_plan.devices) * kDeviceBytes;
    const Index writers = std::max(m_plan.threads, m_plan.storeLanes);
    return hostBytesOfRun(m_in.acquisition, m_plan, m_grid) + m_in.sink.hostBytes +
           writers * m_in.sink.threadBytes + max + libraries;
}

}  // namespace

JobPlan planOnCpu(const PlanInputs& inputs, const std::optional<FinishedSlabs>& finished) {
    Planner planner(inputs, EngineKind::cpu, finished);
    planner.useCpu();
    return planner.plan();
}

JobPlan planOnGpus(const PlanInputs& inputs, const std::optional<FinishedSlabs>& finished,
                   std::optional<ViewState> state) {
    Planner planner(inputs, EngineKind::gpu, finished);
    planner.useGpus(state);
    return planner.plan();
}

}  // namespace gantry
