#include "core/geometry/views/mirror.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/geometry/views/projection_matrix.h"

namespace gantry {
namespace {

ScanGeometry someScan() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 470;
    geometry.cone().startDeg = 17;
    geometry.cone().views = 5;
    geometry.detector = {.columns = 40, .rows = 30, .pitchMm = {2, 1.5}, .offsetMm = {3, 0}};
    return geometry;
}

constexpr VolumeGrid kGrid = {{9, 8, 7}, {1, 1, 0.8}, {2, -3, 0}};

TEST(Mirror, OfAVolumeAboutTheMidPlaneIsItsOtherHalf) {
    EXPECT_EQ(mirroredSlices(alignedViews(someScan()), kGrid), 6);
    EXPECT_EQ(mirroredRange(kGrid, 6), (IndexRange{0, 7}));
}

// By the matrices that back-projection goes by.
TEST(Mirror, SlicesAreSeenOnRowsThatMirrorEachOther) {
    ScanGeometry scan = someScan();
    scan.cone().sourceOffsetMm[1] = 4.5;
    scan.detector.offsetMm[1] = 4.5 + 3.75;  // two rows and a half below
    VolumeGrid grid = kGrid;
    grid.centerMm[2] = 4.5 - 2.5 * 0.8;
    const AlignedViews views = alignedViews(scan);
    ASSERT_EQ(mirroredSlices(views, grid), 11);
    const double rows = 2 * views.detector.midplaneRow();
    EXPECT_NEAR(rows, 24, 1e-9);
    for (const ProjectionMatrix& world : views.matrices) {
        const ProjectionMatrix matrix = onVoxelIndices(world, grid);
        for (const double k : {5.0, 6.0})
            EXPECT_NEAR(matrix.project(3, 7, k).v + matrix.project(3, 7, 11 - k).v, rows, 1e-9);
    }
    EXPECT_EQ(mirroredRange(grid, 11), (IndexRange{5, 7}));
}

TEST(Mirror, OffTheMiddleItIsAboutASliceOrTheEdgeOfOneAndNowhereElse) {
    const AlignedViews views = alignedViews(someScan());
    VolumeGrid grid = kGrid;
    for (const Index halves : {-6, -5, 1, 6}) {
        grid.centerMm[2] = -0.4 * static_cast<double>(halves);
        EXPECT_EQ(mirroredSlices(views, grid), 6 + halves);
    }
    for (const double slices : {6.5, -7.0, 0.25, 0.001}) {  // beyond the volume, and between
        grid.centerMm[2] = 0.8 * slices;
        EXPECT_EQ(mirroredSlices(views, grid), std::nullopt) << slices;
    }
}

TEST(Mirror, RowsMirrorEachOtherAboutARowOrTheEdgeOfOneAndNowhereElse) {
    ScanGeometry scan = someScan();
    for (const double rows : {0.5, -7.0, 0.25, 3.1}) {
        scan.detector.offsetMm[1] = 1.5 * rows;
        EXPECT_EQ(mirroredSlices(alignedViews(scan), kGrid).has_value(),
                  2 * rows == std::round(2 * rows))
            << rows;
    }
}

TEST(Mirror, IsThatOfAWholePairOrOfAMiddle) {
    EXPECT_TRUE(isOwnMirror(IndexRanges(2, 5), 6));
    EXPECT_TRUE(isOwnMirror(IndexRanges({0, 2}, {5, 7}), 6));
    EXPECT_FALSE(isOwnMirror(IndexRanges(0, 2), 6));
    EXPECT_FALSE(isOwnMirror(IndexRanges({0, 2}, {4, 7}), 6));
    EXPECT_FALSE(isOwnMirror(IndexRanges({0, 2}, {4, 6}), 6));
}

}  // namespace
}  // namespace gantry
