#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gpu/kernels/steps/mirrored.h"

namespace gantry::gpu {
namespace {

std::uint32_t medianIn(const std::vector<float>& values) {
    return medianOf(static_cast<int>(values.size()),
                    [&](int i) { return orderedBits(values[static_cast<std::size_t>(i)]); });
}

// Air beside an object has the same value in many pixels, above all in views of attenuation.
TEST(MedianByBits, OfEqualValuesIsTheirValue) {
    for (const float value : {0.0F, -0.0F, 1.5F, -2e-5F, 3e38F})
        EXPECT_EQ(medianIn(std::vector<float>(21, value)), orderedBits(value)) << value;
}

TEST(MedianByBits, IsThatOfTheSortedValues) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> number(-1, 4);
    for (int trial = 0; trial < 300; ++trial) {
        const int steps = 1 + trial % 7;  // few values, so that many are equal
        std::vector<float> values(static_cast<std::size_t>(3 + 2 * (trial % 20)));
        for (float& value : values)
            value = trial % 2 == 0 ? number(random)
                                   : static_cast<float>(static_cast<int>(random() % steps)) - 2;
        const std::uint32_t median = medianIn(values);
        std::ranges::sort(values);
        EXPECT_EQ(fromOrderedBits(median), values[values.size() / 2]) << trial;
    }
}

}  // namespace
}  // namespace gantry::gpu
