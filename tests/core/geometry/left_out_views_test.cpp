#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "core/geometry/views/aligned_views.h"

namespace gantry {
namespace {

ScanGeometry scanOf(double arcDeg, Index views) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 500;
    geometry.cone().sourceToDetectorMm = 900;
    geometry.cone().startDeg = 33;
    geometry.cone().arcDeg = arcDeg;
    geometry.cone().views = views;
    geometry.detector = {.columns = 41, .rows = 23, .pitchMm = {1, 1}};
    return geometry;
}

double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

std::vector<Index> keptOf(Index views, const std::vector<Index>& leftOut) {
    std::vector<Index> kept;
    for (Index view = 0; view < views; ++view)
        if (std::find(leftOut.begin(), leftOut.end(), view) == leftOut.end()) kept.push_back(view);
    return kept;
}

AlignedViews without(const ScanGeometry& geometry, const std::vector<Index>& leftOut) {
    return alignedViews(geometry, {.leftOut = leftOut});
}

double coverageDeg(const AlignedViews& views) {
    return degrees(sum(views.weightsRad));
}

TEST(LeftOutViews, AFullCircleStaysOneWhicheverViewsItLacks) {
    for (const double arc : {360.0, -360.0, 720.0})
        for (const std::vector<Index>& leftOut : std::vector<std::vector<Index>>{
                 {0}, {89}, {44}, {43, 44, 45}, {0, 1, 89}, {3, 17, 18, 60}}) {
            const ScanGeometry whole = scanOf(arc, 90);
            const AlignedViews kept = without(whole, leftOut);
            EXPECT_NEAR(coverageDeg(kept), std::abs(arc), 1e-9);
            const std::vector<Index> numbers = keptOf(90, leftOut);
            ASSERT_EQ(kept.views, static_cast<Index>(numbers.size()));
            for (std::size_t s = 0; s < numbers.size(); ++s) {
                EXPECT_EQ(kept.anglesDeg[s], whole.angleDeg(numbers[s]));
                EXPECT_GT(kept.weightsRad[s], 0);
            }
        }
}

TEST(LeftOutViews, TheirShareGoesToTheNeighbours) {
    // Steps are 4°, and view 0 is missing: 4° more for its two neighbours, on either side of the
    // start.
    const std::vector<double> first = without(scanOf(360, 90), {0}).weightsRad;
    EXPECT_NEAR(degrees(first.front()), 6, 1e-9);
    EXPECT_NEAR(degrees(first.back()), 6, 1e-9);
    EXPECT_NEAR(degrees(first[1]), 4, 1e-9);
    const std::vector<double> three = without(scanOf(-360, 90), {43, 44, 45}).weightsRad;
    EXPECT_NEAR(degrees(three[42]), 10, 1e-9);  // view 42
    EXPECT_NEAR(degrees(three[43]), 10, 1e-9);  // view 46
    EXPECT_NEAR(degrees(three[44]), 4, 1e-9);
}

TEST(LeftOutViews, TheNearerNeighbourGetsMoreAlsoWhereACircleCloses) {
    ScanGeometry circle = scanOf(360, 4);
    circle.cone().anglesDeg = {0, 80, 170, 250};
    // Without the first or the last view, 190° remain from one to the next across 0°; each view
    // has half of the steps beside it.
    const std::vector<double> withoutFirst = without(circle, {0}).weightsRad;
    EXPECT_NEAR(degrees(withoutFirst[0]), (190 + 90) / 2.0, 1e-9);
    EXPECT_NEAR(degrees(withoutFirst[1]), (90 + 80) / 2.0, 1e-9);
    EXPECT_NEAR(degrees(withoutFirst[2]), (80 + 190) / 2.0, 1e-9);
    const std::vector<double> withoutLast = without(circle, {3}).weightsRad;
    EXPECT_NEAR(degrees(withoutLast[0]), (190 + 80) / 2.0, 1e-9);
    EXPECT_NEAR(degrees(withoutLast[1]), (80 + 90) / 2.0, 1e-9);
    EXPECT_NEAR(degrees(withoutLast[2]), (90 + 190) / 2.0, 1e-9);
}

TEST(LeftOutViews, AnOpenArcKeepsItsCoverageToo) {
    const ScanGeometry arc = scanOf(-210, 70);
    for (const std::vector<Index>& leftOut :
         std::vector<std::vector<Index>>{{}, {0}, {69}, {20, 21, 22}, {0, 1, 68, 69}})
        EXPECT_NEAR(coverageDeg(without(arc, leftOut)), 210, 1e-9);
    EXPECT_NEAR(degrees(without(arc, {0}).weightsRad.front()), 6, 1e-9);
    EXPECT_EQ(angularWeightsRad(arc, {}), angularWeightsRad(arc));
}

// The weights are those of a list that never had these views.
TEST(LeftOutViews, OfAListOfAnglesTheTrapezoidRuleRemains) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> jitter(-1, 1);
    ScanGeometry listed = scanOf(360, 80);
    for (Index s = 0; s < 80; ++s)
        listed.cone().anglesDeg.push_back(4.5 * static_cast<double>(s) + jitter(random));
    std::shuffle(listed.cone().anglesDeg.begin(), listed.cone().anglesDeg.end(), random);
    const std::vector<Index> leftOut = {4, 5, 31, 79};
    const AlignedViews kept = without(listed, leftOut);
    ScanGeometry rest = listed;
    rest.cone().anglesDeg = kept.anglesDeg;
    rest.cone().views = kept.views;
    const std::vector<double> weights = kept.weightsRad;
    const std::vector<double> expected = angularWeightsRad(rest);
    for (std::size_t s = 0; s < weights.size(); ++s)
        EXPECT_NEAR(weights[s], expected[s], 1e-12);
}

}  // namespace
}  // namespace gantry
