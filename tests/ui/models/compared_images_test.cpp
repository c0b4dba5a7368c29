#include "ui/models/image/compared_images.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "core/metrics/line_profile.h"

namespace gantry {
namespace {

// Off the centre, another pitch along each axis; the second is finer, and ends within the first.
const VolumeGrid kFirstGrid{{21, 16, 11}, {0.5, 0.6, 1.25}, {3, -4, 5}};
const VolumeGrid kSecondGrid{{40, 9, 30}, {0.2, 0.7, 0.5}, {4, -4.2, 4.1}};

double waves(Vec3 p) {
    return std::sin(p.x) + std::cos(1.3 * p.y) + 0.2 * p.z;
}

VoxelData filled(const VolumeGrid& grid, const std::function<double(Vec3)>& value) {
    auto voxels = std::make_shared<std::vector<float>>();
    for (Index z = 0; z < grid.voxels[2]; ++z)
        for (Index y = 0; y < grid.voxels[1]; ++y)
            for (Index x = 0; x < grid.voxels[0]; ++x)
                voxels->push_back(static_cast<float>(value(grid.positionMm(
                    static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)))));
    return {grid, voxels, *voxels};
}

// By the line profile through that place; NaN outside.
double interpolated(const VoxelData& data, Vec3 at) {
    const std::array<double, 3> xyz = {indexAt(data.grid, 0, at.x), indexAt(data.grid, 1, at.y),
                                       indexAt(data.grid, 2, at.z)};
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (xyz[axis] < -0.5 || xyz[axis] > static_cast<double>(data.grid.voxels[axis]) - 0.5)
            return std::nan("");
    const auto [nX, nY, nZ] = data.grid.voxels;
    return lineProfile({data.voxels.data(), nZ, nY, nX}, xyz, xyz, 2).front();
}

TEST(ComparedImages, TheSecondIsInterpolatedAtTheFirstsPixelsAndEndsWhereItEnds) {
    const VoxelData first = filled(kFirstGrid, waves);
    const VoxelData second = filled(kSecondGrid, waves);
    for (const SliceAxis axis : {SliceAxis::x, SliceAxis::y, SliceAxis::z}) {
        const SlicePlane plane = planeOf(axis);
        const Index index = kFirstGrid.voxels[plane.normal] / 2;
        const ImagePair pair = comparedSlices(first, second, axis, index);
        ASSERT_EQ(pair.second.columns, pair.first.columns);
        Index inside = 0;
        for (Index row = 0; row < pair.first.rows; ++row)
            for (Index column = 0; column < pair.first.columns; ++column) {
                std::array<double, 3> at{};
                at[plane.normal] = static_cast<double>(index);
                at[plane.across] = static_cast<double>(column);
                at[plane.up] = static_cast<double>(row);
                const double expected =
                    interpolated(second, kFirstGrid.positionMm(at[0], at[1], at[2]));
                const auto found = static_cast<double>(pair.second.at(column, row));
                ASSERT_EQ(std::isnan(found), std::isnan(expected)) << column << ' ' << row;
                if (std::isnan(expected)) continue;
                ++inside;
                EXPECT_NEAR(found, expected, 1e-6);  // a float's rounding of values below 4
            }
        EXPECT_GT(inside, 20);
        EXPECT_LT(inside, pair.first.columns * pair.first.rows);
    }
}

TEST(ComparedImages, OnOneGridTheSecondsOwnVoxelsAreTaken) {
    const VoxelData first = filled(kFirstGrid, waves);
    VolumeGrid nearly = kFirstGrid;
    nearly.centerMm[0] += 1e-6;  // as written with fewer digits
    const VoxelData second = filled(nearly, [](Vec3 p) { return 2 * waves(p); });
    const ImagePair pair = comparedSlices(first, second, SliceAxis::y, 7);
    const GreyImage alone = sliceImage(second, SliceAxis::y, 7);
    EXPECT_TRUE(std::ranges::equal(pair.second.pixels, alone.pixels));
}

TEST(ComparedImages, AreBlendedAndSubtractedWhereBothHavePixels) {
    const VoxelData first = filled({{3, 1, 1}, {1, 1, 1}, {0, 0, 0}}, [](Vec3) { return 3; });
    VoxelData second = filled({{2, 2, 1}, {1, 1, 1}, {0.5, 0, 0}}, [](Vec3) { return 1; });
    ImagePair pair = comparedSlices(first, second, SliceAxis::z, 0);
    EXPECT_TRUE(std::ranges::equal(blended(pair, 0).pixels, pair.first.pixels));
    EXPECT_EQ(blended(pair, 1).at(1, 0), 1);
    EXPECT_EQ(blended(pair, 0.25).at(1, 0), 2.5F);
    EXPECT_TRUE(std::isnan(blended(pair, 0.25).at(0, 0)));  // outside of the second
    const GreyImage difference = differenceOf(pair);
    EXPECT_TRUE(difference.isDifference && difference.nanIsOutside);
    EXPECT_EQ(difference.at(2, 0), 2);
    EXPECT_TRUE(std::isnan(difference.at(0, 0)));
    EXPECT_EQ(differenceWindow(difference).level(), 0);
    EXPECT_GE(differenceWindow(difference).white, 2);

    // What is no number in the first is none in the mixture: marked, not outside.
    std::vector<float> damaged = {3, std::numeric_limits<float>::quiet_NaN(), 3};
    pair.first.pixels = damaged;
    EXPECT_TRUE(std::isinf(differenceOf(pair).at(1, 0)));
}

TEST(ComparedImages, WhatIsOutsideIsSeenAsGroundAndWhatIsNoNumberIsMarked) {
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> pixels = {std::nanf(""), infinity, 0, 1};
    GreyImage image;
    image.pixels = pixels;
    image.columns = 4;
    image.rows = 1;
    const QColor ground(10, 20, 30);
    const QColor mark(200, 0, 200);
    for (const bool isDifference : {false, true}) {
        image.isDifference = isDifference;
        for (const bool nanIsOutside : {false, true}) {
            image.nanIsOutside = nanIsOutside;
            const QImage seen = render(image, {-1, 1}, {1, {0, 0}}, {4, 1}, 1, ground, mark);
            EXPECT_EQ(seen.pixelColor(0, 0), nanIsOutside ? ground : mark);
            EXPECT_EQ(seen.pixelColor(1, 0), mark);
            EXPECT_EQ(seen.pixelColor(3, 0),
                      isDifference ? differenceColour(1) : QColor(Qt::white));
        }
    }
}

}  // namespace
}  // namespace gantry
