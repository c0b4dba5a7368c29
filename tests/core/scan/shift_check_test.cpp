#include "core/scan/inspect/shift_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/random_values.h"

namespace gantry {
namespace {

constexpr Index kShiftViews = 90;

double bell(double at, double middle, double width) {
    return std::exp(-(at - middle) * (at - middle) / (2 * width * width));
}

// Facts of a ball that turns 9 px beside the axis, in all views; movedU, movedV: where a view has
// it beside where it should be, in px.
std::vector<PictureFacts> turningBall(const std::function<double(Index)>& movedU,
                                      const std::function<double(Index)>& movedV,
                                      double deviation = 0.001) {
    std::mt19937 random(7);
    test::NormalValues<double> noise(deviation);
    std::vector<PictureFacts> facts(kShiftViews);
    for (Index s = 0; s < kShiftViews; ++s) {
        PictureFacts& fact = facts[s];
        fact.view = s;
        fact.angleDeg = 4 * static_cast<double>(s);
        const double u = 40 + 9 * std::cos(radians(fact.angleDeg)) + movedU(s);
        for (Index i = 0; i < 80; ++i)
            fact.alongU.push_back(0.4 * bell(static_cast<double>(i), u, 5) + noise(random));
        for (Index i = 0; i < 61; ++i)
            fact.alongV.push_back(0.3 * bell(static_cast<double>(i), 28 + movedV(s), 4) +
                                  noise(random));
    }
    return facts;
}

std::string sentenceOn(const std::vector<PictureFacts>& facts) {
    ScanGeometry geometry;
    geometry.trajectory = ParallelBeam{{.arcDeg = 360, .views = kShiftViews, .anglesDeg = {}}};
    const std::optional<Problem> found = checkShifts(geometry, facts, 0.5);
    return found ? found->message : "";
}

double nowhere(Index) {
    return 0;
}

TEST(ShiftCheck, FindsAShiftBetweenProfilesToATenthOfAPixel) {
    std::vector<double> a;
    std::vector<double> b;
    for (int i = 0; i < 60; ++i) {
        a.push_back(bell(i, 27.3, 4));
        b.push_back(bell(i, 29.65, 4) + 0.2);  // brighter
    }
    EXPECT_NEAR(shiftBetween(a, b), 2.35, 0.05);
}

TEST(ShiftCheck, TellsNothingOfAnObjectThatTurns) {
    EXPECT_EQ(sentenceOn(turningBall(nowhere, nowhere)), "");
    // A drift of half a pixel over the scan, a single view that is off, and a stage that trembles.
    EXPECT_EQ(
        sentenceOn(turningBall([](Index s) { return 0.005 * static_cast<double>(s); }, nowhere)),
        "");
    EXPECT_EQ(sentenceOn(turningBall(nowhere, [](Index s) { return s == 41 ? 1.5 : 0; })), "");
    std::mt19937 random(2);
    test::NormalValues<double> tremble(0.2);
    EXPECT_EQ(sentenceOn(turningBall([&](Index) { return tremble(random); },
                                     [&](Index) { return tremble(random); })),
              "");
}

TEST(ShiftCheck, SaysWhereItMovedAtOnceAndByHowMuch) {
    const std::string along =
        sentenceOn(turningBall(nowhere, [](Index s) { return s < 7 ? 0 : 0.5; }));
    EXPECT_NE(along.find("by 0.5 px along the columns between views 6 and 7"), std::string::npos)
        << along;
    const std::string across =
        sentenceOn(turningBall([](Index s) { return s < 52 ? 0 : -0.9; }, nowhere));
    EXPECT_NE(across.find("px along the rows between views 51 and 52"), std::string::npos)
        << across;
    const std::string twice =
        sentenceOn(turningBall(nowhere, [](Index s) { return s < 30 || s >= 60 ? 0 : -1.2; }));
    EXPECT_NE(twice.find("1.2 px along the columns between views 29 and 30, and by 1.2 px along "
                         "the columns between views 59 and 60"),
              std::string::npos)
        << twice;
}

// Along the rays of the view where it happens, a quarter turn later across them.
TEST(ShiftCheck, FindsAMovementAlongTheRaysByWhatFollows) {
    const auto along = [](Index s) {
        return s < 30 ? 0 : 1.2 * std::sin(radians(4 * static_cast<double>(s - 30)));
    };
    const std::string found = sentenceOn(turningBall(along, nowhere, 0.0001));
    EXPECT_NE(found.find("1.2 px across the rotation axis between views"), std::string::npos)
        << found;
}

TEST(ShiftCheck, SaysThatItDriftedOverATurn) {
    const std::string found = sentenceOn(turningBall(
        nowhere, [](Index s) { return -3.0 * static_cast<double>(s) / (kShiftViews - 1); }));
    EXPECT_NE(found.find("between the first view and the last"), std::string::npos) << found;
}

}  // namespace
}  // namespace gantry
