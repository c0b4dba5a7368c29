#include "core/machine/rank_times.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

TimelineSpan spanOf(int rank, Stage stage, double begin, double end, Index bytes = 0) {
    TimelineSpan span;
    span.rank = rank;
    span.lane = std::string(name(stage));
    span.stage = stage;
    span.beginNs = static_cast<std::int64_t>(1e9 * begin);
    span.endNs = static_cast<std::int64_t>(1e9 * end);
    span.bytes = bytes;
    return span;
}

JobPlan planOn(EngineKind engine, const RankGrid& grid = {1, 2, Exchange::rows}) {
    JobPlan plan;
    plan.engine = engine;
    plan.threads = 3;
    plan.part.emplace();
    plan.part->plan.grid = grid;
    return plan;
}

TEST(RankTimes, AreOfRanksAlike) {
    const JobPlan cpu = planOn(EngineKind::cpu);
    const std::string two = ranksKind({"a", "b"}, cpu);
    EXPECT_EQ(ranksKind({"b", "a"}, cpu), two);
    EXPECT_NE(ranksKind({"a", "a"}, cpu), two) << "they exchange through memory";
    EXPECT_NE(ranksKind({"a", "b", "b"}, cpu), two);
    EXPECT_NE(ranksKind({"a", "b"}, planOn(EngineKind::gpu)), two);

    const test::TemporaryFolder folder;
    const auto file = folder / "runs.json";
    RankTimes(file, two).keepBeside(1.5);
    const RankGrid grid = {2, 1, Exchange::gather};
    RankTimes(file, two).keepWorkFactor(grid, 1.25);
    EXPECT_EQ(RankTimes(file, two).workFactor(grid), 1.25);
    EXPECT_FALSE(RankTimes(file, two).workFactor({2, 1, Exchange::rows}));
    EXPECT_FALSE(RankTimes(file, two).workFactor({1, 2, Exchange::gather}));
    RankTimes(file, two).keepWorkFactor(grid, 100);
    EXPECT_EQ(RankTimes(file, two).workFactor(grid), 1.5) << "something else held it up";
    RankTimes(file, two).keepExchange(Stage::gather, 3e9);
    RankTimes(file, two).keepExchange(Stage::reduce, 2e9);
    EXPECT_EQ(RankTimes(file, two).besideSeconds(), 1.5);
    EXPECT_EQ(RankTimes(file, two).exchangeBytes(Stage::gather), 3e9);
    EXPECT_EQ(RankTimes(file, two).exchangeBytes(Stage::reduce), 2e9);
    EXPECT_FALSE(RankTimes(file, "others").besideSeconds());
    EXPECT_FALSE(RankTimes(file, "others").exchangeBytes(Stage::gather));
}

// Ranks 0 and 1 are a row, 2 and 3 another; of each exchange one rank waits for the other.
TEST(RankTimes, WhoWaitsForAnotherRankDoesNotCount) {
    const RankGrid grid = {2, 2, Exchange::gather};
    const std::vector<TimelineSpan> spans = {
        spanOf(0, Stage::reduce, 1, 1.5, 1000), spanOf(1, Stage::reduce, 0.2, 1.5, 1000),
        spanOf(0, Stage::reduce, 2, 6, 400),    spanOf(1, Stage::reduce, 5.9, 6, 400),
        spanOf(2, Stage::reduce, 1, 1.4, 600),  spanOf(3, Stage::reduce, 1, 1.5, 600),
        spanOf(0, Stage::gather, 1, 9, 500),    spanOf(2, Stage::gather, 8, 9, 300),
        spanOf(1, Stage::gather, 1, 3, 700),    spanOf(3, Stage::gather, 0, 3, 200),
        spanOf(3, Stage::store, 0, 9, 9999)};
    EXPECT_NEAR(*exchangeRateOf(spans, Stage::reduce, grid), 2000 / (0.5 + 0.1 + 0.4), 1e-6);
    // Columns are ranks 0 and 2, and 1 and 3.
    EXPECT_NEAR(*exchangeRateOf(spans, Stage::gather, grid), 1000 / (1.0 + 2.0), 1e-6);
    EXPECT_FALSE(exchangeRateOf(spans, Stage::upload, grid));
    EXPECT_FALSE(exchangeRateOf({}, Stage::reduce, grid));
}

TEST(RankTimes, OfAJobAreThoseOfTheNextForecast) {
    const test::TemporaryFolder folder;
    Backends backends;
    backends.runTimes = folder / "runs.json";
    PlannedRun run;
    run.plan = planOn(EngineKind::cpu);
    run.planSeconds = 0.75;
    run.forecast.store = 1.2;  // of both ranks
    const std::vector<std::string> hosts = {"a", "a"};
    const std::vector<TimelineSpan> spans = {
        spanOf(1, Stage::load, 1.25, 2), spanOf(0, Stage::reduce, 3, 4, 4000),
        spanOf(1, Stage::reduce, 3.5, 4, 4000), spanOf(0, Stage::store, 4, 5)};
    keepRankTimes(run, hosts, 2.5, spans, 5.5, backends);
    const RankTimes kept(backends.runTimes, ranksKind(hosts, run.plan));
    // 5.5 s, less 3.75 s in which stages were at work, and what planning took.
    EXPECT_NEAR(*kept.besideSeconds(), 1.0, 1e-9);
    EXPECT_NEAR(*kept.workFactor(run.plan.part->plan.grid), 3.75 / 2.5, 1e-9);
    EXPECT_NEAR(*kept.exchangeBytes(Stage::reduce), 8000, 1e-6);
    EXPECT_FALSE(kept.exchangeBytes(Stage::gather)) << "nothing was gathered";
    run.forecast.store = 0.1;
    keepRankTimes(run, hosts, 3.75, spans, 5.5, backends);
    EXPECT_NEAR(*kept.workFactor(run.plan.part->plan.grid), 3.75 / 2.5, 1e-9)
        << "it was forecast by another rate of storing";
}

}  // namespace
}  // namespace gantry
