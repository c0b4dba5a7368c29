#include "core/scan/guess/guess_axis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "core/io/memory_source.h"
#include "core/scan/guess/guess_arc.h"

namespace gantry {
namespace {

// A full turn of balls in a parallel beam, whose axis is on this column; with noise of 1 % of the
// darkest place.
struct TurnOfBalls {
    static constexpr Index kViews = 90;
    static constexpr Index kRows = 6;
    static constexpr Index kColumns = 62;
    std::vector<float> pixels;

    explicit TurnOfBalls(double axisColumn) {
        struct Ball {
            double x, y, radius, density;
        };
        constexpr Ball kBalls[] = {
            {1, 2, 40, 0.02}, {16, 6, 8, 0.02}, {-12, 18, 6, -0.02}, {4, -22, 6, 0.03}};
        std::mt19937 random(7);
        std::normal_distribution<double> noise(0, 0.016);
        for (Index s = 0; s < kViews; ++s) {
            const double angle = 2 * std::numbers::pi * (static_cast<double>(s) + 0.3) / kViews;
            for (Index pixel = 0; pixel < kRows * kColumns; ++pixel) {
                const double u = static_cast<double>(pixel % kColumns) - axisColumn;
                double sum = noise(random);
                for (const Ball& ball : kBalls) {
                    const double du = u - ball.x * std::cos(angle) - ball.y * std::sin(angle);
                    sum += 2 * ball.density *
                           std::sqrt(std::max(0.0, ball.radius * ball.radius - du * du));
                }
                pixels.push_back(static_cast<float>(sum));
            }
        }
    }
    [[nodiscard]] MemorySource source() const {
        return MemorySource(Span3<const float>(pixels.data(), kViews, kRows, kColumns));
    }
};

TEST(GuessAxis, TheAxisOfAHalfAcquisitionIsFoundNearTheEdge) {
    for (const double axis : {7.5, 54.0}) {
        const TurnOfBalls balls(axis);
        const MemorySource source = balls.source();
        const StripReader strips(source, nullptr, nullptr, true);
        EXPECT_EQ(edgePassedAlone(strips), axis < 30 ? "left" : "right");
        const ArcGuess guess = guessArc(source, strips);
        EXPECT_NE(guess.axisDoubt.find("half acquisition"), std::string::npos);
        // Tried in steps of half a column; views are smoothed over five.
        EXPECT_NEAR(guess.axisColumn.value_or(-1), axis, 1);
    }
}

TEST(GuessAxis, AnObjectThatFitsPassesNoEdge) {
    const TurnOfBalls cut(31);  // at both edges
    EXPECT_EQ(edgePassedAlone(StripReader(cut.source(), nullptr, nullptr, true)), "");
}

}  // namespace
}  // namespace gantry
