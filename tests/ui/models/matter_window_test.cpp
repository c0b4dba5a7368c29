#include "ui/models/image/matter_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/phantom/phantom.h"
#include "core/phantom/voxelise.h"

namespace gantry {
namespace {

// Tissues of 1.00 to 1.04 in a skull of 2.00, in air.
TEST(MatterWindow, TellsTheTissuesOfAHeadApart) {
    const VolumeGrid grid{{61, 63, 59}, {1.6, 1.6, 1.7}, {0, 0, 0}};
    std::vector<float> head(static_cast<std::size_t>(grid.count()));
    voxelisePhantom(makePhantom("shepp-logan", {48, {}, 0.01}), grid, {0, 59}, 2, 2,
                    {head.data(), 59, 63, 61});
    const GreyWindow window = matterWindow(head);
    const auto share = [&](double tissue) {
        return (0.01 * tissue - window.black) / window.width();
    };
    EXPECT_GT(share(1.00), 0.1);
    EXPECT_GT(share(1.02) - share(1.00), 0.08);
    EXPECT_GT(share(1.04) - share(1.02), 0.08);
    EXPECT_LT(share(1.04), 1.0);
    EXPECT_LT(share(0), 0);
    EXPECT_GT(share(2), 1);
}

TEST(MatterWindow, OddVolumesHaveAWindow) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::vector<float>& voxels : std::vector<std::vector<float>>{
             {}, {nan}, {3}, {0, 0, 0, 7}, {1, 1, 1, 1}, {nan, -5, 8, INFINITY}}) {
        const GreyWindow window = matterWindow(voxels);
        EXPECT_GT(window.width(), 0);
        EXPECT_TRUE(std::isfinite(window.level()));
    }
}

// Air, eight equal voxels and twelve in steps of a half: the shortest stretch with half of these
// twenty is from 10 to 11.5, and the window reaches four times that to either side of its middle.
TEST(MatterWindow, IsAboutTheDensestHalfOfTheMatter) {
    std::vector<float> voxels(28, 0.0F);
    std::fill_n(voxels.begin() + 3, 8, 10.0F);
    for (int i = 1; i <= 12; ++i)
        voxels.push_back(10.0F + 0.5F * static_cast<float>(i));
    const GreyWindow window = matterWindow(voxels);
    EXPECT_DOUBLE_EQ(window.black, 10.75 - 6);
    EXPECT_DOUBLE_EQ(window.white, 10.75 + 6);
}

// Two voxels of matter have a window of their own, 3 % of all greys to either side.
TEST(MatterWindow, TheFirstVoxelCountsAsEveryOther) {
    const GreyWindow window = matterWindow(std::vector<float>{7, 0, 0, 7});
    EXPECT_NEAR(window.black, 7 - 0.21, 1e-9);
    EXPECT_NEAR(window.white, 7 + 0.21, 1e-9);
}

}  // namespace
}  // namespace gantry
