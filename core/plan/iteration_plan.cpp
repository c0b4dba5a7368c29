#include "core/plan/iteration_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/geometry/footprint.h"
#include "core/iterate/iteration_space.h"
#include "core/iterate/method.h"
#include "core/plan/device_choice.h"
#include "core/plan/host_memory.h"
#include "core/plan/passes.h"
#include "core/plan/planner.h"
#include "core/project/cpu_projector.h"
#include "core/project/host_space.h"
#include "core/project/surroundings.h"
#include "core/project/thread_peers.h"

namespace gantry {

namespace {

constexpr auto kFloat = static_cast<Index>(sizeof(float));

// The parts of the volume: one on each rank, or the whole.
std::vector<SpacePart> partsOf(const PlanInputs& inputs) {
    if (inputs.part) return inputs.part->parts;
    const IndexRange rows = {0, inputs.acquisition.stored.rows};
    return {{{0, inputs.request.volume.voxels[2]}, rows, rows}};
}

using Place = IterationPlan::Place;

// Memory of an iterative method in this process. devices: none on the CPU
class IterationMemory {
  public:
    IterationMemory(const PlanInputs& inputs, Place place, std::vector<DevicePlan> devices)
        : m_place(place),
          m_base(batchesOf(inputs)),
          m_devices(std::move(devices)),
          m_engine(inputs.machine.gpu),
          m_method(iterativeMethod(inputs.request.method)),
          m_hasCounts(inputs.request.method.photons > 0),
          m_parts(partsOf(inputs)),
          m_rank(inputs.part ? inputs.part->rank : 0),
          m_slices(inputs.request.volume.voxels[2]),
          m_grid(inputs.request.volume.slab(part().slices)) {
        const SourceInfo& stored = inputs.acquisition.stored;
        m_views = stored.views;
        m_columns = stored.columns;
        m_viewBytes = rows() * m_columns * kFloat;
        // It depends on sizes alone, not on where the views were taken from.
        m_sizes.poses.resize(static_cast<std::size_t>(m_views));
        m_sizes.columns = m_columns;
        m_sizes.rows = rows();
        if (inputs.request.method.isRegion)
            m_aroundBytes = Surroundings::bytesNeeded(m_sizes, m_grid, m_base.threads);
        m_ofDevice = shape();
        if (m_devices.size() > 1) shareAmongDevices(inputs.acquisition);
        if (place == Place::host) m_projector = makeCpuProjector(m_sizes, m_base.threads);
        m_areViewsHeldTwice = inputs.acquisition.corrections.needsAllViews();
    }

    [[nodiscard]] const std::vector<SpacePart>& parts() const { return m_parts; }
    [[nodiscard]] const SpacePart& part() const {
        return m_parts[static_cast<std::size_t>(m_rank)];
    }
    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] const VolumeGrid& grid() const { return m_grid; }

    [[nodiscard]] Place place() const { return m_place; }
    [[nodiscard]] const std::vector<DevicePlan>& devices() const { return m_devices; }
    // That with the smallest budget.
    [[nodiscard]] const DevicePlan& smallest() const {
        return *std::ranges::min_element(m_devices, {}, &DevicePlan::budgetBytes);
    }
    [[nodiscard]] const JobPlan& base() const { return m_base; }

    // Host memory of the vectors, the views, the projector's slab, and what goes to other ranks.
    [[nodiscard]] Index bytes(Index slabSlices) const {
        const Index before = m_areViewsHeldTwice ? m_views * m_viewBytes : 0;
        Index held = 0;
        if (m_place == Place::device)  // only what comes and goes
            held = m_viewBytes + m_grid.voxels[0] * m_grid.voxels[1] * kFloat + exchangedHere();
        else
            held = HostSpace::bytesNeeded(
                shape(), m_method,
                m_projector ? m_projector->bytesNeeded(m_grid, inPart(slabSlices)) : 0, m_slices);
        return before + m_aroundBytes + exchangeBytes() + held;
    }
    [[nodiscard]] Index deviceBytes(Index slabSlices) const {
        switch (m_place) {
            case Place::device:
                return m_engine.spaceBytes(m_ofDevice, m_method);
            case Place::blocksOnDevice:
                return m_engine.projectorBytes(m_sizes, m_grid, inPart(slabSlices));
            case Place::host:
                break;
        }
        return 0;
    }
    // This part of the volume, directions, dual fields and residuals that a run resumes from.
    [[nodiscard]] Index stateBytes() const {
        const VectorCounts vectors = vectorsOf(m_method);
        return (vectors.volumes + 3 * vectors.gradients) * m_grid.count() * kFloat +
               vectors.views * m_views * m_viewBytes;
    }
    [[nodiscard]] std::string method() const { return nameOf(m_method); }

