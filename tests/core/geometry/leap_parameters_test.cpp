#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "core/base/error.h"
#include "core/geometry/exchange/exchange.h"
#include "tests/core/geometry/expect_same_poses.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// LEAP writes it so.
constexpr const char* kVolume =
    "# CT volume parameters\nnumX = 512\nnumY = 512\nnumZ = 512\nvoxelWidth = 5.107142e-01\n"
    "voxelHeight = 5.107142e-01\noffsetX = 0.000000e+00\noffsetY = 0.000000e+00\n"
    "offsetZ = 0.000000e+00\n\n# CT geometry parameters\n";
constexpr const char* kCone =
    "geometry = cone\nnumAngles = 90\nnumRows = 48\nnumCols = 64\npixelHeight = 6.500000e-01\n"
    "pixelWidth = 5.500000e-01\ncenterRow = 2.350000e+01\ncenterCol = 3.150000e+01\n"
    "angularRange = 3.600000e+02\nsod = 5.000000e+02\nsdd = 7.500000e+02\ntau = 0.000000e+00\n"
    "tiltAngle = 0.000000e+00\nhelicalPitch = 0.000000e+00\n";

class LeapParameters : public testing::Test {
  protected:
    ExchangedGeometry read(const std::string& text) const {
        std::ofstream(m_folder / "leap.txt") << text;
        return readLeapParameters(m_folder / "leap.txt");
    }
    // Reads kCone with lines in place of those of the same names.
    ScanGeometry cone(const std::string& lines) const {
        return read(std::string(kVolume) + kCone + lines).geometry;
    }

  private:
    test::TemporaryFolder m_folder;
};

TEST_F(LeapParameters, OfAConeAreTheSameCircle) {
    const ExchangedGeometry found = read(std::string(kVolume) + kCone);
    const ScanGeometry& geometry = found.geometry;
    EXPECT_EQ(found.firstRowIsTop, false);
    EXPECT_NEAR(geometry.cone().sourceToIsocenterMm, 500, 1e-9);
    EXPECT_NEAR(geometry.cone().sourceToDetectorMm, 750, 1e-9);
    EXPECT_NEAR(geometry.cone().startDeg, 0, 1e-9);
    EXPECT_NEAR(geometry.cone().arcDeg, 360, 1e-9);
    EXPECT_EQ(geometry.views(), 90);
    EXPECT_EQ(geometry.detector, (Detector{.columns = 64, .rows = 48, .pitchMm = {0.55, 0.65}}));
}

TEST_F(LeapParameters, GoClockwiseByANegativeRange) {
    EXPECT_NEAR(cone("angularRange = -2.000000e+02\n").cone().arcDeg, -200, 1e-9);
}

TEST_F(LeapParameters, MayListAngles) {
    std::string phis = "phis = ";
    for (int s = 0; s < 90; ++s)
        phis += fmt::format(" {:.6e}{}", 30 + 2.5 * s + (s % 3) * 0.4, s < 89 ? "," : "\n");
    const ScanGeometry geometry = cone(phis);
    ASSERT_EQ(geometry.cone().anglesDeg.size(), 90U);
    EXPECT_NEAR(geometry.angleDeg(1), 32.9, 1e-6);
    EXPECT_NEAR(geometry.angleDeg(89), 30 + 2.5 * 89 + 0.8, 1e-4);
}

// Column c is seen (c − centerCol)·pixelWidth from the source's foot, which tau has moved to the
// other side; so is row r.
TEST_F(LeapParameters, CentreAndTauPlaceTheDetector) {
    const ScanGeometry geometry = cone("centerCol = 25\ncenterRow = 30.5\ntau = 1.25\n");
    const ViewPose pose = viewPose(geometry, 0);
    EXPECT_NEAR(length(pose.sourceMm - Vec3{-1.25, -500, 0}), 0, 1e-9);
    const double across = (31.5 - 25) * 0.55 - 1.25;
    EXPECT_NEAR(length(pose.detectorCenterMm - Vec3{across, 250, (23.5 - 30.5) * 0.65}), 0, 1e-9);
}

TEST_F(LeapParameters, TiltTurnsTheDetectorAboutTheRayToItsFoot) {
    const ScanGeometry geometry = cone("centerCol = 25\ntiltAngle = 2\n");
    const double c = std::cos(radians(2));
    const double s = std::sin(radians(2));
    const ViewPose pose = viewPose(geometry, 0);
    const double across = (31.5 - 25) * 0.55;
    EXPECT_NEAR(length(pose.detectorCenterMm - Vec3{across * c, 250, across * s}), 0, 1e-6);
    EXPECT_NEAR(length(pose.uStepMm - Vec3{0.55 * c, 0, 0.55 * s}), 0, 1e-9);
    EXPECT_NEAR(length(pose.vStepMm - Vec3{-0.65 * s, 0, 0.65 * c}), 0, 1e-9);
}

