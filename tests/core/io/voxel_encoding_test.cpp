#include "core/io/volume/voxel_encoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/base/error.h"

namespace gantry {
namespace {

constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kEndless = std::numeric_limits<float>::infinity();

// Stored values of attenuations, whatever their type.
std::vector<int> storedAs(const VoxelEncoding& encoding, const std::vector<float>& attenuation) {
    const auto size = static_cast<std::size_t>(sizeBytes(encoding.type));
    std::vector<std::byte> bytes(attenuation.size() * size);
    encode(encoding, attenuation, bytes);
    std::vector<int> values;
    for (std::size_t i = 0; i < attenuation.size(); ++i) {
        std::uint16_t value = 0;
        std::memcpy(&value, bytes.data() + i * size, size);  // little-endian
        values.push_back(value);
    }
    return values;
}

TEST(VoxelEncoding, TakesTheNearestStoredValue) {
    std::mt19937 random(5);
    std::uniform_real_distribution<float> some(-0.03F, 0.07F);
    std::vector<float> attenuation(1003);  // not a multiple of any SIMD width
    for (float& value : attenuation)
        value = some(random);
    for (const PixelType type : {PixelType::uint8, PixelType::uint16}) {
        const VoxelEncoding encoding = encodingOf(type, {-0.013, 0.047});
        const int largest = type == PixelType::uint8 ? 255 : 65535;
        const std::vector<int> stored = storedAs(encoding, attenuation);
        for (std::size_t i = 0; i < stored.size(); ++i) {
            const double steps = (static_cast<double>(attenuation[i]) + 0.013) / 0.06 * largest;
            if (steps <= 0) {
                EXPECT_EQ(stored[i], 0);
            } else if (steps >= largest) {
                EXPECT_EQ(stored[i], largest);
            } else {
                // Half a step, and the rounding of doubles.
                EXPECT_NEAR(stored[i], steps, 0.5 + 1e-9);
            }
        }
    }
}

TEST(VoxelEncoding, RoundsHalvesUpAndEndsAtTheEnds) {
    const VoxelEncoding bytes = encodingOf(PixelType::uint8, {0, 255});
    EXPECT_EQ(storedAs(bytes, {0.5F, 2.5F, 3.4999F, 254.5F, 254.4F, 255.4F, 1e30F, -0.6F}),
              (std::vector<int>{1, 3, 3, 255, 254, 255, 255, 0}));
    const VoxelEncoding words = encodingOf(PixelType::uint16, {0, 65535});
    EXPECT_EQ(storedAs(words, {65534.5F, 65534.4F, kEndless, -kEndless, kNoNumber, -1e30F, 7}),
              (std::vector<int>{65535, 65534, 65535, 0, 0, 0, 7}));
}

TEST(VoxelEncoding, ARangeOfOneValueIsStoredAsZero) {
    const VoxelEncoding encoding = encodingOf(PixelType::uint16, {0.02, 0.02});
    EXPECT_EQ(storedAs(encoding, {0.02F, 0.03F, kNoNumber}), (std::vector<int>{0, 0, 0}));
    std::vector<float> decoded(1);
    const std::vector<std::byte> zero(2);
    decode(encoding, zero, decoded);
    EXPECT_EQ(decoded[0], 0.02F);
}

}  // namespace
}  // namespace gantry
