#include "core/geometry/footprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "tests/core/geometry/random_geometry.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

VolumeGrid randomGrid(test::RandomGeometry& random, double sod) {
    VolumeGrid grid;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        grid.voxels[axis] = random.whole(1, 9);
        grid.pitchMm[axis] = random.between(1, 0.06 * sod);
        grid.centerMm[axis] = random.between(-0.1, 0.1) * sod;
    }
    return grid;
}

// Rows that the interpolations of every single voxel in every view need, before clipping.
IndexRange neededRows(const AlignedViews& geometry, const VolumeGrid& grid, IndexRange slices) {
    double low = 1e9;
    double high = -1e9;
    for (const ProjectionMatrix& world : geometry.matrices) {
        const ProjectionMatrix matrix = onVoxelIndices(world, grid);
        for (Index k = slices.begin; k < slices.end; ++k)
            for (Index j = 0; j < grid.voxels[1]; ++j)
                for (Index i = 0; i < grid.voxels[0]; ++i) {
                    const double v = matrix
                                         .project(static_cast<double>(i), static_cast<double>(j),
                                                  static_cast<double>(k))
                                         .v;
                    low = std::min(low, v);
                    high = std::max(high, v);
                }
    }
    return {static_cast<Index>(std::floor(low)), static_cast<Index>(std::floor(high)) + 2};
}

IndexRange clipped(IndexRange range, Index rows) {
    const IndexRange inside = {std::max<Index>(range.begin, 0), std::min(range.end, rows)};
    return inside.empty() ? IndexRange{} : inside;
}

IndexRange randomSlices(test::RandomGeometry& random, const VolumeGrid& grid) {
    const Index begin = random.whole(0, grid.voxels[2] - 1);
    return {begin, random.whole(begin + 1, grid.voxels[2])};
}

TEST(FootprintRows, HoldEveryRowThatAVoxelNeeds) {
    test::RandomGeometry random(31);
    for (int i = 0; i < 400; ++i) {
        ScanGeometry geometry = random.aligned();
        if (i % 4 == 0)
            for (Index s = 0; s < geometry.views(); ++s)
                geometry.cone().anglesDeg.push_back(random.between(-300, 300));
        const VolumeGrid grid = randomGrid(random, geometry.cone().sourceToIsocenterMm);
        const IndexRange slices = randomSlices(random, grid);
        const AlignedViews views = alignedViews(geometry);
        const IndexRange needed = clipped(neededRows(views, grid, slices), views.detector.rows);
        const IndexRange found = footprintRows(views, grid, slices);
        if (needed.empty()) continue;
        EXPECT_LE(found.begin, needed.begin);
        EXPECT_GE(found.end, needed.end);
        EXPECT_GE(found.begin, 0);
        EXPECT_LE(found.end, geometry.detector.rows);
    }
}

TEST(FootprintRows, AreNoMoreThanNeededWhenViewsAreDense) {
    test::RandomGeometry random(32);
    for (int i = 0; i < 100; ++i) {
        ScanGeometry geometry = random.aligned();
        geometry.cone().views = 1000;
        const VolumeGrid grid = randomGrid(random, geometry.cone().sourceToIsocenterMm);
        const IndexRange slices = randomSlices(random, grid);
        const AlignedViews views = alignedViews(geometry);
        const IndexRange needed = clipped(neededRows(views, grid, slices), views.detector.rows);
        const IndexRange found = footprintRows(views, grid, slices);
        // One row at either end, for rounding and the angle between two views.
        EXPECT_LE(found.size(), needed.size() + 2);
    }
}

TEST(FootprintRows, AreEmptyWhereTheFootprintMissesTheDetector) {
    test::RandomGeometry random(33);
    ScanGeometry geometry = random.aligned();
    geometry.cone().sourceOffsetMm[1] = 0;
    geometry.detector.offsetMm[1] = 0;
    const AlignedViews views = alignedViews(geometry);
    VolumeGrid grid = {{8, 8, 4}, {1, 1, 1}, {0, 0, 180}};
    EXPECT_TRUE(footprintRows(views, grid, {0, 4}).empty());
    grid.centerMm[2] = -180;
    EXPECT_TRUE(footprintRows(views, grid, {0, 4}).empty());
    grid.centerMm[2] = 0;
    EXPECT_FALSE(footprintRows(views, grid, {0, 4}).empty());
    EXPECT_TRUE(footprintRows(views, grid, {2, 2}).empty());
}

TEST(FootprintRows, RefuseAVolumeThatReachesTheSource) {
    test::RandomGeometry random(34);
    const VolumeGrid wide = {{2, 2, 4}, {2000, 2000, 1}, {0, 0, 0}};
    ScanGeometry geometry = random.aligned();
    geometry.cone().arcDeg = 360;
    EXPECT_ERROR((void)footprintRows(alignedViews(geometry), wide, {0, 4}), InternalError,
                 "source");
}

}  // namespace
}  // namespace gantry