  private:
    [[nodiscard]] Index rows() const { return part().rows.size(); }
    // Slices and rows of the part in the middle, whose cone is the widest in rows.
    void shareAmongDevices(const Acquisition& acquisition) {
        constexpr Index kMargin = 8;  // rows that interpolation adds
        const auto count = std::ssize(m_devices);
        const Index slices = (m_grid.voxels[2] + count - 1) / count;
        m_ofDevice.voxels[2] = slices;
        if (!acquisition.geometry.areAligned() || !acquisition.rectifier.isIdentity()) return;
        for (Index i = 0; i < count; ++i) {
            const IndexRange own = {i * slices, std::min((i + 1) * slices, m_grid.voxels[2])};
            const Index seen = footprintRows(acquisition.geometry, m_grid, own).size() + kMargin;
            m_ofDevice.rows = std::min(rows(), i == 0 ? seen : std::max(seen, m_ofDevice.rows));
        }
    }
    // Rays that the devices of this process give to each other, and their sums.
    [[nodiscard]] Index exchangedHere() const {
        const auto count = std::ssize(m_devices);
        return count > 1 ? 2 * count * kViewsExchanged * m_ofDevice.viewRays() * kFloat : 0;
    }
    [[nodiscard]] SpaceShape shape() const {
        return {m_grid.voxels, m_views, rows(), m_columns, m_hasCounts};
    }
    [[nodiscard]] Index inPart(Index slices) const { return std::min(slices, m_grid.voxels[2]); }
    [[nodiscard]] Index exchangeBytes() const {
        if (m_parts.size() == 1) return 0;
        const Index slicePair = 2 * m_grid.voxels[0] * m_grid.voxels[1] * kFloat;
        const Index views = exchangedViews(m_parts, m_columns, m_views);
        return kMpiBytes +
               std::max(slicePair, 2 * exchangedBytes(m_parts, m_rank, m_columns, views));
    }

