#include "core/verify/test_piece.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

ScanGeometry geometryOf(std::array<double, 2> offsetMm) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 450;
    geometry.cone().sourceToDetectorMm = 1100;
    geometry.cone().views = 100;
    geometry.detector = {.columns = 201, .rows = 163, .pitchMm = {1.5, 1.3}, .offsetMm = offsetMm};
    return geometry;
}

TEST(TestPiece, IsWhollySeenByEveryView) {
    for (const std::array<double, 2> offset : {std::array{0.0, 0.0}, {4.0, -20.0}}) {
        const ScanGeometry geometry = geometryOf(offset);
        VolumeGrid grid = fitGrid(geometry);
        grid.centerMm[0] += 5;
        for (const std::string& kind : testPieceNames()) {
            const TestPiece piece = makeTestPiece(kind, geometry, grid);
            for (const PhantomShape& shape : piece.phantom.shapes) {
                const double reach = std::hypot(shape.centerMm.x, shape.centerMm.y) +
                                     std::max(shape.halfAxesMm[0], shape.halfAxesMm[1]);
                const FieldOfView seen = fieldOfView(geometry);
                EXPECT_LT(reach, seen.radiusMm) << kind;
                // What lies at that distance is seen in a part of the axis' height.
                const double share = 1 - reach / 450;
                const double middle = (seen.zMinMm + seen.zMaxMm) / 2;
                EXPECT_LT(std::abs(shape.centerMm.z - middle) + shape.halfAxesMm[2],
                          share * (seen.zMaxMm - middle))
                    << kind;
            }
        }
    }
}

TEST(TestPiece, AVolumeThatIsTooCoarseIsRefused) {
    const ScanGeometry geometry = geometryOf({0, 0});
    const VolumeGrid coarse = fitGrid(geometry, 30);
    for (const std::string& kind : testPieceNames()) {
        EXPECT_ERROR((void)makeTestPiece(kind, geometry, coarse), InputError, kind);
        EXPECT_ERROR((void)makeTestPiece(kind, geometry, coarse), InputError, "too coarse");
        EXPECT_ERROR((void)makeTestPiece(kind, geometry, coarse), InputError, "at least");
    }
    EXPECT_ERROR((void)makeTestPiece("walnut", geometry, coarse), InputError, "walnut");
    EXPECT_ERROR((void)makeTestPiece("walnut", geometry, coarse), InputError,
                 "shepp-logan, cylinder, spheres");
}

TEST(TestPiece, ShapesOfTheUsersAreMeasuredAsWhatTheyAre) {
    PhantomShape ball;
    ball.halfAxesMm = {3, 3, 3};
    PhantomShape rod = ball;
    rod.kind = PhantomShape::Kind::cylinder;
    EXPECT_EQ(pieceOf({"balls", {ball, ball, ball}}).spheres.size(), 3U);
    EXPECT_TRUE(pieceOf({"rod", {rod}}).cylinder);
    EXPECT_FALSE(pieceOf({"both", {rod, ball}}).cylinder);
    EXPECT_TRUE(pieceOf({"both", {rod, ball}}).spheres.empty());
    rod.axes = {Vec3{1, 0, 0}, Vec3{0, 0, 1}, Vec3{0, -1, 0}};
    EXPECT_FALSE(pieceOf({"lying rod", {rod}}).cylinder);
}

}  // namespace
}  // namespace gantry
