#include "core/scan/inspect/jitter_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/core/scan/turning_rows.h"

namespace gantry {
namespace {

// Uniform over ±range, of one view and no other.
std::function<double(Index)> shaken(double range, unsigned seed = 5) {
    std::mt19937 random(seed);
    std::vector<double> shifts;
    for (int i = 0; i < 1000; ++i)
        shifts.push_back(range * (2 * static_cast<double>(random()) / 4294967295.0 - 1));
    return [shifts](Index s) { return shifts[s]; };
}

// A uniform shift of ±range has the standard deviation range/√3. Each is a median of 88
// differences, which is right to 15 %.
TEST(JitterCheck, RandomShiftsAreMeasured) {
    for (const double range : {0.6, 1.0, 2.5}) {
        const test::TurningRows rows{.shift = shaken(range)};
        const ProfileJitter jitter = jitterOf(rows.made());
        EXPECT_TRUE(jitter.isClear) << range;
        EXPECT_NEAR(jitter.samples, range / std::sqrt(3), 0.25 * range / std::sqrt(3));
    }
}

TEST(JitterCheck, WhatIsNoJitterIsNone) {
    std::vector<test::TurningRows> others = {
        {},
        {.noise = 0},
        {.noise = 0.05},
        {.noise = 0.3},
        {.views = 40},  // steps of 4.5°
        {.shift = shaken(0.1)},
        {.shift = [](Index s) { return s > 40 ? 3.0 : 0.0; }},             // a slip
        {.shift = [](Index s) { return 0.05 * static_cast<double>(s); }},  // a drift
        {.shift = [](Index s) { return 2 * std::sin(0.1 * static_cast<double>(s)); }}};
    // A beam whose level, slope and bend change from view to view by some percent.
    const auto level = shaken(0.03, 1);
    const auto slope = shaken(0.03, 2);
    const auto bend = shaken(0.03, 3);
    others.push_back(
        {.beam = [=](Index s, double x) { return level(s) + slope(s) * x + bend(s) * x * x; }});
    for (std::size_t i = 0; i < others.size(); ++i) {
        const ProfileJitter jitter = jitterOf(others[i].made());
        EXPECT_FALSE(jitter.isClear) << "kind " << i << ": " << jitter.samples;
    }
    // Nothing is seen in even rows.
    EXPECT_FALSE(jitterOf(std::vector(90, std::vector<double>(64, 0.5))).isClear);
}

std::string toldOfJitter(double alongU, double alongV) {
    const test::TurningRows rows{.shift = shaken(alongU)};
    std::vector<Index> order(static_cast<std::size_t>(rows.views));
    std::iota(order.begin(), order.end(), Index{0});
    ScanGeometry geometry;
    geometry.trajectory = ParallelBeam{{.arcDeg = 180, .views = rows.views, .anglesDeg = {}}};
    const auto moved = shaken(alongV, 9);
    std::vector<PictureFacts> facts;
    for (Index view = 0; view < rows.views; view += view < 2 ? 1 : 2) {
        PictureFacts& fact = facts.emplace_back();
        fact.view = view;
        fact.angleDeg = rows.angleDeg(view);
        for (int v = 0; v < 60; ++v) {
            const double away = (v - 28 - moved(view)) / 5;
            fact.alongV.push_back(0.4 * std::exp(-away * away / 2));
        }
    }
    const std::optional<Problem> found = checkJitter(geometry, facts, rows.sinogram(order));
    return found ? found->message : "";
}

TEST(JitterCheck, TheSentenceNamesBothDirections) {
    EXPECT_EQ(toldOfJitter(0, 0), "");
    EXPECT_NE(toldOfJitter(1.4, 0).find("px along the rows (standard"), std::string::npos);
    EXPECT_NE(toldOfJitter(0, 1.4).find("px along the columns (standard"), std::string::npos);
    EXPECT_NE(toldOfJitter(1.4, 1.4).find("px along the rows and "), std::string::npos);
}

}  // namespace
}  // namespace gantry
