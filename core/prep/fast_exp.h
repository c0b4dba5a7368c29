#pragma once

#include <cstdint>

namespace gantry {

/// The exponential of a finite float, to two units in the last place; that of -87.3 and 88.3 beyond
/// these, so that it is a normal, finite float. It has no branches, calls or errno, so that loops
/// over it become SIMD, in files of any instruction set. The polynomial is that of Cephes' expf
/// (S. L. Moshier). Tests: tests/core/prep/phase_retrieval_test.cpp
[[nodiscard, gnu::always_inline]] inline float fastExp(float x) {
    x = x > -87.3f ? x : -87.3f;
    x = x < 88.3f ? x : 88.3f;
    // e^x = 2^n·e^r. Adding 1.5·2^23 rounds to whole numbers, and leaves them in the low bits.
    constexpr float kRounder = 12582912.0f;
    const float sum = x * 1.44269504088896341f + kRounder;
    const float n = sum - kRounder;
    // ln 2 in two parts; the product of n and the first one is exact.
    const float r = x - n * 0.693359375f + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    const std::uint32_t exponent =
        __builtin_bit_cast(std::uint32_t, sum) - __builtin_bit_cast(std::uint32_t, kRounder) + 127;
    return (p * r * r + r + 1.0f) * __builtin_bit_cast(float, exponent << 23);
}

}  // namespace gantry
