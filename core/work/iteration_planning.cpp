#include "core/work/iteration_planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/clock.h"
#include "core/base/throw_error.h"
#include "core/plan/iteration_plan.h"
#include "core/plan/performance_model.h"
#include "core/recon/iterative_run.h"

namespace gantry {

namespace {

// All ranks project by slabs of the same thickness, which states record; one that has room for its
// whole part counts as the others' whole parts do.
void agreeOnSlabs(const PlanningCommunicator& communicator, IterationPlan& plan) {
    const bool isWhole = plan.slabSlices >= plan.ownPart().slices.size();
    Index thickest = 0;
    for (const SpacePart& part : plan.parts)
        thickest = std::max(thickest, part.slices.size());
    plan.slabSlices = smallestOfAll(communicator, isWhole ? thickest : plan.slabSlices);
}

}  // namespace

void requireSharable(const JobSpec& spec, int ranks) {
    if (!spec.method.isIterative()) return;
    if (spec.method.isRegion && ranks > 1)
        throw InputError(
            "A region of a larger object is made in one process, and not by several ranks.",
            {.advice = "Leave --ranks or --region out.", .field = "method.region"});
    const Index slices = spec.volume.voxels[2];
    if (slices > 0 && ranks > slices)
        throw InputError(fmt::format("{} ranks cannot share {} slices: {} needs at least one slice "
                                     "for each.",
                                     ranks, slices, name(spec.method.method)),
                         {.advice = "Use fewer --ranks.", .field = "ranks"});
}

PlannedRank planIterationsTogether(const RankRequest& request,
                                   const PlanningCommunicator& communicator, int ranks,
                                   Purpose purpose, const std::stop_token& stop) {
    const std::int64_t begin = nowNs();
    requireSharable(request.spec, ranks);
    GridPart part =
        iterationPart(usedViews(request.scan), request.spec.volume, communicator.rank, ranks);
    if (purpose == Purpose::forecast)
        part.exchange.reduceBytes = exchangeRate(communicator, request.spec.memoryBytes, stop);
    PlannedRank planned;
    planned.run = learnAndPlan(request.scan, request.spec, request.backends, request.sink, purpose,
                               {}, stop, &part);
    agreeOnSlabs(communicator, *planned.run.plan.iterations);
    planned.ranks = gatherPlans(communicator, planned.run);
    if (communicator.rank == 0) {
        planned.run.forecast = ofAllRanks(forecastsOf(planned.ranks));
        planned.run.planSeconds = secondsSince(begin);
    }
    return planned;
}

}  // namespace gantry
