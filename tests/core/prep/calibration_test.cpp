#include "core/prep/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

DetectorCalibration calibrationOf(const std::vector<float>& dark, const std::vector<float>& flat,
                                  Index rows, Index columns) {
    DetectorCalibration calibration;
    calibration.rows = rows;
    calibration.columns = columns;
    calibration.dark = HostBuffer<float>(rows * columns);
    calibration.flat = HostBuffer<float>(rows * columns);
    std::copy(dark.begin(), dark.end(), calibration.dark.data());
    std::copy(flat.begin(), flat.end(), calibration.flat.data());
    return calibration;
}

HostBuffer<float> meanOf(std::span<const float> frames, std::size_t pixels) {
    FrameMean mean(static_cast<Index>(pixels));
    for (std::size_t at = 0; at < frames.size(); at += pixels)
        mean.add(frames.subspan(at, pixels));
    return mean.image();
}

TEST(Calibration, AveragesFramesPixelByPixel) {
    std::vector<float> frames = {1, 2, 3, 4, 5,    6,  //
                                 3, 2, 1, 0, kNan, kInf, 5, 2, 8, 8, 7, kNan};
    const HostBuffer<float> mean = meanOf(frames, 6);
    const std::vector<float> expected = {3, 2, 4, 4, 6, 6};
    for (Index i = 0; i < 6; ++i)
        EXPECT_EQ(mean[i], expected[static_cast<std::size_t>(i)]) << i;
}

TEST(Calibration, AveragesManyBrightFramesWithoutLosingCounts) {
    // A float sum of 2000 frames would pass 2^24 counts and drop the odd ones.
    std::vector<float> frames(2000, 65535);
    frames[0] = 65534;
    const HostBuffer<float> mean = meanOf(frames, 1);
    EXPECT_EQ(mean[0], static_cast<float>(65535.0 - 1.0 / 2000));
}

// The dark images do not change, at any time, and a pixel of gain 1 keeps its bits.
TEST(Calibration, GainsAreThoseOfTheNetSignal) {
    DetectorCalibration calibration = calibrationOf({100, 200, 300}, {1100, 1200, 1301.7F}, 1, 3);
    calibration.laterDarks.push_back({10, HostBuffer<float>(3)});
    calibration.laterFlats.push_back({5, HostBuffer<float>(3)});
    for (Index i = 0; i < 3; ++i) {
        calibration.laterDarks[0].image[i] = calibration.dark[i] + 40;
        calibration.laterFlats[0].image[i] = calibration.flat[i] + 20;
    }
    calibration.saturation = 4000;
    calibration.beam = {0.5F, 1};
    const DetectorCalibration scaled = withGains(calibration, std::vector<float>{0.9F, 1.1F, 1});
    EXPECT_TRUE(std::ranges::equal(scaled.dark.span(), calibration.dark.span()));
    for (const double view : {0.0, 5.0}) {
        std::vector<float> dark(3);
        std::vector<float> flat(3);
        std::vector<float> darkBefore(3);
        std::vector<float> flatBefore(3);
        fieldsAt(scaled, view, 0, dark, flat);
        fieldsAt(calibration, view, 0, darkBefore, flatBefore);
        EXPECT_EQ(dark, darkBefore);
        EXPECT_NEAR((flat[0] - dark[0]) / (flatBefore[0] - dark[0]), 0.9, 1e-6);
        EXPECT_NEAR((flat[1] - dark[1]) / (flatBefore[1] - dark[1]), 1.1, 1e-6);
        EXPECT_EQ(flat[2], flatBefore[2]);
    }
    EXPECT_EQ(scaled.saturation, calibration.saturation);
    EXPECT_EQ(scaled.beam, calibration.beam);
}

TEST(Calibration, PixelWithoutAFiniteFrameIsDead) {
    std::vector<float> frames = {kNan, 500, kInf, 600};
    DetectorCalibration calibration = calibrationOf({0, 0}, {0, 0}, 1, 2);
    calibration.flat = meanOf(frames, 2);
    EXPECT_EQ(markDeadPixels(calibration), 1);
    EXPECT_EQ(calibration.bad[0], 1);
    EXPECT_EQ(calibration.bad[1], 0);
}

TEST(Calibration, MarksPixelsWithoutNetSignal) {
    DetectorCalibration calibration =
        calibrationOf({10, 10, 10, kNan, 10, 10}, {100, 10, 5, 100, kInf, 11}, 2, 3);
    EXPECT_EQ(markDeadPixels(calibration), 4);
    const std::vector<unsigned char> expected = {0, 1, 1, 1, 1, 0};
    EXPECT_TRUE(std::ranges::equal(calibration.bad.span(), expected));
}

