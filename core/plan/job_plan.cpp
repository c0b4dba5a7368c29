#include "core/plan/job_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/geometry/footprint.h"
#include "core/plan/device_choice.h"
#include "core/plan/device_plan.h"
#include "core/plan/device_slabs.h"
#include "core/plan/host_memory.h"
#include "core/plan/memory_budget.h"

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

std::unique_ptr<BackProjector> makeBackProjector(const ReconstructionRequest& request,
                                                 const Backends& backends) {
    const auto& make =
        request.cpuKernel == CpuKernel::reference ? backends.reference : backends.cpuColumns;
    return make(threadsOf(request));
}

JobPlan planJob(const Acquisition& acquisition, const ReconstructionRequest& request,
                const Backends& backends, const std::optional<FinishedSlabs>& finished) {
    if (!runsOnDevices(request, backends))
        return planJob(acquisition, request, *makeBackProjector(request, backends), finished);
    try {
        return planOnDevices(acquisition, request, backends.gpu, finished);
    } catch (const NoUsableDevice& error) {
        if (asksForDevices(request)) throw;
        JobPlan plan =
            planJob(acquisition, request, *makeBackProjector(request, backends), finished);
        // An interrupted run's slabs on GPUs may be more than the host is allowed.
        if (finished && plan.hostBytes > plan.budgetBytes) throw;
        plan.notes.push_back("Back-projected on the CPU, as no GPU could be used. " +
                             error.message());
        return plan;
    }
}

JobPlan planJob(const Acquisition& acquisition, const ReconstructionRequest& request,
                const BackProjector& backProjector, const std::optional<FinishedSlabs>& finished) {
    const AlignedViews& geometry = acquisition.geometry;
    const VolumeGrid& grid = request.volume;
    JobPlan plan = batchesOf(acquisition, request);
    plan.ringSlots = kRingSlots;
    plan.chunkSlots = kChunkSlots;
    plan.chunkSlices = chunkSlicesOf(grid, kChunkBytes);

    const auto bytesNeeded = [&](const SlabPlan& slab) {
        return hostBytesOfRun(acquisition, plan, grid) +
               hostBytesOfPass(acquisition, plan, slab.rows) +
               backProjector.bytesNeeded(grid, slab.slices.size(), plan.batchViews,
                                         slab.rows.size(), geometry.detector.columns);
    };
    if (finished)
        keepSlabs(plan, *finished, geometry, grid);
    else
        plan.slabs = fitSlabs(geometry, grid, plan.budgetBytes, bytesNeeded);
    countOnce(plan, acquisition);
    for (const SlabPlan& slab : plan.slabs)
        plan.hostBytes = std::max(plan.hostBytes, bytesNeeded(slab));
    return plan;
}

}  // namespace gantry
