#include "core/scan/guess/frame_sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/io/memory_source.h"

namespace gantry {
namespace {

// Line integrals of a disc of 0 to 2 in the middle of three views, as `how` stores them.
template <class How>
KindGuess kindOf(const How& how) {
    std::vector<float> pixels;
    for (int i = 0; i < 3 * 10 * 40; ++i) {
        const double u = (i % 40 - 19.5) / 12;
        const double p = 2 * std::sqrt(std::max(0.0, 1 - u * u)) + 0.002 * std::sin(1.7 * i);
        pixels.push_back(static_cast<float>(how(p)));
    }
    const MemorySource source(Span3<const float>(pixels.data(), 3, 10, 40));
    return guessKind(PixelType::float32, sampleFrames(source), false);
}

TEST(FrameSample, LogarithmsOfCountsAreDoubted) {
    const KindGuess tens = kindOf([](double p) { return std::log10(50000 * std::exp(-p)); });
    EXPECT_NE(tens.doubt.find("as logarithms of counts do"), std::string::npos);
    const KindGuess natural = kindOf([](double p) { return std::log(50000) - p; });
    EXPECT_FALSE(natural.doubt.empty());
}

TEST(FrameSample, NegativeLineIntegralsAreDoubted) {
    const KindGuess guess = kindOf([](double p) { return -p; });
    EXPECT_EQ(guess.kind, ProjectionKind::attenuation);
    EXPECT_NE(guess.doubt.find("the opposite sign"), std::string::npos) << guess.doubt;
}

TEST(FrameSample, UsualImagesAreNotDoubted) {
    const KindGuess lines = kindOf([](double p) { return p; });
    EXPECT_EQ(lines.kind, ProjectionKind::attenuation);
    EXPECT_EQ(lines.doubt, "");
    const KindGuess shares = kindOf([](double p) { return std::exp(-p); });
    EXPECT_EQ(shares.kind, ProjectionKind::counts);
    EXPECT_EQ(shares.doubt, "");
    EXPECT_EQ(kindOf([](double p) { return 9000 * std::exp(-p); }).doubt, "");
    // Thin objects, whose line integrals are as small as the noise.
    EXPECT_EQ(kindOf([](double p) { return 0.0005 * p; }).doubt, "");
}

TEST(FrameSample, WholeNumbersBelowZeroNeedDarkFrames) {
    FrameSample sample;
    sample.negativeShare = 0.9;
    EXPECT_NE(guessKind(PixelType::int16, sample, false).doubt, "");
    EXPECT_EQ(guessKind(PixelType::int16, sample, true).doubt, "");
    EXPECT_EQ(guessKind(PixelType::int16, {}, false).doubt, "");
}

}  // namespace
}  // namespace gantry
