#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.h"
#include "core/geometry/exchange/exchange.h"
#include "tests/core/geometry/expect_same_poses.h"
#include "tests/core/geometry/random_geometry.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

class AstraVectors : public testing::Test {
  protected:
    ExchangedGeometry readAll(const std::string& text, Index columns = 64, Index rows = 48) const {
        std::ofstream(m_folder / "vectors.txt") << text;
        return readAstraVectors(m_folder / "vectors.txt", columns, rows);
    }
    ScanGeometry read(const std::string& text, Index columns = 64, Index rows = 48) const {
        return readAll(text, columns, rows).geometry;
    }

  private:
    test::TemporaryFolder m_folder;
};

// What ASTRA's geom_2vec makes of create_proj_geom('cone', dy, dx, ..., angles, SO, OD).
std::string astraCone(const std::vector<double>& anglesRad, double so, double od, double dx,
                      double dy, const char* format) {
    std::string text;
    for (const double angle : anglesRad) {
        const double s = std::sin(angle);
        const double c = std::cos(angle);
        for (const double value :
             {s * so, -c * so, 0.0, -s * od, c * od, 0.0, c * dx, s * dx, 0.0, 0.0, 0.0, dy})
            text += fmt::format(fmt::runtime(format), value);
        text += "\n";
    }
    return text;
}

std::vector<double> circleRad(int views) {
    std::vector<double> angles;
    for (int s = 0; s < views; ++s)
        angles.push_back(2 * kPi * s / views);
    return angles;
}

// ASTRA's geom_2vec gives parallel3d the direction (sinθ, −cosθ, 0), the detector in the origin.
TEST_F(AstraVectors, ParallelBeamReadsAndIsWrittenBack) {
    std::string text = "# parallel3d_vec\n";
    for (int s = 0; s < 45; ++s) {
        const double angle = kPi * s / 45;
        text += fmt::format("{} {} 0 {} {} -2 {} {} 0 0 0 0.3\n", std::sin(angle), -std::cos(angle),
                            5 * std::cos(angle), 5 * std::sin(angle), 0.4 * std::cos(angle),
                            0.4 * std::sin(angle));
    }
    ScanGeometry geometry = read(text);
    ASSERT_TRUE(geometry.isParallel());
    EXPECT_EQ(geometry.angles().startDeg, 0);
    EXPECT_EQ(geometry.angles().arcDeg, 180);
    EXPECT_EQ(geometry.detector.offsetMm, (std::array{5.0, -2.0}));
    EXPECT_EQ(geometry.detector.pitchMm, (std::array{0.4, 0.3}));
    for (const bool topFirst : {false, true}) {
        geometry.detector.rollDeg = -1.5;
        geometry.detector.tiltDeg = 30;
        geometry.angles() = {.views = 3, .anglesDeg = {350, 361, 395}};
        const ExchangedGeometry back = readAll(toAstraVectors({geometry, topFirst}));
        EXPECT_EQ(back.geometry, geometry);
        EXPECT_EQ(back.firstRowIsTop, topFirst);
    }
    EXPECT_ERROR(read("# parallel3d_vec\n0 1 1 0 0 0 1 0 0 0 0 1\n"), InputError,
                 "not at right angles");
}

TEST_F(AstraVectors, ConeReadsAsTheSameScan) {
    const ScanGeometry geometry =
        read(astraCone(circleRad(90), 500, 250, 0.4, 0.3, " {:.18e}"), 64, 48);
    EXPECT_EQ(geometry.cone().sourceToIsocenterMm, 500);
    EXPECT_EQ(geometry.cone().sourceToDetectorMm, 750);
    EXPECT_EQ(geometry.cone().startDeg, 0);
    EXPECT_EQ(geometry.cone().arcDeg, 360);
    EXPECT_EQ(geometry.views(), 90);
    EXPECT_TRUE(geometry.cone().anglesDeg.empty());
    EXPECT_EQ(geometry.detector, (Detector{.columns = 64, .rows = 48, .pitchMm = {0.4, 0.3}}));
}

TEST_F(AstraVectors, SixDecimalsStillMakeAnAlignedScan) {
    const ScanGeometry geometry =
        read(astraCone(circleRad(90), 500, 250, 0.4, 0.4, " {:.6f}"), 64, 48);
    EXPECT_TRUE(geometry.isAligned());
    EXPECT_EQ(geometry.views(), 90);
    EXPECT_NEAR(geometry.cone().sourceToIsocenterMm, 500, 1e-6);
    // Half a unit of the sixth decimal in a step of 0.4 mm, 32 pixels out.
    EXPECT_NEAR(geometry.angleDeg(30), 120, 1e-4);
}

