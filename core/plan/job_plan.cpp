#include "core/plan/job_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/plan/device_choice.h"
#include "core/plan/filter_rows.h"
#include "core/plan/iteration_plan.h"
#include "core/plan/plan_forecast.h"
#include "core/plan/planner.h"

namespace gantry {

IndexRanges PassPlan::loadedRows() const {
    if (!isGathered()) return rows;
    IndexRange all;
    for (const ColumnShare& share : column)
        all = hullOf(all, share.rows);
    return all;
}

std::vector<Index> PassPlan::slabsOfAll() const {
    std::vector<Index> slabs;
    for (const ColumnShare& share : column)
        if (share.slab) slabs.push_back(*share.slab);
    if (isGathered()) return slabs;
    for (const Assignment& made : assignments)
        slabs.push_back(made.slab);
    return slabs;
}

Index JobPlan::sharerCount() const {
    if (!part) return 1;
    return part->plan.isGathered() ? part->plan.grid.ranks() : part->plan.grid.columns;
}

IndexRange JobPlan::viewsOf(Index batch) const {
    const Index begin = views.begin + batch * batchViews;
    return {begin, std::min(begin + batchViews, views.end)};
}

IndexRange JobPlan::loadedViews(Index batch) const {
    const IndexRange all = viewsOf(batch);
    const bool isGathered = part && part->plan.isGathered();
    return isGathered ? partOfBatch(all, part->plan.grid.rows, part->row()) : all;
}

Index JobPlan::maxLoadedViews() const {
    const Index shares = part && part->plan.isGathered() ? part->plan.grid.rows : 1;
    return (batchViews + shares - 1) / shares;
}

const PassPlan& JobPlan::pass(Index i) const {
    const auto own = std::ssize(passes);
    return i < own ? passes[i] : spare[i - own];
}

namespace {

JobPlan planAnywhere(const PlanInputs& inputs, const std::optional<FinishedSlabs>& finished) {
    if (!runsOnDevices(inputs.request, inputs.machine)) return planOnCpu(inputs, finished);
    try {
        JobPlan plan = planOnGpus(inputs, finished);
        const ViewState place = filterPlace(inputs, plan);
        return place == plan.hostTakes() ? plan : planOnGpus(inputs, finished, place);
    } catch (const NoUsableDevice& error) {
        if (asksForDevices(inputs.request)) throw;
        JobPlan plan = planOnCpu(inputs, finished);
        // The slabs of an interrupted run on GPUs may not fit the memory that the host may use.
        if (finished && plan.hostBytes > plan.budgetBytes) throw;
        plan.notes.push_back("Back-projected on the CPU, as no GPU could be used. " +
                             error.message());
        return plan;
    }
}

}  // namespace

JobPlan planJob(const PlanInputs& inputs, const std::optional<FinishedSlabs>& finished) {
    if (inputs.request.method.isIterative()) return planIterations(inputs);
    JobPlan plan = planAnywhere(inputs, finished);
    if (std::string note = rowsNote(inputs.acquisition, plan.engine); !note.empty())
        plan.notes.push_back(std::move(note));
    return plan;
}

DeviceJob jobWithoutSlabs(const Acquisition& acquisition, const ReconstructionRequest& request,
                          const JobPlan& plan, const Kernel& kernel) {
    DeviceJob job;
    job.acquisition = &acquisition;
    job.volume = request.volume;
    job.filter = request.filter;
    job.handedOver = plan.handedOver;
    job.kernel = kernel.name;
    job.batchViews = plan.batchViews;
    job.slabsAtOnce = 0;
    job.chunkSlices = plan.chunkSlices;
    job.threads = plan.threads;
    return job;
}

DeviceJob viewFilterJobOf(const Acquisition& acquisition, const ReconstructionRequest& request,
                          const JobPlan& plan) {
    DeviceJob job = jobWithoutSlabs(acquisition, request, plan, plan.devices.front().kernel.kernel);
    job.handedOver = plan.filteredFrom.value();
    job.batchViews = plan.maxLoadedViews();
    job.maxRows = acquisition.geometry.detector.rows;
    return job;
}

ViewStepsJob viewStepsJobOf(const Acquisition& acquisition, const JobPlan& plan) {
    ViewStepsJob job;
    job.stored = &acquisition.asStored();
    job.corrections = acquisition.corrections;
    job.phase = acquisition.phase;
    job.areIntegrals = needsHostIntegrals(*job.stored);
    job.blockViews = plan.batchViews;
    job.isHeld = plan.areViewsHeldThere;
    const auto addRows = [&](const IndexRanges& rows) {
        Index read = 0;
        for (const StepRows& block : stepRows(acquisition, rows))
            read += block.read.size();
        job.maxReadRows = std::max(job.maxReadRows, read);
        job.maxRows = std::max(job.maxRows, rows.size());
    };
    if (plan.areViewsHeldThere) {
        job.countSets = std::max<Index>(1, plan.passCount());
        addRows(heldRows(acquisition, plan));
    }
    for (Index pass = 0; pass < plan.passCount(); ++pass)
        addRows(acquisition.storedRows(plan.pass(pass).loadedRows()));
    if (job.maxRows == 0) addRows({0, acquisition.stored.rows});
    return job;
}

IndexRange heldRows(const Acquisition& acquisition, const JobPlan& plan) {
    IndexRange all;
    for (Index pass = 0; pass < plan.passCount(); ++pass) {
        const IndexRanges rows = acquisition.storedRows(plan.pass(pass).loadedRows());
        if (!rows.empty()) all = hullOf(all, rows.hull());
    }
    return all;
}

ViewStepsJob resampleJobOf(const Acquisition& acquisition, const JobPlan& plan) {
    ViewStepsJob job;
    job.stored = &acquisition;
    job.blockViews = plan.maxLoadedViews();
    for (Index pass = 0; pass < plan.passCount(); ++pass)
        job.maxRows =
            std::max(job.maxRows, acquisition.storedRows(plan.pass(pass).loadedRows()).size());
    if (job.maxRows == 0) job.maxRows = acquisition.stored.rows;
    job.maxReadRows = job.maxRows;
    return job;
}

DeviceJob deviceJobOf(const Acquisition& acquisition, const ReconstructionRequest& request,
                      const JobPlan& plan, Index index) {
    const DevicePlan& device = plan.devices[index];
    DeviceJob job = jobWithoutSlabs(acquisition, request, plan, device.kernel.kernel);
    const int maxSlabs = plan.engine == EngineKind::cpu ? 1 : 2;
    for (Index pass = 0; pass < plan.passCount(); ++pass)
        for (const Assignment& part : plan.pass(pass).assignments) {
            if (part.device != index) continue;
            const SlabPlan& slab = plan.slabs[part.slab];
            job.maxRows = std::max(job.maxRows, slab.rows.size());
            job.maxSlices = std::max(job.maxSlices, slab.slices.size());
            job.slabsAtOnce = std::min(maxSlabs, job.slabsAtOnce + 1);
        }
    return job;
}

DeviceJob deviceJobOf(const PlanInputs& inputs, const JobPlan& plan, Index index) {
    return deviceJobOf(inputs.acquisition, inputs.request, plan, index);
}

std::string engineName(const JobPlan& plan) {
    if (plan.engine == EngineKind::cpu) {
        const DevicePlan& cpu = plan.devices.front();
        if (plan.iterations) return fmt::format("{}, {}", cpu.name, plan.iterations->method);
        const std::string& kernel = cpu.kernel.kernel.name;
        return kernel.empty() ? cpu.name : fmt::format("{}, kernel {}", cpu.name, kernel);
    }
    std::string text;
    for (std::size_t i = 0; i < plan.devices.size();) {
        const DevicePlan& first = plan.devices[i];
        std::size_t same = 0;
        while (i < plan.devices.size() && plan.devices[i].name == first.name &&
               plan.devices[i].kernel.kernel == first.kernel.kernel) {
            ++same;
            ++i;
        }
        const Kernel& kernel = first.kernel.kernel;
        text += fmt::format("{}{}{} ({}, {})", text.empty() ? "" : " + ",
                            same > 1 ? fmt::format("{} × ", same) : "", first.name, kernel.name,
                            kernel.isFast ? "fast" : "exact");
    }
    return text;
}

}  // namespace gantry
