#include "core/calibrate/balls/match_balls.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gantry {
namespace {

std::vector<Vec3> helix() {
    std::vector<Vec3> balls;
    for (int i = 0; i < 13; ++i)
        balls.push_back({30 * std::cos(0.7 * i), 30 * std::sin(0.7 * i), 5.0 * i});
    return balls;
}

// Turned about all axes, larger, elsewhere, and a thousandth off.
Vec3 moved(Vec3 p) {
    const double a = 2.1, b = -0.6;
    p = {p.x, std::cos(a) * p.y - std::sin(a) * p.z, std::sin(a) * p.y + std::cos(a) * p.z};
    p = {std::cos(b) * p.x - std::sin(b) * p.y, std::sin(b) * p.x + std::cos(b) * p.y, p.z};
    return 1.07 * p + Vec3{3 + 0.02 * std::sin(p.x), -40, 5 + 0.02 * std::cos(p.y)};
}

TEST(MatchBalls, OfAPartInAnotherOrder) {
    const std::vector<Vec3> known = helix();
    std::vector<Vec3> found;
    const std::vector<std::size_t> shown = {7, 2, 11, 0, 5, 9, 3, 12};
    for (const std::size_t i : shown)
        found.push_back(moved(known[i]));
    found.push_back({1, -2, 300});  // a stranger
    const auto match = matchBalls(found, known);
    ASSERT_TRUE(match);
    EXPECT_EQ(match->count, shown.size());
    EXPECT_NEAR(match->scale, 1.07, 0.002);
    for (std::size_t i = 0; i < shown.size(); ++i)
        EXPECT_EQ(match->known[i], shown[i]);
    EXPECT_FALSE(match->known.back());
    EXPECT_LT(length(match->placedMm[4] - moved(known[4])), 0.2);
}

TEST(MatchBalls, AMirroredOrAnotherListDoesNotFit) {
    const std::vector<Vec3> known = helix();
    std::vector<Vec3> mirrored;
    std::vector<Vec3> others;
    for (const Vec3& p : known) {
        mirrored.push_back({-p.x, p.y, p.z});
        others.push_back({p.x + p.z, p.y * p.z / 20, p.x * p.y / 30});
    }
    EXPECT_FALSE(matchBalls(mirrored, known));
    EXPECT_FALSE(matchBalls(others, known));
    EXPECT_FALSE(matchBalls({known[0], known[1], known[2]}, known));
}

}  // namespace
}  // namespace gantry