    Place m_place;
    JobPlan m_base;  // threads and what the host may use
    std::vector<DevicePlan> m_devices;
    SpaceShape m_ofDevice;       // the largest part
    const EngineInfo& m_engine;  // of GPUs
    IterativeMethod m_method;
    bool m_hasCounts = false;
    std::vector<SpacePart> m_parts;
    int m_rank = 0;
    Index m_slices = 0;  // of the whole volume
    VolumeGrid m_grid;   // of the part
    Index m_views = 0;
    Index m_columns = 0;
    Index m_viewBytes = 0;
    Index m_aroundBytes = 0;
    bool m_areViewsHeldTwice = false;  // those that are corrected together
    ProjectedViews m_sizes;
    std::unique_ptr<Projector> m_projector;  // of the host
};

// The start of a part in the memory that the iterations leave, as a volume of its own.
JobPlan planStart(const PlanInputs& inputs, const IterationMemory& memory, Index slabSlices) {
    ReconstructionRequest request = inputs.request;
    request.method = {};
    request.volume = memory.grid();
    request.memoryBytes = std::max<Index>(1, memory.base().budgetBytes - memory.bytes(slabSlices));
    if (memory.place() == Place::host) {
        leaveGpus(request);
        request.engine = Engine::cpu;
    } else {
        const Index left = memory.smallest().budgetBytes - memory.deviceBytes(slabSlices);
        request.engine = Engine::gpu;
        request.devices.clear();
        for (const DevicePlan& device : memory.devices())
            request.devices.push_back(device.device);
        request.deviceMemoryBytes = std::max<Index>(1, left);
    }
    JobPlan plan =
        planJob({inputs.acquisition, request, inputs.machine, inputs.facts, inputs.sink});
    // Pixels of rows that several ranks read are counted by one of them.
    const IndexRange& own = memory.part().ownRows;
    for (SlabPlan& slab : plan.slabs) {
        slab.counted = {std::max(slab.counted.begin, own.begin),
                        std::min(slab.counted.end, own.end)};
        if (slab.counted.empty()) slab.counted = {};
    }
    return plan;
}

// What this rank makes of the whole volume, for log, store and report.
void takePart(const PlanInputs& inputs, JobPlan& plan) {
    plan.part = *inputs.part;
    plan.slabs.clear();
    std::set<Index> others;
    const auto& all = inputs.part->plan.slabs;
    for (Index i = 0; i < std::ssize(all.slabs); ++i) {
        SlabPlan slab = slabOf(inputs.acquisition.geometry, inputs.request.volume, all.slabs[i]);
        slab.rows = inputs.acquisition.rowsInBlocks(slab.rows);
        plan.slabs.push_back(slab);
        if (all.ranks[i] != inputs.part->rank) others.insert(i);
    }
    plan.passes = passesOf(plan, inputs.acquisition, others);
}

// The whole, where the projector holds so many slices at a time.
JobPlan planWith(const PlanInputs& inputs, const IterationMemory& memory, Index slabSlices) {
    const MethodSpec& method = inputs.request.method;
    const Index bytes = memory.bytes(slabSlices);
    JobPlan plan = planStart(inputs, memory, slabSlices);
    const auto start = std::make_shared<const JobPlan>(plan);
    if (inputs.part) takePart(inputs, plan);
    const bool isOnHost = memory.place() == Place::host;
    plan.budgetBytes = memory.base().budgetBytes;
    for (DevicePlan& device : plan.devices) {
        device.budgetBytes = isOnHost ? plan.budgetBytes : memory.smallest().budgetBytes;
        device.bytes += memory.deviceBytes(slabSlices);
    }
    plan.hostBytes += bytes;
    plan.iterations = {memory.method(),
                       describe(method),
                       method.maxIterations(),
                       slabSlices,
                       bytes,
                       memory.stateBytes(),
                       method.start == kStartFdk,
                       memory.parts(),
                       memory.rank(),
                       start,
                       memory.place(),
                       {},
                       memory.deviceBytes(slabSlices)};
    for (const DevicePlan& device : memory.devices())
        plan.iterations->devices.push_back(device.device);
    return plan;
}

// Why not even a slab of one slice fits.
ResourceError shortfall(const PlanInputs& inputs, const IterationMemory& memory) {
    if (!memory.devices().empty())
        if (const DevicePlan& device = memory.smallest();
            memory.deviceBytes(1) > device.budgetBytes)
            return deviceShortfall(device.device, device.name,
                                   {memory.deviceBytes(1), device.budgetBytes});
    const JobPlan& base = memory.base();
    const auto [nX, nY, nZ] = inputs.request.volume.voxels;
    const Index needed = memory.bytes(1) + inputs.sink.hostBytes +
                         hostBytesOfRun(inputs.acquisition, base, inputs.request.volume);
    const bool isPart = memory.parts().size() > 1;
    return ResourceError(
        fmt::format("{} of {} × {} × {} voxels keeps volume and {} views in memory, which needs "
                    "more than {}{}, and {} may use {}.",
                    memory.method(), nX, nY, nZ, inputs.acquisition.stored.views,
                    formatBytes(needed),
                    isPart ? fmt::format(" for the {} slices of rank {}",
                                         memory.part().slices.size(), memory.rank())
                           : std::string(),
                    isPart ? "a rank" : "the job", formatBytes(base.budgetBytes)),
        {.code = ErrorCode::hostMemory,
         .advice = "Raise --memory, ask for fewer --voxels, average pixels by --bin 2, or use "
                   "--method fdk."});
}

// With the thickest slab that leaves room for a start, on the host one of few passes; nothing where
// there is no room for any. What goes to and from a device costs more than a start's passes.
std::optional<JobPlan> planInSlabs(const PlanInputs& inputs, const IterationMemory& memory) {
    constexpr std::size_t kFewPasses = 4;  // of the start over the views
    constexpr Index kThinSlab = 16;        // thinner ones would cost the projector more
    std::optional<JobPlan> found;
    Index slab = memory.grid().voxels[2];
    for (bool isLast = false; !isLast; slab = (slab + 1) / 2) {
        isLast = slab == 1 || memory.place() == Place::device;
        if (found && slab < kThinSlab) break;
        try {
            found = planWith(inputs, memory, slab);
            if (memory.place() != Place::host || found->passes.size() <= kFewPasses) break;
        } catch (const ResourceError&) {
            continue;
        }
    }
    return found;
}

JobPlan planOnHost(const PlanInputs& inputs) {
    const IterationMemory memory(inputs, Place::host, {});
    if (std::optional<JobPlan> found = planInSlabs(inputs, memory)) return *std::move(found);
    throw shortfall(inputs, memory);
}

// Vectors on all GPUs that can be used, or slabs on the first of them.
JobPlan planOnDevices(const PlanInputs& inputs) {
    constexpr Index kSlicesThatPay = 32;  // fewer would not pay a device for what it exchanges
    std::optional<ResourceError> why;
    std::vector<DevicePlan> usable;
    for (const Candidate& candidate : candidatesOf(inputs)) {
        if (!candidate.whyNot)
            usable.push_back(candidate.device);
        else if (!why)
            why = candidate.whyNot;
    }
    if (!usable.empty()) {
        const Index slices = inputs.request.volume.voxels[2];
        const auto max = inputs.part ? 1 : std::max<Index>(1, slices / kSlicesThatPay);
        if (std::ssize(usable) > max) usable.resize(static_cast<std::size_t>(max));
        const IterationMemory there(inputs, Place::device, usable);
        if (std::optional<JobPlan> found = planInSlabs(inputs, there)) return *std::move(found);
        const IterationMemory blocks(inputs, Place::blocksOnDevice, {usable.front()});
        if (std::optional<JobPlan> found = planInSlabs(inputs, blocks)) return *std::move(found);
        why = shortfall(inputs, blocks);
    }
    throw NoUsableDevice(why->message(), why->details());
}

}  // namespace

