#include "core/plan/iteration_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/iterate/iteration_space.h"
#include "core/iterate/method.h"
#include "core/plan/host_memory.h"
#include "core/plan/planner.h"
#include "core/plan/seconds.h"
#include "core/project/cpu_projector.h"
#include "core/project/host_space.h"

namespace gantry {

namespace {

constexpr auto kFloat = static_cast<Index>(sizeof(float));

// Memory of an iterative method on one machine.
class IterationMemory {
  public:
    IterationMemory(const PlanInputs& inputs, int threads)
        : m_grid(inputs.request.volume), m_method(iterativeMethod(inputs.request.method)) {
        const SourceInfo& stored = inputs.acquisition.stored;
        m_views = stored.views;
        m_rows = stored.rows;
        m_columns = stored.columns;
        m_viewBytes = m_rows * m_columns * kFloat;
        // It depends on sizes alone, not on where the views were taken from.
        ProjectedViews views;
        views.poses.resize(static_cast<std::size_t>(m_views));
        views.columns = m_columns;
        views.rows = m_rows;
        m_projector = makeCpuProjector(std::move(views), threads);
        m_areViewsHeldTwice = inputs.acquisition.corrections.needsAllViews();
    }

    // The vectors of the method, the views, and the projector's slab.
    [[nodiscard]] Index bytes(Index slabSlices) const {
        const SpaceShape shape = {m_grid.voxels, m_views, m_rows, m_columns, m_method.useCounts};
        const Index before = m_areViewsHeldTwice ? m_views * m_viewBytes : 0;
        return before + HostSpace::bytesNeeded(shape, m_method,
                                               m_projector->bytesNeeded(m_grid, slabSlices));
    }
    // The volume, directions, dual fields and residuals that a run resumes from.
    [[nodiscard]] Index stateBytes() const {
        const VectorCounts vectors = vectorsOf(m_method);
        return (vectors.volumes + 3 * vectors.gradients) * m_grid.count() * kFloat +
               vectors.views * m_views * m_viewBytes;
    }
    [[nodiscard]] std::string method() const { return nameOf(m_method); }

  private:
    VolumeGrid m_grid;
    IterativeMethod m_method;
    Index m_views = 0;
    Index m_rows = 0;
    Index m_columns = 0;
    Index m_viewBytes = 0;
    bool m_areViewsHeldTwice = false;  // those that are corrected together
    std::unique_ptr<Projector> m_projector;
};

// The start in the memory that the iterations leave.
JobPlan planStart(const PlanInputs& inputs, Index budgetBytes) {
    ReconstructionRequest request = inputs.request;
    request.memoryBytes = std::max<Index>(1, budgetBytes);
    return planOnCpu({inputs.acquisition, request, inputs.machine, inputs.facts, inputs.sink}, {});
}

// The whole, where the projector holds so many slices at a time.
JobPlan planWith(const PlanInputs& inputs, const IterationMemory& memory, Index slabSlices,
                 Index budgetBytes) {
    const MethodSpec& method = inputs.request.method;
    const Index bytes = memory.bytes(slabSlices);
    JobPlan plan = planStart(inputs, budgetBytes - bytes);
    plan.budgetBytes = plan.devices.front().budgetBytes = budgetBytes;
    plan.hostBytes += bytes;
    plan.iterations = {memory.method(), describe(method),    method.maxIterations(),   slabSlices,
                       bytes,           memory.stateBytes(), method.start == kStartFdk};
    return plan;
}

ResourceError shortfall(const PlanInputs& inputs, const IterationMemory& memory, Index slabSlices,
                        const JobPlan& base) {
    const auto [nX, nY, nZ] = inputs.request.volume.voxels;
    const Index needed = memory.bytes(slabSlices) + inputs.sink.hostBytes +
                         hostBytesOfRun(inputs.acquisition, base, inputs.request.volume);
    return ResourceError(
        fmt::format("{} of {} × {} × {} voxels keeps volume and {} views in memory, which needs "
                    "more than {}, and the job may use {}.",
                    memory.method(), nX, nY, nZ, inputs.acquisition.stored.views,
                    formatBytes(needed), formatBytes(base.budgetBytes)),
        {.code = ErrorCode::hostMemory,
         .advice = "Raise --memory, ask for fewer --voxels, average pixels by --bin 2, or use "
                   "--method fdk."});
}

}  // namespace

JobPlan planIterations(const PlanInputs& inputs) {
    constexpr std::size_t kFewPasses = 4;  // of the start over the views
    constexpr Index kThinSlab = 16;        // thinner ones would cost the projector more
    const JobPlan base = batchesOf(inputs);
    const IterationMemory memory(inputs, base.threads);
    const Index slices = inputs.request.volume.voxels[2];
    std::optional<JobPlan> found;
    for (Index slab = slices; slab >= 1; slab = slab == 1 ? 0 : (slab + 1) / 2) {
        if (found && slab < kThinSlab) break;
        try {
            found = planWith(inputs, memory, slab, base.budgetBytes);
            if (found->passes.size() <= kFewPasses) break;
        } catch (const ResourceError&) {
            if (slab == 1) throw shortfall(inputs, memory, slab, base);
        }
    }
    if (!inputs.machine.gpu.devices.empty())
        found->notes.push_back(memory.method() + " runs on the CPU.");
    return *std::move(found);
}

void addIterations(const PlanInputs& inputs, const JobPlan& plan, const MachineRates& rates,
                   Forecast& forecast) {
    // A sample of a line takes four voxels and their weights, where an update takes four pixels.
    constexpr double kShareOfRate = 0.5;
    const VolumeGrid& grid = inputs.request.volume;
    const SourceInfo& stored = inputs.acquisition.stored;
    const auto pixels = static_cast<double>(stored.rows * stored.columns);
    const double samples =
        std::max(static_cast<double>(grid.count()),
                 pixels * static_cast<double>(std::max(grid.voxels[0], grid.voxels[1]))) *
        static_cast<double>(stored.views);
    const double each = seconds(samples, kShareOfRate * rates.updates);
    // One more of each makes the weights of rays and voxels.
    const auto passes = static_cast<double>(plan.iterations->iterations + 1);
    if (plan.iterations->isFromFdk) {  // views are read for the start, and again
        forecast.load *= 2;
        forecast.correct *= 2;
        forecast.prepare *= 2;
    } else {
        forecast.filter = forecast.backproject = 0;
    }
    forecast.project = passes * each;
    forecast.backproject += passes * each;
    forecast.boundingStage = name(Stage::project);
    forecast.wall = forecast.load + forecast.correct + forecast.prepare + forecast.filter +
                    forecast.project + forecast.backproject + forecast.store;
}

}  // namespace gantry
