#include "core/io/pixel_type.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "core/base/error.h"

namespace gantry {
namespace {

// Converts values through bytes that are not aligned, as rows in a file's buffer are.
template <class T>
std::vector<float> converted(PixelType type, const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T) + 1);
    std::memcpy(bytes.data() + 1, values.data(), values.size() * sizeof(T));
    std::vector<float> out(values.size());
    toFloat(type, std::span(bytes).subspan(1), out);
    return out;
}

TEST(PixelType, SizesNamesAndKinds) {
    EXPECT_EQ(sizeBytes(PixelType::uint8), 1);
    EXPECT_EQ(sizeBytes(PixelType::int16), 2);
    EXPECT_EQ(sizeBytes(PixelType::uint32), 4);
    EXPECT_EQ(sizeBytes(PixelType::float32), 4);
    EXPECT_EQ(sizeBytes(PixelType::float64), 8);
    EXPECT_EQ(name(PixelType::uint16), "uint16");
    EXPECT_EQ(name(PixelType::float64), "float64");
    EXPECT_TRUE(isInteger(PixelType::int32));
    EXPECT_FALSE(isInteger(PixelType::float32));
}

TEST(PixelType, ConvertsTheEndsOfEveryRange) {
    using F = std::vector<float>;
    EXPECT_EQ(converted<std::uint8_t>(PixelType::uint8, {0, 127, 255}), (F{0, 127, 255}));
    EXPECT_EQ(converted<std::int8_t>(PixelType::int8, {-128, -1, 127}), (F{-128, -1, 127}));
    EXPECT_EQ(converted<std::uint16_t>(PixelType::uint16, {0, 65535}), (F{0, 65535}));
    EXPECT_EQ(converted<std::int16_t>(PixelType::int16, {-32768, 32767}), (F{-32768, 32767}));
    // 32-bit integers round to the nearest float.
    EXPECT_EQ(converted<std::uint32_t>(PixelType::uint32, {0, 16777217, 4294967295u}),
              (F{0, 16777216, 4294967296.0f}));
    EXPECT_EQ(converted<std::int32_t>(PixelType::int32, {-2147483648, 5}), (F{-2147483648.0f, 5}));
    EXPECT_EQ(converted<float>(PixelType::float32, {-0.1f, 3e38f}), (F{-0.1f, 3e38f}));
    EXPECT_EQ(converted<double>(PixelType::float64, {0.1, -1e-3}), (F{0.1f, -1e-3f}));
}

TEST(PixelType, RefusesABufferOfAnotherSize) {
    std::vector<std::byte> bytes(7);
    std::vector<float> out(4);
    EXPECT_THROW(toFloat(PixelType::uint16, bytes, out), InternalError);
}

// Stores values and converts them back.
std::vector<float> storedAs(PixelType type, const std::vector<float>& values) {
    std::vector<std::byte> bytes(values.size() * static_cast<std::size_t>(sizeBytes(type)));
    fromFloat(type, values, bytes);
    std::vector<float> back(values.size());
    toFloat(type, bytes, back);
    return back;
}

TEST(PixelType, StoresTheNearestValueThatATypeHolds) {
    const std::vector<float> values = {-300, -1.6F, 0.4F, 100.5F, 70000};
    EXPECT_EQ(storedAs(PixelType::uint8, values), (std::vector<float>{0, 0, 0, 101, 255}));
    EXPECT_EQ(storedAs(PixelType::int8, values), (std::vector<float>{-128, -2, 0, 101, 127}));
    EXPECT_EQ(storedAs(PixelType::uint16, values), (std::vector<float>{0, 0, 0, 101, 65535}));
    EXPECT_EQ(storedAs(PixelType::int16, values), (std::vector<float>{-300, -2, 0, 101, 32767}));
    EXPECT_EQ(storedAs(PixelType::uint32, values), (std::vector<float>{0, 0, 0, 101, 70000}));
    EXPECT_EQ(storedAs(PixelType::int32, values), (std::vector<float>{-300, -2, 0, 101, 70000}));
    EXPECT_EQ(storedAs(PixelType::float32, values), values);
    EXPECT_EQ(storedAs(PixelType::float64, values), values);
}

}  // namespace
}  // namespace gantry
