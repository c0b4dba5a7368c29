
#include <gtest/gtest.h>

#include <stop_token>

#include "core/backproject/cpu_kernels.h"
#include "tests/core/backproject/back_projection.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

using test::backProject;
using test::Noise;

// Bilinear interpolation is exact for views that are linear in u and v, so that the sum over the
// views can be written down from the geometry alone.
TEST(Reference, SumsLinearViewsExactlyForAnyOrientationOfTheDetector) {
    const ScanGeometry scan = test::turnedScanOf(61, 53, 7);
    VolumeGrid grid = test::gridOf(scan, {5, 4, 3}, 1);
    grid.pitchMm = {9, 8, 7};
    const std::vector<float> views = test::linearViews(scan);

    const auto projector = makeReferenceBackProjector(2);
    const auto volume = backProject(*projector, scan, grid, {0, 3}, views, 3);

    const auto matrices = projectionMatrices(scan);
    auto voxel = volume.begin();
    for (double z = 0; z < 3; ++z)
        for (double y = 0; y < 4; ++y)
            for (double x = 0; x < 5; ++x) {
                double expected = 0;
                for (const auto& matrix : matrices) {
                    const Vec3 at = grid.positionMm(x, y, z);
                    const auto p = matrix.project(at.x, at.y, at.z);
                    expected += test::linearView(p.u, p.v) / (p.z * p.z);
                }
                // Sums in double, written as float.
                EXPECT_NEAR(*voxel++, expected, 1e-7 * expected);
            }
}

TEST(Reference, TakesPixelsOutsideTheViewAsZero) {
    ScanGeometry scan = test::scanOf(4, 4, 1);
    scan.cone().startDeg = 0;
    // One voxel in the isocentre, one pixel further and so on: u = 1.5, 2.5, 3.5, 4.5.
    const double pixelAtIsocentre = scan.detector.pitchMm[0] / scan.magnification();
    VolumeGrid grid{{4, 1, 1}, {pixelAtIsocentre, 1, 1}, {1.5 * pixelAtIsocentre, 0, 0}};
    const std::vector<float> views(16, 500.0F * 500.0F);  // 1 after the weight 1/z²
    const auto projector = makeReferenceBackProjector(1);
    const auto line = backProject(*projector, scan, grid, {0, 1}, views);
    EXPECT_FLOAT_EQ(line[0], 1);
    EXPECT_FLOAT_EQ(line[1], 1);
    EXPECT_FLOAT_EQ(line[2], 0.5);
    EXPECT_FLOAT_EQ(line[3], 0);
}

TEST(Reference, StopsOnRequest) {
    const ScanGeometry scan = test::scanOf(8, 8, 1);
    const VolumeGrid grid = test::gridOf(scan, {4, 4, 4}, 1);
    const auto views = test::randomViews(scan, Noise::uniform);
    const auto matrices = projectionMatrices(scan);
    std::stop_source stop;
    stop.request_stop();
    const auto projector = makeReferenceBackProjector(2);
    projector->begin(grid, {0, 4});
    EXPECT_THROW(projector->add({{views.data(), 1, 8, 8}, 0, matrices}, stop.get_token()),
                 Cancelled);
}

TEST(PlainScalar, AgreesWithTheReferenceAsFarAsFloatCoordinatesAllow) {
    const ScanGeometry scan = test::scanOf(97, 83, 9);
    const VolumeGrid grid = test::gridOf(scan, {31, 29, 27}, 3);
    for (const SimdLevel level : supportedSimdLevels()) {
        SCOPED_TRACE(name(level));
        const auto views = test::randomViews(scan, Noise::uniform);
        const auto expected =
            backProject(*makeReferenceBackProjector(2), scan, grid, {3, 20}, views);
        const auto plain = makePlainScalarBackProjector(2, level);
        // Coordinates up to 97 in float are off by some 1e-5 pixels.
        EXPECT_LT(test::relativeRmse(backProject(*plain, scan, grid, {3, 20}, views), expected),
                  1e-5);
    }
}

}  // namespace
}  // namespace gantry
