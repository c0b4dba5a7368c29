#include "core/prep/lag.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/base/host_buffer.h"

namespace gantry {
namespace {

// What a detector measures of these line integrals, by its response to a single view: all earlier
// views fade exponentially, summed one by one in double; before the first one it saw that for long.
std::vector<double> measured(const std::vector<double>& truth, const LagSpec& lag) {
    const double decay = std::exp(-1 / lag.views);
    std::vector<double> result;
    for (std::size_t k = 0; k < truth.size(); ++k) {
        double signal = (1 - lag.share) * std::exp(-truth[k]);
        for (std::size_t j = 0; j < k; ++j)
            signal += lag.share * (1 - decay) * std::pow(decay, static_cast<double>(k - 1 - j)) *
                      std::exp(-truth[j]);
        signal += lag.share * std::pow(decay, static_cast<double>(k)) * std::exp(-truth[0]);
        result.push_back(-std::log(signal));
    }
    return result;
}

struct LagTest : testing::TestWithParam<LagSpec> {
    static constexpr Index kViews = 57;
    static constexpr Index kRows = 3;
    static constexpr Index kColumns = 13;
    HostBuffer<float> pixels{kViews * kRows * kColumns};
    Span3<float> views{pixels.data(), kViews, kRows, kColumns};
};

TEST_P(LagTest, WhatLaterViewsGotIsTakenOffThem) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> level(0, 4);
    std::vector<double> truths;
    double without = 0;
    for (Index v = 0; v < kRows; ++v)
        for (Index u = 0; u < kColumns; ++u) {
            std::vector<double> truth(kViews);
            for (double& value : truth)
                value = level(random);
            const std::vector<double> lagged = measured(truth, GetParam());
            for (Index s = 0; s < kViews; ++s) {
                const auto i = static_cast<std::size_t>(s);
                views(s, v, u) = static_cast<float>(lagged[i]);
                without = std::max(without, std::abs(lagged[i] - truth[i]));
            }
            truths.insert(truths.end(), truth.begin(), truth.end());
        }
    removeLag(views, GetParam(), 2, {});
    double error = 0;
    for (Index v = 0; v < kRows; ++v)
        for (Index u = 0; u < kColumns; ++u)
            for (Index s = 0; s < kViews; ++s)
                error = std::max(
                    error,
                    std::abs(views(s, v, u) -
                             truths[static_cast<std::size_t>((v * kColumns + u) * kViews + s)]));
    // A dark view behind a bright one (e⁴ times as bright) multiplies a float's rounding by up to
    // share·e⁴; without the correction the same pixels are wrong by half of it and more.
    EXPECT_LT(error, 1e-4 * (1 + 50 * GetParam().share));
    EXPECT_GT(without, 20 * GetParam().share / (1 + 20 * GetParam().share));
}

INSTANTIATE_TEST_SUITE_P(Strengths, LagTest,
                         testing::Values(LagSpec{0.005, 1}, LagSpec{0.02, 3}, LagSpec{0.08, 20}));

TEST(Lag, AScanThatDoesNotChangeIsLeftAsItIs) {
    HostBuffer<float> pixels(20 * 5);
    for (Index i = 0; i < pixels.count(); ++i)
        pixels[i] = 0.3F * static_cast<float>(i % 5);
    removeLag({pixels.data(), 20, 1, 5}, {0.05, 2}, 1, {});
    for (Index i = 0; i < pixels.count(); ++i)
        EXPECT_NEAR(pixels[i], 0.3F * static_cast<float>(i % 5), 1e-6);
}

// Where a view is as dark as what the one before it left, there is nothing to take the logarithm
// of.
TEST(Lag, NothingIsLeftOfNoPixel) {
    std::vector<float> pixels = {0, 0, 9, 9, 9};
    removeLag({pixels.data(), 5, 1, 1}, {0.3, 5}, 1, {});
    for (const float value : pixels)
        EXPECT_TRUE(std::isfinite(value));
    EXPECT_NEAR(pixels[2], 9 + std::log(10), 1e-4);
}

}  // namespace
}  // namespace gantry
