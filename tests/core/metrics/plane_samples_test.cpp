#include "core/metrics/plane_samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/metrics/line_profile.h"
#include "tests/core/metrics/volumes.h"

namespace gantry {
namespace {

using test::structured;
using test::Volume;

std::vector<float> samples(const Volume& volume, const PixelPlane& plane, Index columns,
                           Index rows) {
    std::vector<float> pixels(static_cast<std::size_t>(columns * rows));
    samplePlane(volume.view(), plane, columns, rows, pixels.data(), 3);
    return pixels;
}

TEST(PlaneSamples, AreThoseOfLineProfilesRowByRow) {
    const Volume volume = structured(7, 11, 9, 1);
    const PixelPlane plane{{0.3, 8.9, 0.2}, {0.5, -0.31, 0.1}, {0.07, -0.2, 0.31}};
    constexpr Index kColumns = 13;
    constexpr Index kRows = 15;
    const std::vector<float> pixels = samples(volume, plane, kColumns, kRows);
    for (Index row = 0; row < kRows; ++row) {
        std::array<double, 3> from{};
        std::array<double, 3> to{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            from[axis] = plane.first[axis] + static_cast<double>(row) * plane.rowStep[axis];
            to[axis] = from[axis] + (kColumns - 1) * plane.columnStep[axis];
        }
        const std::vector<double> line = lineProfile(volume.view(), from, to, kColumns);
        for (Index column = 0; column < kColumns; ++column)
            // A float's rounding of values below 2.
            EXPECT_NEAR(pixels[static_cast<std::size_t>(row * kColumns + column)],
                        line[static_cast<std::size_t>(column)], 1e-6);
    }
}

TEST(PlaneSamples, AreNoneOutsideAndInfiniteWhereAVoxelIsNoNumber) {
    Volume volume(2, 3, 4, 5);
    volume.at(0, 1, 2) = std::numeric_limits<float>::quiet_NaN();
    // x from −1 to 4 in halves, through the NaN.
    const std::vector<float> pixels = samples(volume, {{-1, 1, 0}, {0.5, 0, 0}, {0, 1, 0}}, 11, 1);
    for (const std::size_t outside : {0U, 10U})
        EXPECT_TRUE(std::isnan(pixels[outside])) << outside;
    for (const std::size_t inside : {1U, 2U, 3U, 4U, 8U, 9U})
        EXPECT_EQ(pixels[inside], 5) << inside;
    for (const std::size_t beside : {5U, 6U, 7U})
        EXPECT_TRUE(std::isinf(pixels[beside])) << beside;
}

}  // namespace
}  // namespace gantry
