#include "ui/models/timeline/timeline_fold.h"

#include <gtest/gtest.h>

#include <QColor>
#include <algorithm>
#include <random>

#include "ui/models/timeline/stage_colours.h"

namespace gantry {
namespace {

std::vector<LaneSpan> randomSpans(int count, int longest) {
    std::mt19937 random(11);
    std::vector<LaneSpan> spans;
    std::int64_t ns = 5'000;
    for (int i = 0; i < count; ++i) {
        LaneSpan span;
        span.beginNs =
            ns + (random() % 2 == 0 ? 0 : static_cast<int>(random()) % 100 * longest / 100);
        span.beginNs = std::max(span.beginNs, ns);
        span.endNs = span.beginNs + 1 + random() % static_cast<unsigned>(longest);
        span.stage = static_cast<Stage>(random() % kStageCount);
        ns = span.endNs;
        spans.push_back(span);
    }
    return spans;
}

SpanRow rowOf(const std::vector<LaneSpan>& spans) {
    SpanRow row;
    row.append(spans);
    return row;
}

StageShares sharesByHand(const std::vector<LaneSpan>& spans, std::int64_t begin, std::int64_t end) {
    StageShares shares{};
    for (const LaneSpan& span : spans) {
        const std::int64_t inside = std::min(span.endNs, end) - std::max(span.beginNs, begin);
        if (inside > 0)
            shares[static_cast<std::size_t>(span.stage)] +=
                static_cast<float>(inside) / static_cast<float>(end - begin);
    }
    return shares;
}

TEST(TimelineFold, EveryColumnSharesWhatItsSpansTake) {
    const std::vector<LaneSpan> spans = randomSpans(20'000, 900);
    const SpanRow row = rowOf(spans);
    // The whole; spans of about a pixel; spans of many pixels; off both ends.
    const std::int64_t end = spans.back().endNs;
    for (const TimeAxis axis :
         {TimeAxis::fitted({0, end}, 200), TimeAxis{end / 3, 500}, TimeAxis{end / 2, 12.5},
          TimeAxis{-9'000, 1000}, TimeAxis{end - 50'000, 1000}}) {
        const std::vector<StageShares> columns = fold(row, axis, 200);
        ASSERT_EQ(columns.size(), 200U);
        for (int x = 0; x < 200; ++x) {
            const StageShares expected = sharesByHand(spans, axis.nsAt(x), axis.nsAt(x + 1));
            for (std::size_t i = 0; i < expected.size(); ++i)
                ASSERT_NEAR(columns[static_cast<std::size_t>(x)][i], expected[i], 1e-4)
                    << x << " at " << axis.nsPerPixel;
        }
    }
}

TEST(TimelineFold, FindsJustTheSpansAndGapsThatAreWide) {
    const std::vector<LaneSpan> spans = randomSpans(20'000, 9'000);
    const SpanRow row = rowOf(spans);
    const TimeAxis axis{spans.back().endNs / 2, 500};
    const int columns = 400;
    std::vector<Index> wide;
    std::vector<Index> gaps;
    for (std::size_t i = 0; i + 1 < spans.size(); ++i) {
        const auto seen = [&](std::int64_t begin, std::int64_t end) {
            return std::min(axis.xOf(end), 400.0) - std::max(axis.xOf(begin), 0.0);
        };
        if (seen(spans[i].beginNs, spans[i].endNs) >= 4) wide.push_back(static_cast<Index>(i));
        if (seen(spans[i].endNs, spans[i + 1].beginNs) >= 4) gaps.push_back(static_cast<Index>(i));
    }
    const WideSpans found = wideSpans(row, axis, columns, 4);
    const auto indices = [](const std::vector<WideSpan>& list) {
        std::vector<Index> result;
        for (const WideSpan& one : list)
            result.push_back(one.index);
        return result;
    };
    ASSERT_GT(wide.size(), 10U);
    EXPECT_EQ(indices(found.spans), wide);
    EXPECT_EQ(indices(found.gaps), gaps);
}

TEST(TimelineFold, AMillionSpansAreDrawnByPixelsNotBySpans) {
    std::vector<LaneSpan> spans(1'000'000);
    for (std::size_t i = 0; i < spans.size(); ++i) {
        spans[i].beginNs = static_cast<std::int64_t>(i) * 1000;
        spans[i].endNs = spans[i].beginNs + 900;
        spans[i].stage = static_cast<Stage>(i % 2);
    }
    const SpanRow row = rowOf(spans);
    const int columns = 1600;
    for (double nsPerPixel = 10; nsPerPixel < 1e6; nsPerPixel *= 3) {
        const TimeAxis axis{300'000'000, nsPerPixel};
        EXPECT_EQ(fold(row, axis, columns).size(), 1600U);
        const WideSpans wide = wideSpans(row, axis, columns, 5);
        EXPECT_LE(wide.spans.size() + wide.gaps.size(), 1600U / 5 + 2) << nsPerPixel;
    }
    const StageShares middle =
        fold(row, TimeAxis::fitted({0, 1'000'000'000}, columns), columns)[800];
    EXPECT_NEAR(middle[0], 0.45, 0.01);
    EXPECT_NEAR(middle[1], 0.45, 0.01);
}

TEST(TimelineFold, ColoursAreTheStagesAndIdleIsTransparent) {
    StageShares all{};
    all[0] = 1;
    StageShares half{};
    half[0] = 0.5F;
    const std::vector<QRgb> line = colours({all, half, StageShares{}});
    EXPECT_EQ(QColor::fromRgba(line[0]), stageColour(Stage::load));
    EXPECT_EQ(qAlpha(line[1]), 128);
    EXPECT_LE(qBlue(line[1]), qAlpha(line[1])) << "premultiplied";
    EXPECT_EQ(qAlpha(line[2]), 0);
}

TEST(TimelineFold, NothingIsNothing) {
    EXPECT_TRUE(fold({}, {}, 0).empty());
    EXPECT_TRUE(wideSpans({}, {}, 100, 5).spans.empty());
}

}  // namespace
}  // namespace gantry
