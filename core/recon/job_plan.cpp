#include "core/recon/job_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/geometry/footprint.h"
#include "core/plan/device_slabs.h"
#include "core/plan/memory_budget.h"
#include "core/recon/device_plan.h"
#include "core/recon/host_memory.h"

namespace gantry {

namespace {

constexpr Index kRingSlots = 3;   // one being filled, one filtered, one back-projected
constexpr Index kChunkSlots = 3;  // one being copied from the slab, one waiting, one written
constexpr Index kChunkBytes = 8'000'000;

}  // namespace

std::vector<PassPlan> passesOf(const JobPlan& plan) {
    const auto slabs = static_cast<Index>(plan.slabs.size());
    const auto together = std::max<Index>(1, static_cast<Index>(plan.devices.size()));
    std::vector<PassPlan> passes;
    for (Index begin = plan.firstSlab; begin < slabs; begin += together) {
        const IndexRange range = {begin, std::min(begin + together, slabs)};
        const std::span all(plan.slabs);
        passes.push_back({range, rowsOfPass(all.subspan(static_cast<std::size_t>(range.begin),
                                                        static_cast<std::size_t>(range.size())))});
    }
    return passes;
}

std::unique_ptr<BackProjector> makeBackProjector(const JobSpec& spec, const Backends& backends) {
    const auto& make =
        spec.cpuKernel == CpuKernel::reference ? backends.reference : backends.cpuColumns;
    return make(threadsOf(spec));
}

JobPlan planJob(const OpenScan& scan, const JobSpec& spec, const Backends& backends,
                const std::optional<Checkpoint>& checkpoint) {
    if (!runsOnDevices(spec, backends))
        return planJob(scan, spec, *makeBackProjector(spec, backends), checkpoint);
    try {
        return planOnDevices(scan, spec, backends.gpu, checkpoint);
    } catch (const NoUsableDevice& error) {
        if (asksForDevices(spec)) throw;
        JobPlan plan = planJob(scan, spec, *makeBackProjector(spec, backends), checkpoint);
        // An interrupted run's slabs on GPUs may be more than the host is allowed.
        if (checkpoint && plan.hostBytes > plan.budgetBytes) throw;
        plan.notes.push_back("Back-projected on the CPU, as no GPU could be used. " +
                             error.message());
        return plan;
    }
}

JobPlan planJob(const OpenScan& scan, const JobSpec& spec, const BackProjector& backProjector,
                const std::optional<Checkpoint>& checkpoint) {
    const ScanGeometry& geometry = scan.geometry;
    const VolumeGrid& grid = spec.volume;
    JobPlan plan = batchesOf(scan, spec);
    plan.ringSlots = kRingSlots;
    plan.chunkSlots = kChunkSlots;
    plan.chunkSlices = chunkSlicesOf(grid, kChunkBytes);

    const auto bytesNeeded = [&](const SlabPlan& slab) {
        return hostBytesOfRun(scan, plan, grid) + hostBytesOfPass(scan, plan, slab.rows) +
               backProjector.bytesNeeded(grid, slab.slices.size(), plan.batchViews,
                                         slab.rows.size(), geometry.detector.columns);
    };
    if (checkpoint)
        keepSlabs(plan, *checkpoint, geometry, grid);
    else
        plan.slabs = fitSlabs(geometry, grid, plan.budgetBytes, bytesNeeded);
    for (const SlabPlan& slab : plan.slabs)
        plan.hostBytes = std::max(plan.hostBytes, bytesNeeded(slab));
    return plan;
}

}  // namespace gantry
