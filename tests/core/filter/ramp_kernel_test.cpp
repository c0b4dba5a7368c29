#include "core/filter/ramp_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/geometry/vec3.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

TEST(RampKernel, LengthsHoldTwiceTheColumns) {
    for (Index columns = 1; columns < 700; ++columns) {
        const Index length = paddedLength(columns);
        EXPECT_GE(length, 2 * columns);
        EXPECT_LE(length, 2 * columns + columns / 4 + 4) << "wasteful for " << columns;
    }
    EXPECT_EQ(paddedLength(512), 1024);
    EXPECT_EQ(paddedLength(4096), 8192);
}

TEST(RampKernel, RamLakIsTheTransformOfTheBandLimitedRamp) {
    constexpr Index kLength = 90;
    constexpr double kPitchMm = 0.37;
    const auto response = rampResponse(kLength, kPitchMm, {});
    for (Index k = 0; k < kLength; ++k) {
        double sum = 0;
        for (Index n = -kLength / 2; n < kLength / 2; ++n)
            sum += rampSample(n, kPitchMm) *
                   std::cos(2 * kPi * static_cast<double>(k * n) / static_cast<double>(kLength));
        EXPECT_NEAR(response[static_cast<std::size_t>(k)], kPitchMm * sum, 1e-12);
    }
    // The ramp itself, |f| in 1/mm: truncating the kernel moves it by under 1/(length·pitch)².
    for (Index k = 1; k < kLength / 2; ++k)
        EXPECT_NEAR(response[static_cast<std::size_t>(k)],
                    static_cast<double>(k) / (kLength * kPitchMm), 0.01);
    // Unlike a ramp sampled in frequency, the band-limited one keeps a little of the mean.
    EXPECT_GT(response[0], 0);
}

TEST(RampKernel, WindowsHaveTheirTextbookShape) {
    for (const FilterWindow window :
         {FilterWindow::ramLak, FilterWindow::sheppLogan, FilterWindow::cosine,
          FilterWindow::hamming, FilterWindow::hann}) {
        EXPECT_DOUBLE_EQ(windowGain(window, 0), 1);
        EXPECT_DOUBLE_EQ(windowGain(window, -0.3), windowGain(window, 0.3));
        EXPECT_EQ(windowGain(window, 1.001), 0);
        EXPECT_EQ(kFilterWindows[static_cast<std::size_t>(window)].word, name(window));
    }
    EXPECT_NEAR(windowGain(FilterWindow::sheppLogan, 1), 2 / kPi, 1e-12);
    EXPECT_NEAR(windowGain(FilterWindow::cosine, 0.5), std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(windowGain(FilterWindow::hamming, 0.5), 0.54, 1e-12);
    EXPECT_NEAR(windowGain(FilterWindow::hamming, 1), 0.08, 1e-12);
    EXPECT_NEAR(windowGain(FilterWindow::hann, 0.5), 0.5, 1e-12);
    EXPECT_NEAR(windowGain(FilterWindow::hann, 1), 0, 1e-12);
}

TEST(RampKernel, CutOffScalesTheWindow) {
    constexpr Index kLength = 200;
    const auto plain = rampResponse(kLength, 1, {});
    const auto cut = rampResponse(kLength, 1, {FilterWindow::cosine, 0.5});
    // Frequency index 25 is a quarter of the Nyquist frequency, so half of the cut-off.
    EXPECT_NEAR(cut[25], plain[25] * std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(cut[kLength - 25], cut[25], 1e-12);
    for (std::size_t k = 51; k <= 149; ++k)
        EXPECT_EQ(cut[k], 0);
}

TEST(RampKernel, RefusesCutOffsThatAreNoFraction) {
    for (const double cutoff : {0.0, -0.5, 1.01, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_ERROR((void)rampResponse(16, 1, {FilterWindow::hann, cutoff}), InputError,
                     "cut-off is");
}

}  // namespace
}  // namespace gantry
