#include "ui/models/timeline/timeline_axis.h"

#include <gtest/gtest.h>

#include <QStringList>

namespace gantry {
namespace {

constexpr std::int64_t kS = 1'000'000'000;

TEST(TimeAxis, TheWholeRunFillsTheWidth) {
    const TimeAxis axis = TimeAxis::fitted({2 * kS, 12 * kS}, 1000);
    EXPECT_DOUBLE_EQ(axis.xOf(2 * kS), 0);
    EXPECT_DOUBLE_EQ(axis.xOf(12 * kS), 1000);
    EXPECT_EQ(axis.nsAt(500), 7 * kS);
    // A run of one moment, and a view of no width, have a picture too.
    EXPECT_GT(TimeAxis::fitted({5, 5}, 100).nsPerPixel, 0);
    EXPECT_GT(TimeAxis::fitted({0, kS}, 0).nsPerPixel, 0);
}

TEST(TimeAxis, ZoomingKeepsTheMomentUnderThePointer) {
    TimeAxis axis = TimeAxis::fitted({0, 3600 * kS}, 1600);
    const std::int64_t under = axis.nsAt(700);
    for (int i = 0; i < 100 && axis.nsPerPixel > TimeAxis::kFinestNsPerPixel; ++i)
        axis = axis.zoomed(1.25, 700);
    EXPECT_NEAR(axis.xOf(under), 700, 5);
    EXPECT_LT(axis.nsPerPixel, 1000) << "deeper than a microsecond a pixel";
}

TEST(TimeAxis, SurvivesAViewOfOnePixel) {
    const TimeRange run{0, 100'000'000'000'000'000};
    const TimeAxis axis = TimeAxis::fitted(run, 1);
    EXPECT_GT(axis.nsAt(5000), run.endNs);
    EXPECT_EQ(axis.panned(5000).limited(run, 1), axis);
    EXPECT_LE(axis.zoomed(1e9, 5000).limited(run, 1).beginNs, run.endNs);
}

TEST(TimeAxis, PanningMovesTimeWithThePointer) {
    const TimeAxis axis{kS, 1000};
    EXPECT_EQ(axis.panned(100).beginNs, kS - 100'000);
    EXPECT_DOUBLE_EQ(axis.panned(100).xOf(kS), 100);
}

TEST(TimeAxis, StaysWithinTheRunAndItsLimits) {
    const TimeRange run{kS, 11 * kS};
    const double width = 1000;
    const TimeAxis whole = TimeAxis::fitted(run, width);
    EXPECT_EQ(whole.zoomed(0.1, 300).limited(run, width), whole);
    EXPECT_EQ(whole.panned(-5000).limited(run, width), whole);
    const TimeAxis part = whole.zoomed(10, 0);
    EXPECT_EQ(part.panned(1e9).limited(run, width).beginNs, run.beginNs);
    EXPECT_NEAR(part.panned(-1e9).limited(run, width).xOf(run.endNs), width, 1);
    EXPECT_DOUBLE_EQ(whole.zoomed(1e12, 0).limited(run, width).nsPerPixel,
                     TimeAxis::kFinestNsPerPixel);
}

QStringList texts(const TimeRuler& ruler) {
    QStringList list;
    for (const auto& tick : ruler.ticks)
        list << tick.text;
    return list;
}

TEST(TimeRuler, HasRoundMomentsInFittingUnits) {
    EXPECT_EQ(texts(rulerFor(TimeAxis::fitted({0, 10 * kS}, 600), 600, 100)),
              (QStringList{"0 s", "2 s", "4 s", "6 s", "8 s"}));
    EXPECT_EQ(texts(rulerFor(TimeAxis::fitted({0, 3 * kS / 1000}, 300), 300, 100)),
              (QStringList{"0 ms", "1 ms", "2 ms"}));
    EXPECT_EQ(texts(rulerFor(TimeAxis::fitted({0, 1200 * kS}, 400), 400, 100)),
              (QStringList{"0 min", "5 min", "10 min", "15 min"}));
    EXPECT_EQ(texts(rulerFor(TimeAxis::fitted({0, 4 * 3600 * kS}, 400), 400, 100)).last(), "3 h");
}

TEST(TimeRuler, DeepInALongRunCountsFromABase) {
    const std::int64_t late = 3600 * kS + 123'456'000;
    const TimeRuler ruler = rulerFor({late, 1000}, 800, 100);
    EXPECT_EQ(ruler.base, "3600.123 s");
    ASSERT_FALSE(ruler.ticks.empty());
    EXPECT_EQ(ruler.ticks[0].text, "+500 µs");
    EXPECT_NEAR(ruler.ticks[0].x, 44, 1e-6);
}

TEST(TimeRuler, TicksAreFewAndApartAtEveryZoom) {
    for (double nsPerPixel = 0.01; nsPerPixel < 1e15; nsPerPixel *= 1.7) {
        const TimeRuler ruler = rulerFor({12'345'678'901, nsPerPixel}, 1600, 90);
        ASSERT_LE(ruler.ticks.size(), 18U) << nsPerPixel;
        for (std::size_t i = 1; i < ruler.ticks.size(); ++i)
            ASSERT_GE(ruler.ticks[i].x - ruler.ticks[i - 1].x, 89.0) << nsPerPixel;
    }
}

}  // namespace
}  // namespace gantry
