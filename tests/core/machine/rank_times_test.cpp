#include "core/machine/rank_times.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/plan/plan_forecast.h"
#include "tests/support/small_job.h"
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

// The first of two ranks that sum slices, on the CPU.
class RankTimesOfAJob : public testing::Test {
  protected:
    RankTimesOfAJob() {
        m_backends.runTimes = m_folder / "runs.json";
        const Facts facts =
            learnAndPlan(m_scan, m_spec, m_backends, m_sink, Purpose::forecast).facts;
        GridPart part = {assignToGrid({m_scan.geometry, m_spec.volume, m_none},
                                      {1, 2, Exchange::rows}, std::vector<RankShare>(2, {1, 30}))};
        part.exchange = {4e6, 8e6};
        m_run =
            planPart(m_scan, m_spec, m_backends, m_sink, part, {part.plan.slabs.slabs, {}}, facts);
        m_run.planSeconds = 0.75;
    }

    [[nodiscard]] PlanInputs inputs() const {
        return {m_scan, m_spec, m_machine, m_run.facts, m_sink};
    }
    void keep(double forecastSeconds, const std::vector<TimelineSpan>& spans, double wall) const {
        keepRankTimes(inputs(), m_run, m_hosts, forecastSeconds, spans, wall, m_backends);
    }
    [[nodiscard]] RankTimes kept() const {
        return {m_backends.runTimes, ranksKind(m_hosts, m_run.plan)};
    }

    const test::TemporaryFolder m_folder;
    Backends m_backends = test::backends();
    const Machine m_machine = machineOf(m_backends);
    const ScanFile m_file = test::simulated(test::smallScan(24, 49, 39, 410), m_folder / "scan");
    const JobSpec m_spec = test::jobOf(m_file, 41, m_folder / "v.mha");
    const SinkNeeds m_sink = sinkNeedsOf(m_spec);
    const OpenScan m_scan = openScan(m_file);
    const std::optional<FinishedSlabs> m_none;
    const std::vector<std::string> m_hosts = {"a", "a"};
    PlannedRun m_run;
};

TEST_F(RankTimesOfAJob, AreThoseOfTheNextForecast) {
    const std::vector<TimelineSpan> spans = {spanOf(1, Stage::load, 1.25, 2),
                                             spanOf(0, Stage::load, 2, 5)};
    keep(2.5, spans, 5.5);
    // 5.5 s, less 3.75 s in which stages were at work, and what planning took.
    EXPECT_NEAR(*kept().besideSeconds(), 1.0, 1e-9);
    EXPECT_NEAR(*kept().workFactor(m_run.plan.part->plan.grid), 3.75 / 2.5, 1e-9);
    EXPECT_FALSE(kept().exchangeBytes(Stage::gather)) << "nothing was gathered";
    EXPECT_FALSE(kept().exchangeBytes(Stage::reduce));
}

TEST_F(RankTimesOfAJob, WhatIsKnownOfExchangesAndDisksIsNoWorkThatTakesLonger) {
    const Forecast was = m_run.forecast;
    ASSERT_GT(was.reduce, 0);
    // A hundred times as long as predicted.
    const auto bytes = static_cast<Index>(8e6 * was.reduce);
    const double longer = 100 * was.reduce;
    const std::vector<TimelineSpan> spans = {spanOf(0, Stage::reduce, 1, 1 + longer, bytes),
                                             spanOf(1, Stage::reduce, 1, 1 + longer, bytes)};
    const double again = (was.wall + longer - was.reduce) / was.wall;
    EXPECT_NEAR(forecastByReached(inputs(), m_run.plan, spans), again, 1e-3 * again);
    keep(longer / again, spans, 30);
    EXPECT_NEAR(*kept().exchangeBytes(Stage::reduce), 8e4, 10);
    EXPECT_NEAR(*kept().workFactor(m_run.plan.part->plan.grid), 1, 1e-2)
        << "the next forecast goes by that rate";

    // So it is with the disk, of which this rank writes a half.
    const double storing = was.wall + 5;
    std::vector<TimelineSpan> slow = {
        spanOf(0, Stage::store, 1, 1 + storing, 2 * m_spec.volume.count())};
    EXPECT_GT(forecastByReached(inputs(), m_run.plan, slow), 0.9 * storing / was.wall);
    slow.front().rank = 1;
    EXPECT_DOUBLE_EQ(forecastByReached(inputs(), m_run.plan, slow), 1) << "that of another rank";
}

}  // namespace
}  // namespace gantry
