#include <gtest/gtest.h>

#include <limits>

#include "core/backproject/cpu_kernels.h"
#include "core/geometry/views/parallel_views.h"
#include "core/geometry/views/projection_matrix.h"
#include "tests/core/backproject/back_projection.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

class StackAgreement : public testing::TestWithParam<SimdLevel> {
  protected:
    static ScanGeometry parallelScan(Index columns, Index rows, Index views) {
        const ScanGeometry cone = test::scanOf(columns, rows, views);
        ScanGeometry scan = cone;
        const GantryAngles angles = cone.cone();
        scan.trajectory = ParallelBeam{angles};
        return scan;
    }

    static void expectAgreement(const ScanGeometry& scan, const VolumeGrid& grid,
                                IndexRange slices) {
        test::expectAgreement(*makeCpuStackBackProjector(2, GetParam()), scan, grid, slices);
    }
};

TEST_P(StackAgreement, OddSizesOffCentreSlicesBetweenRows) {
    ScanGeometry scan = parallelScan(97, 83, 11);
    scan.detector.offsetMm = {13.7, -5.3};
    scan.detector.pitchMm[1] *= 0.83;
    VolumeGrid grid = test::gridOf(scan, {33, 41, 37}, 1.3);
    expectAgreement(scan, grid, {0, 37});
    grid.centerMm = {5, -7, 11};
    expectAgreement(scan, grid, {3, 30});
    expectAgreement(scan, grid, {36, 37});
}

TEST_P(StackAgreement, SlicesWiderAndFinerThanRows) {
    const ScanGeometry scan = parallelScan(61, 67, 9);
    for (const double rowsPerVoxel : {0.13, 1.0, 2.7}) {
        SCOPED_TRACE(rowsPerVoxel);
        // More than a block of slices, and one that is filled in part.
        const VolumeGrid grid = test::gridOf(scan, {9, 7, 197}, rowsPerVoxel);
        expectAgreement(scan, grid, {0, 197});
        expectAgreement(scan, grid, {20, 148});
    }
}

TEST_P(StackAgreement, ClockwiseOnADetectorNarrowerThanTheVolume) {
    ScanGeometry scan = parallelScan(40, 30, 13);
    std::get<ParallelBeam>(scan.trajectory).arcDeg *= -1;
    VolumeGrid grid = test::gridOf(scan, {35, 33, 64}, 1.7);
    grid.pitchMm[0] *= 3;
    grid.pitchMm[1] *= 4;
    expectAgreement(scan, grid, {0, 64});
}

TEST_P(StackAgreement, PixelsThatNoVoxelSeesMayHoldAnything) {
    const ScanGeometry scan = parallelScan(64, 32, 4);
    VolumeGrid grid = test::gridOf(scan, {9, 9, 16}, 1);
    grid.pitchMm = {1, 1, scan.detector.pitchMm[1]};
    std::vector<float> views = test::randomViews(scan, test::Noise::uniform);
    for (std::size_t i = 0; i < views.size(); i += 64)
        views[i] = std::numeric_limits<float>::quiet_NaN();
    const auto projector = makeCpuStackBackProjector(1, GetParam());
    for (const float value : test::backProject(*projector, scan, grid, {0, 16}, views))
        EXPECT_TRUE(value > 0);
}

TEST_P(StackAgreement, ConesAreRefused) {
    const ScanGeometry scan = test::scanOf(16, 12, 3);
    EXPECT_FALSE(areParallel(projectionMatrices(scan)));
    EXPECT_TRUE(areParallel(projectionMatrices(parallelScan(16, 12, 3))));
    const auto views = test::randomViews(scan, test::Noise::uniform);
    const auto projector = makeCpuStackBackProjector(1, GetParam());
    projector->begin(test::gridOf(scan, {5, 5, 5}, 1), {0, 5});
    EXPECT_ERROR(test::addViews(*projector, scan, views, {0, 12}, 3), InternalError, "parallel");
}

INSTANTIATE_TEST_SUITE_P(Levels, StackAgreement, testing::ValuesIn(supportedSimdLevels()),
                         test::levelName);

}  // namespace
}  // namespace gantry
