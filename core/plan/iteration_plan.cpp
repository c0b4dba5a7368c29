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
#include "core/iterate/iteration_space.h"
#include "core/iterate/method.h"
#include "core/plan/host_memory.h"
#include "core/plan/passes.h"
#include "core/plan/planner.h"
#include "core/plan/seconds.h"
#include "core/project/cpu_projector.h"
#include "core/project/host_space.h"
#include "core/project/surroundings.h"

namespace gantry {

namespace {

constexpr auto kFloat = static_cast<Index>(sizeof(float));

// The parts of the volume: one on each rank, or the whole.
std::vector<SpacePart> partsOf(const PlanInputs& inputs) {
    if (inputs.part) return inputs.part->parts;
    const IndexRange rows = {0, inputs.acquisition.stored.rows};
    return {{{0, inputs.request.volume.voxels[2]}, rows, rows}};
}

// Memory of an iterative method in this process.
class IterationMemory {
  public:
    IterationMemory(const PlanInputs& inputs, int threads)
        : m_method(iterativeMethod(inputs.request.method)),
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
        ProjectedViews views;
        views.poses.resize(static_cast<std::size_t>(m_views));
        views.columns = m_columns;
        views.rows = rows();
        if (inputs.request.method.isRegion)
            m_aroundBytes = Surroundings::bytesNeeded(views, m_grid, threads);
        m_projector = makeCpuProjector(std::move(views), threads);
        m_areViewsHeldTwice = inputs.acquisition.corrections.needsAllViews();
    }

    [[nodiscard]] const std::vector<SpacePart>& parts() const { return m_parts; }
    [[nodiscard]] const SpacePart& part() const {
        return m_parts[static_cast<std::size_t>(m_rank)];
    }
    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] const VolumeGrid& grid() const { return m_grid; }

    // The vectors of the method, the views, the projector's slab, and what goes to other ranks.
    [[nodiscard]] Index bytes(Index slabSlices) const {
        const SpaceShape shape = {m_grid.voxels, m_views, rows(), m_columns, m_hasCounts};
        const Index before = m_areViewsHeldTwice ? m_views * m_viewBytes : 0;
        return before + m_aroundBytes + exchangeBytes() +
               HostSpace::bytesNeeded(
                   shape, m_method,
                   m_projector->bytesNeeded(m_grid, std::min(slabSlices, m_grid.voxels[2])),
                   m_slices);
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
    [[nodiscard]] Index exchangeBytes() const {
        if (m_parts.size() == 1) return 0;
        const Index slicePair = 2 * m_grid.voxels[0] * m_grid.voxels[1] * kFloat;
        const Index views = exchangedViews(m_parts, m_columns, m_views);
        return kMpiBytes +
               std::max(slicePair, 2 * exchangedBytes(m_parts, m_rank, m_columns, views));
    }

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
    std::unique_ptr<Projector> m_projector;
};

// The start of a part in the memory that the iterations leave, as a volume of its own.
JobPlan planStart(const PlanInputs& inputs, const IterationMemory& memory, Index budgetBytes) {
    ReconstructionRequest request = inputs.request;
    request.volume = memory.grid();
    request.memoryBytes = std::max<Index>(1, budgetBytes);
    JobPlan plan =
        planOnCpu({inputs.acquisition, request, inputs.machine, inputs.facts, inputs.sink}, {});
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
JobPlan planWith(const PlanInputs& inputs, const IterationMemory& memory, Index slabSlices,
                 Index budgetBytes) {
    const MethodSpec& method = inputs.request.method;
    const Index bytes = memory.bytes(slabSlices);
    JobPlan plan = planStart(inputs, memory, budgetBytes - bytes);
    const auto start = std::make_shared<const JobPlan>(plan);
    if (inputs.part) takePart(inputs, plan);
    plan.budgetBytes = plan.devices.front().budgetBytes = budgetBytes;
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
                       start};
    return plan;
}

ResourceError shortfall(const PlanInputs& inputs, const IterationMemory& memory, Index slabSlices,
                        const JobPlan& base) {
    const auto [nX, nY, nZ] = inputs.request.volume.voxels;
    const Index needed = memory.bytes(slabSlices) + inputs.sink.hostBytes +
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
    constexpr std::size_t kFewPasses = 4;  // of the start over the views
    constexpr Index kThinSlab = 16;        // thinner ones would cost the projector more
    const JobPlan base = batchesOf(inputs);
    const IterationMemory memory(inputs, base.threads);
    const Index slices = memory.grid().voxels[2];
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
    const IterationPlan& iterations = *plan.iterations;
    const SpacePart& part = iterations.ownPart();
    const VolumeGrid grid = inputs.request.volume.slab(part.slices);
    const SourceInfo& stored = inputs.acquisition.stored;
    const auto pixels = static_cast<double>(part.rows.size() * stored.columns);
    const auto passSeconds = [&](const VolumeGrid& through) {
        const double samples =
            std::max(static_cast<double>(through.count()),
                     pixels * static_cast<double>(std::max(through.voxels[0], through.voxels[1]))) *
            static_cast<double>(stored.views);
        return seconds(samples, kShareOfRate * rates.updates);
    };
    const double each = passSeconds(grid);
    // One more of each makes the weights of rays and voxels.
    const auto passes = static_cast<double>(iterations.iterations + 1);
    const bool isRegion = inputs.request.method.isRegion;
    // Views are read for the start, for what is around a region, and for the iterations.
    const int readings = (iterations.isFromFdk ? 2 : 1) + (isRegion ? 1 : 0);
    forecast.load *= readings;
    forecast.correct *= readings;
    forecast.prepare *= readings;
    if (!iterations.isFromFdk) forecast.filter = forecast.backproject = 0;
    forecast.project = passes * each;
    forecast.backproject += passes * each;
    if (isRegion) {
        const Index columns = inputs.acquisition.geometry.detector.columns;
        const double whole = passSeconds(Surroundings::roughGrid(columns, stored.rows));
        const auto wholePasses = static_cast<double>(Surroundings::passes());
        forecast.project += (wholePasses + 1) * whole + each;
        forecast.backproject += wholePasses * whole;
    }
    forecast.reduce =
        passes * seconds(static_cast<double>(exchangedBytes(iterations.parts, iterations.rank,
                                                            stored.columns, stored.views)),
                         rates.exchange.reduceBytes);
    forecast.boundingStage = name(Stage::project);
    forecast.wall = forecast.load + forecast.correct + forecast.prepare + forecast.filter +
                    forecast.project + forecast.backproject + forecast.reduce + forecast.store;
}

}  // namespace gantry