TEST_F(LeapParameters, OfBeforeHadOtherNames) {
    const ScanGeometry geometry =
        read(
            "img_dimx = 8\nproj_geometry = cone\nproj_nangles = 36\nproj_nrows = 5\n"
            "proj_ncols = 7\nproj_pheight = 1\nproj_pwidth = 2\nproj_crow = 2\nproj_ccol = 3\n"
            "proj_arange = 360\nproj_phis = \nproj_sod = 100\nproj_sdd = 200\n")
            .geometry;
    EXPECT_EQ(geometry.views(), 36);
    EXPECT_EQ(geometry.detector.pitchMm, (std::array<double, 2>{2, 1}));
}

// Modules that wobble, written with as few digits as LEAP writes; the rows up, or down.
TEST_F(LeapParameters, OfModulesAreCalibratedPoses) {
    for (const double up : {1.0, -1.0}) {
        std::string sources = "sourcePositions = ", centers = "moduleCenters = ";
        std::string rows = "rowVectors = ", columns = "colVectors = ";
        std::vector<ViewPose> expected;
        for (int s = 0; s < 12; ++s) {
            const double a = 2 * kPi * s / 12;
            const Vec3 n = {-std::sin(a), std::cos(a), 0};
            const Vec3 u = {std::cos(a), std::sin(a), 0};
            const Vec3 source = (-500.0 - s % 4) * n;
            const Vec3 center = (250.0 + s % 3) * n + Vec3{0, 0, 0.5 * (s % 2)};
            const char* const end = s < 11 ? ", " : "\n";
            const auto add = [&](std::string& text, Vec3 v) {
                text += fmt::format("{:.6e}, {:.6e}, {:.6e}{}", v.x, v.y, v.z, end);
            };
            add(sources, source);
            add(centers, center);
            add(rows, {0, 0, 3 * up});
            add(columns, 2 * u);
            expected.push_back({source, center, 0.55 * u, {0, 0, 0.65}});
        }
        const ExchangedGeometry found = read(
            "geometry = modular\nnumAngles = 12\nnumRows = 48\nnumCols = 64\n"
            "pixelHeight = 0.65\npixelWidth = 0.55\n" +
            sources + centers + rows + columns);
        EXPECT_EQ(found.firstRowIsTop, up < 0);
        ASSERT_NE(found.geometry.poses(), nullptr);
        for (std::size_t s = 0; s < expected.size(); ++s) {
            const ViewPose pose = viewPose(found.geometry, static_cast<Index>(s));
            EXPECT_NEAR(length(pose.sourceMm - expected[s].sourceMm), 0, 1e-3);
            EXPECT_NEAR(length(pose.detectorCenterMm - expected[s].detectorCenterMm), 0, 1e-3);
            EXPECT_NEAR(length(pose.uStepMm - expected[s].uStepMm), 0, 1e-6);
            EXPECT_NEAR(length(pose.vStepMm - expected[s].vStepMm), 0, 1e-6);
        }
    }
}

TEST_F(LeapParameters, WhatCannotBeUsedIsNamed) {
    EXPECT_ERROR(cone("geometry = parallel\n"), InputError, "line 26: geometry is parallel");
    EXPECT_ERROR(cone("detectorType = curved\n"), InputError, "only flat detectors");
    EXPECT_ERROR(cone("helicalPitch = 3\n"), InputError, "helicalPitch is 3");
    EXPECT_ERROR(cone("sod = 1, 2\n"), InputError, "sod has 2 numbers");
    EXPECT_ERROR(cone("sod = nan\n"), InputError, "line 26: sod");
    EXPECT_ERROR(cone("sdd = -1\n"), InputError, "greater than 0");
    EXPECT_ERROR(cone("numAngles = 1e12\n"), InputError, "from 1 to 1000000");
    EXPECT_ERROR(cone("numCols = 2.5\n"), InputError, "whole number");
    EXPECT_ERROR(cone("phis = 1, 2, 3\n"), InputError, "phis has 3 angles");
    EXPECT_ERROR(cone("nothing\n"), InputError, "line 26: must be");
    EXPECT_ERROR(read("numCols = 3\n"), InputError, "geometry is missing");
    EXPECT_ERROR(read("geometry = cone\nnumCols = 3\nnumRows = 3\n"), InputError, "sod is missing");
    const std::string modular =
        "geometry = modular\nnumAngles = 1\nnumRows = 3\nnumCols = 3\npixelHeight = 1\n"
        "pixelWidth = 1\nsourcePositions = 0, -9, 0\nmoduleCenters = 0, 9, 0\n";
    EXPECT_ERROR(read(modular + "rowVectors = 0, 0\ncolVectors = 1, 0, 0\n"), InputError,
                 "rowVectors has 2 numbers");
    EXPECT_ERROR(read(modular + "rowVectors = 0, 0, 0\ncolVectors = 1, 0, 0\n"), InputError,
                 "view 0");
    EXPECT_ERROR(read(modular + "rowVectors = 1, 0, 1\ncolVectors = 1, 0, 0\n"), InputError,
                 "right angles");
}

}  // namespace
}  // namespace gantry
