#include <gtest/gtest.h>

#include "core/backproject/cpu_kernels.h"
#include "tests/core/backproject/back_projection.h"
#include "tests/core/geometry/random_geometry.h"

namespace gantry {
namespace {

class GeneralAgreement : public testing::TestWithParam<SimdLevel> {
  protected:
    static void expectAgreement(const ScanGeometry& scan, const VolumeGrid& grid,
                                IndexRange slices) {
        test::expectAgreement(*makeCpuGeneralBackProjector(2, GetParam()), scan, grid, slices);
    }

    // Every view of a circle moved and turned by itself.
    static ScanGeometry jittered(const ScanGeometry& scan, double mm, double deg, unsigned seed) {
        return test::RandomGeometry(seed).jittered(scan, mm, deg);
    }
};

TEST_P(GeneralAgreement, PosesNearACircle) {
    const ScanGeometry scan = jittered(test::scanOf(97, 83, 13), 1, 0.5, 1);
    expectAgreement(scan, test::gridOf(scan, {53, 47, 61}, 1), {0, 61});
    expectAgreement(scan, test::gridOf(scan, {29, 31, 64}, 1.3), {7, 52});
}

TEST_P(GeneralAgreement, AnyPoses) {
    for (const double deg : {2.0, 10.0, 45.0, 170.0}) {
        SCOPED_TRACE(deg);
        const ScanGeometry scan = jittered(test::scanOf(70, 90, 11), 30, deg, 2);
        for (const double rowsPerVoxel : {0.1, 0.9, 2.3}) {
            VolumeGrid grid = test::gridOf(test::scanOf(70, 90, 11), {23, 19, 50}, rowsPerVoxel);
            grid.centerMm = {3, -5, 4};
            expectAgreement(scan, grid, {0, 50});
            expectAgreement(scan, grid, {11, 12});
        }
    }
}

TEST_P(GeneralAgreement, PlainCircles) {
    const ScanGeometry scan = test::scanOf(64, 70, 9);
    expectAgreement(scan, test::gridOf(scan, {29, 31, 70}, 1), {0, 70});
    expectAgreement(scan, test::gridOf(scan, {29, 31, 300}, 1), {0, 300});
}

TEST_P(GeneralAgreement, ParallelBeamAboutATiltedAxis) {
    const ScanGeometry cone = test::scanOf(64, 70, 9);
    ScanGeometry scan = cone;
    const GantryAngles angles = cone.cone();
    scan.trajectory = ParallelBeam{angles};
    scan.detector.rollDeg = 2;
    scan.detector.tiltDeg = 30;
    VolumeGrid grid = test::gridOf(scan, {29, 31, 70}, 1);
    grid.centerMm = {3, -5, 4};
    expectAgreement(scan, grid, {0, 70});
}

TEST_P(GeneralAgreement, DetectorOf512Columns) {
    const ScanGeometry scan = jittered(test::scanOf(512, 512, 9), 1, 0.5, 3);
    expectAgreement(scan, test::gridOf(scan, {15, 13, 400}, 1.2), {0, 400});
    expectAgreement(scan, test::gridOf(scan, {15, 13, 500}, 0.9), {211, 240});
}

TEST_P(GeneralAgreement, VolumeLargerThanTheViewsAndAcrossTheSource) {
    const ScanGeometry scan = jittered(test::scanOf(40, 30, 9), 5, 20, 4);
    VolumeGrid grid = test::gridOf(scan, {35, 33, 64}, 1.7);
    grid.pitchMm[0] *= 4;
    grid.pitchMm[1] *= 4;
    expectAgreement(scan, grid, {0, 64});
    grid.pitchMm[0] *= 12;
    grid.pitchMm[2] *= 30;
    expectAgreement(scan, grid, {0, 64});
}

INSTANTIATE_TEST_SUITE_P(Levels, GeneralAgreement, testing::ValuesIn(supportedSimdLevels()),
                         test::levelName);

}  // namespace
}  // namespace gantry