TEST(Calibration, APixelWithinTheNoiseAboutZeroIsDead) {
    // 5 counts are 1/1000 of the median and less; 40 are as much as the darkest is below 0.
    const auto bad = [](const std::vector<float>& flat) {
        DetectorCalibration calibration =
            calibrationOf(std::vector<float>(flat.size(), 100), flat, 1, std::ssize(flat));
        (void)markDeadPixels(calibration);
        return std::vector<int>(calibration.bad.span().begin(), calibration.bad.span().end());
    };
    EXPECT_EQ(bad({5100, 5100, 5100, 105, 107}), (std::vector<int>{0, 0, 0, 1, 0}));
    EXPECT_EQ(bad({5100, 5100, 5100, 60, 139}), (std::vector<int>{0, 0, 0, 1, 1}));
    // A pixel that is far darker than in the dark field says nothing of the others' noise.
    EXPECT_EQ(bad({5100, 5100, 5100, -9000, 200}), (std::vector<int>{0, 0, 0, 1, 0}));
}

TEST(Calibration, PixelsThatAreSaturatedInTheFlatFieldAreDead) {
    DetectorCalibration calibration =
        calibrationOf({0, 0, 0, 0}, {50000, 65535, 65534, 70000}, 1, 4);
    EXPECT_EQ(markSaturatedPixels(calibration, 65535), 2);
    const std::vector<unsigned char> expected = {0, 1, 0, 1};
    EXPECT_TRUE(std::ranges::equal(calibration.bad.span(), expected));
}

TEST(Calibration, AFlatFieldIsCutWhereABlockHasItsLargestValue) {
    const auto level = [](std::vector<float> block, float others) {
        std::vector<float> flat(24, others);
        flat[3] -= 1;  // noise
        std::ranges::copy(block, flat.begin() + 8);
        return clippedLevel(calibrationOf(std::vector<float>(24), flat, 4, 6));
    };
    EXPECT_EQ(level({65535, 65535, 65535, 65535}, 50000), 65535);
    EXPECT_EQ(level({1e9F, 1e9F, 1e9F, 1e9F}, 50000), 1e9);
    EXPECT_EQ(level({51000, 51000, 51000, 51000}, 50000), std::nullopt) << "a bright spot";
    EXPECT_EQ(level({65535, 65535, 65535}, 50000), std::nullopt) << "three hot pixels";
    EXPECT_EQ(level(std::vector<float>(16, 65535), 50000), std::nullopt) << "more than half";
    EXPECT_EQ(level({}, 4095), std::nullopt) << "no noise";
    for (const float ofBits : {1023.0F, 4095.0F, 16383.0F})
        EXPECT_EQ(level({ofBits, ofBits, ofBits, ofBits}, ofBits / 2 + 100), ofBits);
    EXPECT_EQ(level({4095, 4095, 4095, 4095, 4094, 4094, 4094}, 4000), std::nullopt)
        << "the top of an even beam";
}

TEST(Calibration, MergesTheFirstAndTheLastPixelOfAMask) {
    DetectorCalibration calibration = calibrationOf({10, 10, 10}, {100, 100, 100}, 1, 3);
    const std::vector<unsigned char> mask = {1, 0, 1};
    EXPECT_EQ(mergeBadPixels(calibration, mask), 2);
    EXPECT_TRUE(std::ranges::equal(calibration.bad.span(), mask));
}

TEST(Calibration, MergesAMaskWithWhatIsKnown) {
    DetectorCalibration calibration = calibrationOf({10, 10, 10}, {100, 10, 100}, 1, 3);
    EXPECT_EQ(markDeadPixels(calibration), 1);
    const std::vector<unsigned char> mask = {0, 0, 255};
    EXPECT_EQ(mergeBadPixels(calibration, mask), 2);
    const std::vector<unsigned char> expected = {0, 1, 1};
    EXPECT_TRUE(std::ranges::equal(calibration.bad.span(), expected));
}

TEST(Calibration, RefusesAMaskOfAnotherSize) {
    DetectorCalibration calibration = calibrationOf({10, 10}, {100, 100}, 1, 2);
    const std::vector<unsigned char> mask = {0, 0, 1};
    EXPECT_ERROR(mergeBadPixels(calibration, mask), InputError,
                 "bad-pixel mask has 3 pixels, and the detector has 2 columns × 1 rows");
}

TEST(Calibration, APixelThatIsDeadAtOneTimeOfTheScanIsDead) {
    DetectorCalibration calibration = calibrationOf({0, 0, 0, 0}, {100, 100, 100, 100}, 1, 4);
    LaterField later{9, HostBuffer<float>(4)};
    std::ranges::fill(later.image.span(), 90.0F);
    later.image[2] = 0;
    calibration.laterFlats.push_back(std::move(later));
    EXPECT_EQ(markDeadPixels(calibration), 1);
    EXPECT_EQ(calibration.bad[2], 1);
    calibration.laterFlats[0].image[3] = 255;
    EXPECT_EQ(markSaturatedPixels(calibration, 255), 1);
    EXPECT_EQ(calibration.bad[3], 1);
}

}  // namespace
}  // namespace gantry
