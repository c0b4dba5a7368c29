#pragma once

#include <optional>
#include <vector>

#include "core/geometry/vec3.h"

namespace gantry {

/// Which found balls are which of a list's, and where the list lies among them.
struct BallMatch {
    std::vector<std::optional<std::size_t>> known;  ///< [found], of the list
    std::size_t count = 0;                          ///< found balls that are of the list
    double scale = 1;                               ///< found lengths over the list's
    std::vector<Vec3> placedMm;  ///< the list's balls, [known], where they lie among the found
};

/// Lays the list's balls onto found ones, turned, moved and scaled as a whole, so that most found
/// balls have one of the list near, and these the nearest. Neither has to have all of the other.
/// None where fewer than four, or not most of those found, fit. A mirrored list does not.
/// Tests: tests/core/calibrate/match_balls_test.cpp
[[nodiscard]] std::optional<BallMatch> matchBalls(const std::vector<Vec3>& foundMm,
                                                  const std::vector<Vec3>& knownMm);

}  // namespace gantry
