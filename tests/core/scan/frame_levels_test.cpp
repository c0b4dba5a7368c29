#include "core/scan/frame_levels.h"

#include <gtest/gtest.h>

#include <random>

namespace gantry {
namespace {

using Frames = std::vector<Index>;

TEST(FrameLevels, AFlatFrameAmongDarkOnesIsFar) {
    const std::vector<double> means = {101.2, 100.9, 50020.0, 101.0, 101.1};
    const OddFrames odd = oddFrames(FrameKind::dark, means);
    EXPECT_EQ(odd.far, Frames({2}));
    EXPECT_TRUE(odd.near.empty());
    const std::vector<std::string> notes = oddFramesNotes(
        FrameKind::dark, odd, means, {"d0.tif", "d1.tif", "d2.tif", "d3.tif", "d4.tif"});
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(notes[0],
              "d2.tif is unlike the other dark frames: its mean is 50020 counts, and theirs 101.1; "
              "it is left out. Remove it from the folder or the pattern.");
}

TEST(FrameLevels, AFlatFrameWithTheObjectInItIsTold) {
    const OddFrames odd = oddFrames(FrameKind::flat, {50010, 50020, 46000, 49990, 50005, 50000});
    EXPECT_TRUE(odd.far.empty());
    EXPECT_EQ(odd.near, Frames({2}));
    EXPECT_EQ(oddFrames(FrameKind::flat, {50010, 50020, 120, 49990}).far, Frames({2}));
}

// The beam falls over frames from before and after the scan, and single frames are noisy.
TEST(FrameLevels, ABeamThatChangesIsNoOddFrame) {
    std::mt19937 random(7);
    std::normal_distribution<double> noise(0, 30);
    std::vector<double> means;
    for (int i = 0; i < 40; ++i)
        means.push_back(50000 - 120 * i + noise(random));
    EXPECT_TRUE(oddFrames(FrameKind::flat, means).far.empty());
    EXPECT_TRUE(oddFrames(FrameKind::flat, means).near.empty());

    EXPECT_TRUE(oddFrames(FrameKind::flat, {40000, 32000}).far.empty());
    EXPECT_TRUE(oddFrames(FrameKind::flat, {40000, 40010, 32000, 32010}).far.empty());
    EXPECT_TRUE(oddFrames(FrameKind::dark, {2.1, -0.4, 3.0, 0.2, 12.0}).far.empty());
}

DetectorCalibration calibrated(Index columns, Index rows) {
    DetectorCalibration calibration;
    calibration.columns = columns;
    calibration.rows = rows;
    calibration.dark = HostBuffer<float>(columns * rows);
    calibration.flat = HostBuffer<float>(columns * rows);
    calibration.laterFlats.push_back({89, HostBuffer<float>(columns * rows)});
    for (Index i = 0; i < columns * rows; ++i) {
        calibration.dark[i] = 100;
        calibration.flat[i] = 20000.0F + static_cast<float>(i % columns) * 50;
        calibration.laterFlats[0].image[i] = 100 + 0.8F * (calibration.flat[i] - 100);
    }
    return calibration;
}

TEST(FrameLevels, AnObjectInTheLaterFlatFieldIsTold) {
    DetectorCalibration calibration = calibrated(67, 41);
    // The beam is weaker everywhere alike.
    EXPECT_TRUE(laterFlatsNotes(calibration).empty());
    for (Index v = 10; v < 30; ++v)
        for (Index u = 20; u < 45; ++u)
            calibration.laterFlats[0].image[v * 67 + u] *= 0.6F;
    const std::vector<std::string> notes = laterFlatsNotes(calibration);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes[0].find("at view 89 is 40 % darker"), std::string::npos) << notes[0];
}

// Modules with dark levels of their own, a row that is hot in all frames, and noise.
TEST(FrameLevels, LinesThatAreOddInTheDarkFieldAloneAreTold) {
    DetectorCalibration calibration = calibrated(67, 41);
    std::mt19937 random(7);
    std::normal_distribution<float> noise(0, 60);
    for (Index i = 0; i < 67 * 41; ++i) {
        const float offset =
            noise(random) + (i % 67 > 30 ? 500.0F : 0.0F) + (i / 67 == 12 ? 900.0F : 0.0F);
        calibration.dark[i] += offset;
        calibration.flat[i] += offset + noise(random);
    }
    EXPECT_EQ(darkLinesNotes(calibration), std::vector<std::string>());
    for (Index u = 0; u < 67; ++u)
        calibration.dark[33 * 67 + u] += 4000;
    for (Index v = 0; v < 41; ++v)
        calibration.dark[v * 67 + 9] -= 1500;
    const std::vector<std::string> notes = darkLinesNotes(calibration);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes[0].find("row 33 (+4"), std::string::npos) << notes[0];
    EXPECT_NE(notes[0].find("column 9 (-1"), std::string::npos) << notes[0];
    EXPECT_EQ(notes[0].find("row 12"), std::string::npos) << notes[0];
}

}  // namespace
}  // namespace gantry
