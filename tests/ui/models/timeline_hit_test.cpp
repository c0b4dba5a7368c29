#include "ui/models/timeline/timeline_hit.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

TimelineSpan span(const char* lane, Stage stage, Index batch, std::int64_t beginMs,
                  std::int64_t endMs) {
    return {0, lane, stage, beginMs * 1'000'000, endMs * 1'000'000, 0, batch, 2'900'000'000, 0};
}

TimelineSnapshot snapshotOf(const std::vector<TimelineSpan>& spans) {
    TimelineSnapshot snapshot;
    snapshot.isOver = true;
    snapshot.store.append(spans);
    snapshot.uses = laneUse(snapshot.store, true);
    snapshot.summary = snapshot.store.summary();
    return snapshot;
}

class TimelineHitTest : public testing::Test {
  protected:
    TimelineHitTest() {
        TimelineSpan work = span("gpu", Stage::backproject, 7, 1500, 2000);
        work.updates = Index{1} << 39;
        m_snapshot = snapshotOf({span("load", Stage::load, 7, 0, 1000),
                                 span("gpu", Stage::filter, 7, 1000, 1001), work,
                                 span("load", Stage::load, 8, 1000, 1500)});
    }
    TimelineHit at(std::size_t lane, double x) const {
        return hitAt(m_snapshot, lane, 0, TimeAxis{0, 1e6}, x);  // a pixel a millisecond
    }
    TimelineSnapshot m_snapshot;
};

TEST_F(TimelineHitTest, ASpanTellsStageBatchBytesAndSpeed) {
    const QString text = describe(m_snapshot, at(1, 1700));
    EXPECT_TRUE(text.contains("back-project")) << text.toStdString();
    EXPECT_TRUE(text.contains("slab 0, batch 7"));
    EXPECT_TRUE(text.contains("0.50 s from 1.500 s"));
    EXPECT_TRUE(text.contains("2.90 GB"));
    EXPECT_TRUE(text.contains("1024 GUPS"));
    EXPECT_TRUE(text.contains("lane gpu"));
    EXPECT_TRUE(describe(m_snapshot, at(0, 500)).contains("2.90 GB/s"));
}

TEST_F(TimelineHitTest, TheMomentDecidesBetweenNeighbours) {
    EXPECT_EQ(at(0, 999.9).span->batch, 7);
    EXPECT_EQ(at(0, 1000).span->batch, 8);
    EXPECT_EQ(at(1, 1000.5).span->stage, Stage::filter);
}

TEST_F(TimelineHitTest, AGapTellsItsCause) {
    const TimelineHit hit = at(1, 1200);
    ASSERT_TRUE(hit.gap);
    const QString text = describe(m_snapshot, hit);
    EXPECT_TRUE(text.contains("Idle 0.50 s")) << text.toStdString();
    EXPECT_TRUE(text.contains("waited 0.50 s for load"));
}

TEST_F(TimelineHitTest, OutsideThereIsNothing) {
    EXPECT_TRUE(at(1, -5).isNothing());
    EXPECT_TRUE(at(1, 90'000).isNothing());
    EXPECT_TRUE(at(9, 100).isNothing());
    EXPECT_TRUE(describe(m_snapshot, at(9, 100)).isEmpty());
}

TEST(TimelineHit, ManyInAPixelAreCounted) {
    std::vector<TimelineSpan> spans;
    for (int i = 0; i < 1000; ++i) {
        spans.push_back(span("a", Stage::prepare, i, 10 * i, 10 * i + 2));
        spans.push_back(span("a", Stage::filter, i, 10 * i + 2, 10 * i + 7));
    }
    const TimelineSnapshot snapshot = snapshotOf(spans);
    const TimelineHit hit = hitAt(snapshot, 0, 0, TimeAxis{0, 1e8}, 12.3);
    ASSERT_TRUE(hit.folded);
    EXPECT_EQ(hit.folded->spans, 20);
    const QString text = describe(snapshot, hit);
    EXPECT_TRUE(text.contains("20 spans")) << text.toStdString();
    EXPECT_TRUE(text.contains("filter 50 %"));
    EXPECT_TRUE(text.contains("idle 30 %"));
}

TEST(TimelineHit, RanksAreNamedWhereThereAreSeveral) {
    TimelineSpan other = span("load", Stage::load, 0, 0, 5);
    other.rank = 3;
    const TimelineSnapshot one = snapshotOf({span("load", Stage::load, 0, 0, 5)});
    TimelineSnapshot two = snapshotOf({span("load", Stage::load, 0, 0, 5), other});
    EXPECT_EQ(laneTitle(one, 0, "load"), "load");
    EXPECT_EQ(laneTitle(two, 3, "load"), "rank 3 · load");
    two.hosts = {{0, "desk"}, {3, "desk"}};
    EXPECT_EQ(laneTitle(two, 3, "load"), "rank 3 · load");
    two.hosts[3] = "node7";
    EXPECT_EQ(laneTitle(two, 3, "load"), "rank 3 · node7 · load");
}

TEST(TimelineHit, NamesOfLanesAreNotTakenForMarkup) {
    const TimelineSnapshot snapshot = snapshotOf({span("<b>x", Stage::load, 0, 0, 5)});
    EXPECT_TRUE(
        describe(snapshot, hitAt(snapshot, 0, 0, TimeAxis{0, 1e6}, 2)).contains("&lt;b&gt;x"));
}

TEST(TimelineHit, MomentsHaveTheDigitsThatMatter) {
    EXPECT_EQ(momentText(12'345'678'901, 2'000'000'000), "12.35 s");
    EXPECT_EQ(momentText(12'345'678'901, 2'000'000), "12.34568 s");
    EXPECT_EQ(momentText(12'345'678'901, 0), "12.345678901 s");
}

}  // namespace
}  // namespace gantry
