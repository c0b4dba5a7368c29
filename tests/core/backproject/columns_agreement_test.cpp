#include <gtest/gtest.h>

#include "core/backproject/cpu_kernels.h"
#include "tests/core/backproject/back_projection.h"

namespace gantry {
namespace {

class ColumnsAgreement : public testing::TestWithParam<SimdLevel> {
  protected:
    static void expectAgreement(const ScanGeometry& scan, const VolumeGrid& grid,
                                IndexRange slices) {
        test::expectAgreement(*makeCpuColumnsBackProjector(2, GetParam()), scan, grid, slices);
    }
};

TEST_P(ColumnsAgreement, CentredVolumeOfOddSizes) {
    const ScanGeometry scan = test::scanOf(97, 83, 13);
    expectAgreement(scan, test::gridOf(scan, {53, 47, 61}, 1), {0, 61});
    expectAgreement(scan, test::gridOf(scan, {53, 47, 64}, 1), {0, 64});
    expectAgreement(scan, test::gridOf(scan, {61, 53, 47}, 1), {0, 47});
}

TEST_P(ColumnsAgreement, OffCentreAnisotropicVolume) {
    ScanGeometry scan = test::scanOf(97, 83, 11);
    scan.detector.offsetMm = {13.7, -5.3};
    scan.detector.pitchMm[1] *= 0.83;
    scan.cone().sourceOffsetMm = {1.5, 2.5};
    VolumeGrid grid = test::gridOf(scan, {33, 41, 37}, 1.3);
    grid.centerMm = {5, -7, 11};
    expectAgreement(scan, grid, {0, 37});
}

TEST_P(ColumnsAgreement, ParallelBeam) {
    const ScanGeometry cone = test::scanOf(97, 83, 11);
    ScanGeometry scan = cone;
    const GantryAngles angles = cone.cone();
    scan.trajectory = ParallelBeam{angles};
    scan.detector.offsetMm = {13.7, -5.3};
    scan.detector.pitchMm[1] *= 0.83;
    VolumeGrid grid = test::gridOf(scan, {33, 41, 37}, 1.3);
    expectAgreement(scan, grid, {0, 37});
    grid.centerMm = {5, -7, 11};
    expectAgreement(scan, grid, {3, 30});
}

TEST_P(ColumnsAgreement, DetectorShiftedByWholeRowsKeepsItsPairs) {
    ScanGeometry scan = test::scanOf(65, 64, 9);
    scan.detector.offsetMm[1] = 3 * scan.detector.pitchMm[1];
    expectAgreement(scan, test::gridOf(scan, {21, 23, 64}, 0.8), {0, 64});
}

TEST_P(ColumnsAgreement, SlabsOfAVolume) {
    const ScanGeometry scan = test::scanOf(64, 70, 9);
    const VolumeGrid grid = test::gridOf(scan, {29, 31, 70}, 1);
    expectAgreement(scan, grid, {0, 1});
    expectAgreement(scan, grid, {5, 22});
    expectAgreement(scan, grid, {3, 67});  // centred: pairs
    expectAgreement(scan, grid, {41, 70});
}

TEST_P(ColumnsAgreement, DetectorOf512Columns) {
    const ScanGeometry scan = test::scanOf(512, 512, 9);
    expectAgreement(scan, test::gridOf(scan, {15, 13, 400}, 1.2), {0, 400});
    expectAgreement(scan, test::gridOf(scan, {15, 13, 500}, 0.9), {211, 240});
}

TEST_P(ColumnsAgreement, SmallAndLargeStepsOfRows) {
    const ScanGeometry scan = test::scanOf(96, 96, 7);
    for (const double rowsPerVoxel : {0.07, 0.28, 0.86, 1.0, 1.9, 2.1, 3.7, 11.0}) {
        SCOPED_TRACE(rowsPerVoxel);
        const auto nZ = static_cast<Index>(90 / rowsPerVoxel);
        const VolumeGrid grid =
            test::gridOf(scan, {11, 13, std::min<Index>(nZ, 200)}, rowsPerVoxel);
        expectAgreement(scan, grid, {0, grid.voxels[2]});
        expectAgreement(scan, grid, {1, grid.voxels[2]});
    }
}

TEST_P(ColumnsAgreement, VolumeLargerThanTheViews) {
    ScanGeometry scan = test::scanOf(40, 30, 9);
    VolumeGrid grid = test::gridOf(scan, {35, 33, 64}, 1.7);
    grid.pitchMm[0] *= 2;
    grid.pitchMm[1] *= 2;
    expectAgreement(scan, grid, {0, 64});
    grid.centerMm[2] = 40;
    expectAgreement(scan, grid, {0, 64});
    scan.detector.pitchMm[1] /= 50;  // steps of 85 rows: a run crosses the whole view
    expectAgreement(scan, grid, {0, 64});
}

INSTANTIATE_TEST_SUITE_P(Levels, ColumnsAgreement, testing::ValuesIn(supportedSimdLevels()),
                         test::levelName);

}  // namespace
}  // namespace gantry
