#include "core/scan/inspect/sinogram.h"
#include "tests/support/random_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace gantry {
namespace {

// Parallel rays see a spot that is 5 columns from the axis, which is seen on column 18.25.
class SpotSinogram : public testing::Test {
  protected:
    static constexpr Index kSpotViews = 120;
    static constexpr Index kSpotColumns = 40;
    static constexpr double kSpotAxis = 18.25;

    [[nodiscard]] static Sinogram make(double deviation) {
        std::mt19937 random(8);
        test::NormalValues<double> noise;
        std::vector<double> anglesDeg;
        std::vector<float> values;
        for (Index s = kSpotViews - 1; s >= 0; --s) {
            anglesDeg.push_back(3.0 * static_cast<double>(s));
            const double center =
                kSpotAxis + 5 * std::cos(anglesDeg.back() * std::numbers::pi / 180);
            for (Index u = 0; u < kSpotColumns; ++u) {
                const double away = (static_cast<double>(u) - center) / 4;
                values.push_back(
                    static_cast<float>(std::exp(-away * away) + deviation * noise(random)));
            }
        }
        return {anglesDeg, values, 1, 3};
    }
};

TEST_F(SpotSinogram, AgreesAboutItsAxis) {
    const Sinogram sinogram = make(0);
    const RayAgreement about = sinogram.agreement({.axisColumn = kSpotAxis});
    EXPECT_GT(about.rays, 90 * 36);
    EXPECT_EQ(about.columns, 37);
    // Values between columns are on straight lines: an eighth of the second derivative, 2/4², at
    // most, at the top.
    EXPECT_LT(std::sqrt(about.mismatch), 2.0 / 16 / 8);
    const RayAgreement aside = sinogram.agreement({.axisColumn = kSpotAxis + 2});
    EXPECT_GT(aside.mismatch, 100 * about.mismatch);
    EXPECT_GT(sinogram.agreement({.axisColumn = kSpotAxis, .angleScale = 0.7}).mismatch,
              100 * about.mismatch);
    // A fan has its conjugate rays at other angles.
    EXPECT_GT(sinogram.agreement({.axisColumn = kSpotAxis, .columnsAway = 100}).mismatch,
              10 * about.mismatch);
    EXPECT_EQ(sinogram.agreement({.axisColumn = -3}).rays, 0);
}

TEST_F(SpotSinogram, KnowsItsNoise) {
    constexpr double kDeviation = 0.05;
    const Sinogram sinogram = make(kDeviation);
    // The median of 4,720 numbers is right to 2 %, its square to 4 %; the spot adds a little.
    EXPECT_NEAR(sinogram.noise() / (kDeviation * kDeviation), 1, 0.12);
    const RayAgreement about = sinogram.agreement({.axisColumn = kSpotAxis});
    EXPECT_LT(about.mismatch, about.noise);
    const Sinogram coarse = sinogram.binned(4);
    EXPECT_EQ(coarse.columns(), 40);
    EXPECT_EQ(coarse.binnedColumns(), 10);
    EXPECT_NEAR(coarse.noise() / sinogram.noise(), 0.25, 0.06);
    const RayAgreement ofCoarse = coarse.agreement({.axisColumn = kSpotAxis});
    EXPECT_LT(ofCoarse.mismatch, coarse.agreement({.axisColumn = kSpotAxis + 2}).mismatch);
}

}  // namespace
}  // namespace gantry
