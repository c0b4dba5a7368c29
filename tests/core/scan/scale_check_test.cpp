#include "core/scan/inspect/scale_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/io/memory_source.h"
#include "tests/support/random_values.h"

namespace gantry {
namespace {

// Facts of views whose line integrals grow evenly from left to right up to 2.5, noise as
// `deviation` of a line integral has it, all made to what is stored by `store`.
std::vector<PictureFacts> factsOfWedge(const std::function<double(double)>& deviation,
                                       const std::function<double(double)>& store) {
    constexpr Index kViews = 8;
    constexpr Index kRows = 37;
    constexpr Index kColumns = 150;
    constexpr double kLargest = 2.5;
    ScanGeometry geometry;
    geometry.trajectory = ParallelBeam{{.arcDeg = 180, .views = kViews, .anglesDeg = {}}};
    geometry.detector = {.columns = kColumns, .rows = kRows, .pitchMm = {0.5, 0.5}};
    std::vector<float> pixels(kViews * kRows * kColumns);
    std::mt19937 random(11);
    test::NormalValues<double> noise;
    for (Index i = 0; i < std::ssize(pixels); ++i) {
        const double p = kLargest * static_cast<double>(i % kColumns) / (kColumns - 1);
        pixels[i] = static_cast<float>(store(p + deviation(p) * noise(random)));
    }
    const OpenScan scan = openScan(geometry, std::make_shared<MemorySource>(Span3<const float>(
                                                 pixels.data(), kViews, kRows, kColumns)));
    return pictureFacts(scan, {0, 1, 2, 3, 4, 5, 6, 7}, FactsOf::wholeViews, 1, {});
}

// What 20,000 photons a pixel have.
double photonNoise(double p) {
    return std::sqrt(std::exp(p) / 20000);
}

std::string sentenceOn(const std::function<double(double)>& deviation,
                       const std::function<double(double)>& store) {
    const std::optional<Problem> found = checkScale(factsOfWedge(deviation, store));
    return found ? found->message : "";
}

double asItIs(double p) {
    return p;
}

TEST(ScaleCheck, FindsTheFactorByTheGrowthOfNoise) {
    for (const double factor : {0.1, 0.25, 2.0, 3.5, 7.0}) {
        const std::optional<NoiseGrowth> growth =
            noiseGrowth(factsOfWedge(photonNoise, [&](double p) { return factor * p; }));
        ASSERT_TRUE(growth) << factor;
        EXPECT_NEAR(growth->perUnit * factor, 1, 0.08);  // 16 deviations of 2,500 grains each
        const std::string told = sentenceOn(photonNoise, [&](double p) { return factor * p; });
        EXPECT_NE(told.find("as if they were multiplied"), std::string::npos) << factor << told;
    }
}

TEST(ScaleCheck, NamesLogarithmsToBaseTen) {
    const std::string told = sentenceOn(photonNoise, [](double p) { return p / std::log(10.0); });
    EXPECT_NE(told.find("base 10"), std::string::npos) << told;
}

TEST(ScaleCheck, TellsNothingOfRightLineIntegrals) {
    EXPECT_EQ(sentenceOn(photonNoise, asItIs), "");
    // Few photons and the electrons of an amplifier.
    const auto amplified = [](double p) {
        return std::sqrt(std::exp(p) / 2000 + 900 * std::exp(2 * p) / (2000.0 * 2000));
    };
    EXPECT_EQ(sentenceOn(amplified, asItIs), "");
    // The same noise everywhere, as a simulation may have it, and with it that of photons.
    EXPECT_EQ(sentenceOn([](double) { return 0.01; }, asItIs), "");
    EXPECT_EQ(sentenceOn([](double p) { return std::hypot(0.007, photonNoise(p)); }, asItIs), "");
    EXPECT_EQ(sentenceOn([](double) { return 0; }, asItIs), "");
}

TEST(ScaleCheck, DoubtsWhatNoDetectorOfSixteenBitsMeasures) {
    const auto none = [](double) { return 0.0; };
    EXPECT_NE(sentenceOn(none, [](double p) { return 6 * p; }).find("16 bits"), std::string::npos);
    EXPECT_EQ(sentenceOn(none, [](double p) { return 4 * p; }), "") << "unknown without noise";
}

}  // namespace
}  // namespace gantry
