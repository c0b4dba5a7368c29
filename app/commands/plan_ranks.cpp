#include "app/commands/plan_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/as_rank.h"
#include "app/cli/launch_ranks.h"
#include "app/cli/terminal.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/cluster/mpi/mpi_communicator.h"
#include "core/job/forecast_file.h"
#include "core/job/grid_plan_json.h"
#include "core/plan/filter_rows.h"
#include "core/scan/corrected_scan.h"
#include "core/work/volume_store.h"

namespace gantry {

namespace {

Index slicesOf(const RankPlan& rank, const JobPlan& plan) {
    Index slices = 0;
    for (const Assignment& part : rank.assignments)
        slices += plan.slabs[static_cast<std::size_t>(part.slab)].slices.size();
    return slices;
}

void print(const JobSpec& spec, const PlannedRun& planned, const std::vector<RankPlan>& ranks) {
    const GridPlan& grid = planned.plan.part->plan;
    fmt::print("{}\n  {}\n", spec.scan.path.string(), describe(grid));
    std::vector<std::vector<std::string>> rows = {
        {"Rank", "machine", "engine", "slices", "views", "memory", "forecast"}};
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const RankPlan& one = ranks[rank];
        rows.push_back(
            {fmt::format("{}", rank), one.host, one.engine,
             fmt::format("{}", slicesOf(one, planned.plan)),
             fmt::format("{}", grid.views[rank % grid.views.size()].size()),
             fmt::format("{} of {}", formatBytes(one.hostBytes), formatBytes(one.budgetBytes)),
             secondsText(one.forecast.wall)});
    }
    fmt::print("{}", textTable(rows));
    std::vector<std::vector<std::string>> stages = {{"Stage", "all ranks together"}};
    for (const ForecastField& field : kForecastFields)
        if (const double value = laneSecondsOf(planned.forecast, field.stage); value > 0)
            stages.push_back({std::string(name(field.stage)), formatDuration(value)});
    fmt::print("{}  {} in total, bound by {}\n", textTable(stages),
               secondsText(planned.forecast.wall), planned.forecast.boundingStage);
}

int planAsRank(const ReconstructionOptions& request, bool json, Session& session, JobRanks& ranks) {
    JobSpec spec;
    PlannedRun planned;
    ranks.work(
        [&](const std::stop_token& stop) {
            spec = makeJobSpec(request, stop);
            spec.ranks = ranks.count();
            checkSharing(spec);
            spec.rows = filterRowsOf(spec, machineOf(session.backends()));
            spec = ranks.shareOf(ranks.agreed(spec), session.backends());
            const OpenScan scan = corrected(openScan(spec.scan, stop, BadViews::refuse, *spec.rows),
                                            spec.corrections);
            planned = ranks.plan(scan, spec, session.backends(), sinkNeedsOf(spec),
                                 Purpose::forecast, {}, {}, true, stop);
            ranks.waitForAll();
        },
        session.stop());
    if (!ranks.isFirst()) return 0;
    if (!json) {
        print(spec, planned, ranks.plans());
        return 0;
    }
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const RankPlan& rank : ranks.plans())
        all.push_back(toJson(rank));
    fmt::print("{}\n", shownJson(nlohmann::ordered_json{{"grid", toJson(planned.plan.part->plan)},
                                                        {"ranks", all},
                                                        {"forecast", toJson(planned.forecast)}}));
    return 0;
}

}  // namespace

int planRanks(const ClusterOptions& options, const ReconstructionOptions& request, bool json,
              Session& session) {
    if (isStartedByMpi())
        return runAsRank(
            session, [&](JobRanks& ranks) { return planAsRank(request, json, session, ranks); });
    const int ranks = static_cast<int>(std::clamp<Index>(options.ranks, 0, 1'000'000));
    checkRanks(ranks);
    // Errors are reported once, before ranks are started.
    JobSpec spec = makeJobSpec(request, session.stop());
    spec.ranks = ranks;
    checkSharing(spec);
    return runRanks(ranks, session.words(), session.stop());
}

}  // namespace gantry