GridPart iterationPart(const ProjectedViews& views, const VolumeGrid& grid, int rank, int ranks) {
    GridPart part;
    part.rank = rank;
    part.parts = spaceParts(views, grid, ranks);
    GridPlan& plan = part.plan;
    plan.grid = {ranks, 1, Exchange::rows};
    plan.views = {{0, std::ssize(views.poses)}};
    for (const SpacePart& one : part.parts) {
        plan.slabs.ranks.push_back(static_cast<int>(std::ssize(plan.slabs.slabs)));
        plan.slabs.slabs.emplace_back(one.slices);
        plan.shares.push_back(static_cast<double>(one.slices.size()) /
                              static_cast<double>(grid.voxels[2]));
    }
    plan.why = "each iterates on slices of its own, and they add up their line integrals";
    return part;
}

JobPlan planIterations(const PlanInputs& inputs) {
    if (!runsOnDevices(inputs.request, inputs.machine)) return planOnHost(inputs);
    try {
        return planOnDevices(inputs);
    } catch (const NoUsableDevice& error) {
        if (asksForDevices(inputs.request)) throw;
        ReconstructionRequest request = inputs.request;
        leaveGpus(request);
        request.engine = Engine::cpu;
        PlanInputs onHost = {inputs.acquisition, request, inputs.machine, inputs.facts,
                             inputs.sink};
        onHost.part = inputs.part;
        JobPlan plan = planOnHost(onHost);
        plan.notes.push_back("Iterated on the CPU, as no GPU could be used. " + error.message());
        return plan;
    }
}

}  // namespace gantry
