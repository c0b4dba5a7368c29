#include "core/base/host_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/base/span3.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

template <class T>
bool isAligned(const HostBuffer<T>& buffer) {
    return reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0;
}

TEST(HostBuffer, isAlignedForAnyCount) {
    for (const Index count : {0, 1, 7, 15, 16, 17, 1000, 99'991}) {
        HostBuffer<float> floats(count);
        HostBuffer<std::uint8_t> bytes(count);
        EXPECT_TRUE(isAligned(floats));
        EXPECT_TRUE(isAligned(bytes));
        EXPECT_EQ(floats.count(), count);
        EXPECT_EQ(floats.sizeBytes(), 4 * count);
        EXPECT_EQ(bytes.span().size(), static_cast<std::size_t>(count));
    }
}

TEST(HostBuffer, everyElementIsOurs) {
    HostBuffer<double> buffer(1234);
    std::iota(buffer.span().begin(), buffer.span().end(), 0.0);
    const HostBuffer<double>& read = buffer;
    EXPECT_EQ(read[0], 0.0);
    EXPECT_EQ(read[1233], 1233.0);
    EXPECT_EQ(std::accumulate(read.span().begin(), read.span().end(), 0.0), 1233.0 * 1234.0 / 2.0);
}

TEST(HostBuffer, movesAndLeavesNothingBehind) {
    static_assert(!std::is_copy_constructible_v<HostBuffer<float>>);
    HostBuffer<float> first(10);
    first[3] = 4.5F;
    HostBuffer<float> second = std::move(first);
    EXPECT_EQ(second.count(), 10);
    EXPECT_EQ(second[3], 4.5F);
    EXPECT_EQ(first.count(), 0);  // NOLINT(bugprone-use-after-move): what is left is the point
    EXPECT_EQ(first.sizeBytes(), 0);
    EXPECT_TRUE(first.span().empty());
    first = std::move(second);
    EXPECT_EQ(first.count(), 10);
    EXPECT_EQ(first[3], 4.5F);
}

TEST(HostBuffer, aDefaultOneIsEmpty) {
    const HostBuffer<float> buffer;
    EXPECT_EQ(buffer.count(), 0);
    EXPECT_EQ(buffer.data(), nullptr);
}

TEST(HostBuffer, moreThanTheMachineHasIsAResourceError) {
    // 2^60 bytes are more than any address space of today holds.
    EXPECT_ERROR(HostBuffer<std::uint8_t>(Index{1} << 60), ResourceError, "Out of memory");
    EXPECT_ERROR(HostBuffer<float>(Index{1} << 58), ResourceError, "--memory");
}

TEST(HostBuffer, sizesThatOverflowAreResourceErrors) {
    constexpr Index kMax = std::numeric_limits<Index>::max();
    EXPECT_ERROR(HostBuffer<std::uint8_t>{kMax}, ResourceError, "too large");
    EXPECT_ERROR(HostBuffer<double>(kMax / 4), ResourceError, "too large");
    EXPECT_ERROR(HostBuffer<float>(-1), ResourceError, "-1");
}

TEST(Span3, addressesSlowestIndexFirst) {
    HostBuffer<int> buffer(3 * 4 * 5);
    std::iota(buffer.span().begin(), buffer.span().end(), 0);
    const Span3<int> all(buffer.data(), 3, 4, 5);
    EXPECT_EQ(all.count(), 60);
    EXPECT_EQ(all(2, 1, 3), 2 * 20 + 1 * 5 + 3);
    EXPECT_EQ(all.row(1, 2), &all(1, 2, 0));
    const Span3<const int> part = all.slices({1, 3});
    EXPECT_EQ(part.size(0), 2);
    EXPECT_EQ(part(0, 0, 0), 20);
    EXPECT_EQ(part.count(), 40);
}

}  // namespace
}  // namespace gantry