TEST_F(AstraVectors, CommasCommentsAndBlankLinesAreTaken) {
    const std::string text =
        "# source, detector, u, v\n"
        "0,-500,0, 0,250,0, 0.4,0,0, 0,0,0.4\r\n"
        "\n"
        "5e2, 0, 0, -250, 0, 0, 0, +0.4, 0, 0, 0, 0.4  # a quarter turn";
    const ScanGeometry geometry = read(text);
    EXPECT_EQ(geometry.views(), 2);
    EXPECT_EQ(geometry.cone().startDeg, 0);
    EXPECT_EQ(geometry.cone().arcDeg, 180);
}

TEST_F(AstraVectors, RoundTripKeepsEveryPose) {
    test::RandomGeometry random(41);
    for (int i = 0; i < 120; ++i) {
        const ScanGeometry geometry = i % 3 == 0   ? random.aligned()
                                      : i % 3 == 1 ? random.tilted()
                                                   : random.listed();
        const Detector& detector = geometry.detector;
        const bool topFirst = i % 2 == 0;
        const ExchangedGeometry found =
            readAll(toAstraVectors({geometry, topFirst}), detector.columns, detector.rows);
        test::expectSamePoses(found.geometry, geometry);
        EXPECT_EQ(found.firstRowIsTop, topFirst);
    }
}

// The first row of an image is where v begins, as in ASTRA's own projectors.
TEST_F(AstraVectors, ADownwardVIsTheTopRowFirst) {
    const ExchangedGeometry up = readAll(astraCone(circleRad(90), 500, 250, 0.4, 0.3, " {:.12f}"));
    const ExchangedGeometry down =
        readAll(astraCone(circleRad(90), 500, 250, 0.4, -0.3, " {:.12f}"));
    EXPECT_EQ(up.firstRowIsTop, false);
    EXPECT_EQ(down.firstRowIsTop, true);
    test::expectSamePoses(down.geometry, up.geometry);
    std::string mixed = astraCone(circleRad(3), 500, 250, 0.4, 0.3, " {:.12f}");
    mixed += astraCone({3}, 500, 250, 0.4, -0.3, " {:.12f}");
    EXPECT_ERROR((void)read(mixed), InputError, "shows the detector mirrored");
}

// A u that points left, as of images that are mirrored.
TEST_F(AstraVectors, ALeftwardUIsTheLastColumnFirst) {
    for (const bool isUp : {true, false}) {
        const double v = isUp ? 0.3 : -0.3;
        const ExchangedGeometry right =
            readAll(astraCone(circleRad(90), 500, 250, 0.4, v, " {:.12f}"));
        const ExchangedGeometry left =
            readAll(astraCone(circleRad(90), 500, 250, -0.4, v, " {:.12f}"));
        EXPECT_EQ(right.isMirrored, false);
        EXPECT_EQ(left.isMirrored, true);
        EXPECT_EQ(left.firstRowIsTop, !isUp);
        test::expectSamePoses(left.geometry, right.geometry);
    }
    test::RandomGeometry random(43);
    for (const bool topFirst : {true, false}) {
        const ScanGeometry geometry = random.tilted();
        const ExchangedGeometry found = readAll(toAstraVectors({geometry, topFirst, true}),
                                                geometry.detector.columns, geometry.detector.rows);
        test::expectSamePoses(found.geometry, geometry);
        EXPECT_EQ(found.firstRowIsTop, topFirst);
        EXPECT_EQ(found.isMirrored, true);
    }
}

TEST_F(AstraVectors, SaysWhichLineIsWrong) {
    const std::string good = "0 -500 0 0 250 0 0.4 0 0 0 0 0.4\n";
    EXPECT_ERROR((void)read(good + "0 -500 0 0 250 0 0.4 0 0 0 0\n"), InputError,
                 "vectors.txt: line 2 has 11 numbers; it must have 12");
    EXPECT_ERROR((void)read(good + "\n0 -500 0 0 2x0 0 0.4 0 0 0 0 0.4\n"), InputError,
                 "line 3: '2x0' is not a finite number");
    EXPECT_ERROR((void)read("nan -500 0 0 250 0 0.4 0 0 0 0 0.4\n"), InputError,
                 "line 1: 'nan' is not a finite number");
    EXPECT_ERROR((void)read("1e999 -500 0 0 250 0 0.4 0 0 0 0 0.4\n"), InputError, "'1e999'");
    EXPECT_ERROR(
        (void)read(good + "# u points left here alone\n0 -500 0 0 250 0 -0.4 0 0 0 0 0.4\n"),
        InputError, "line 3: view 1 shows the detector mirrored");
    std::string endless;
    for (int i = 0; i <= 1'000'000; ++i)
        endless += good;
    EXPECT_ERROR((void)read(endless), InputError, "line 1000001: there are more than 1000000");
    EXPECT_ERROR((void)read(""), InputError, "vectors.txt holds no view");
    EXPECT_ERROR((void)readAstraVectors("/nowhere/vectors.txt", 8, 8), InputError,
                 "/nowhere/vectors.txt");
}

}  // namespace
}  // namespace gantry
