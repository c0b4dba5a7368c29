#pragma once

#include <cstdint>

namespace gantry {

/// Natural logarithm of a positive, normal, finite float, to two units in the last place; undefined
/// for other arguments. It has no branches, calls or errno, so that loops over it become SIMD, in
/// files of any instruction set. The polynomial is that of Cephes' logf (S. L. Moshier). Tests:
/// tests/core/prep/line_integrals_test.cpp
[[nodiscard, gnu::always_inline]] inline float fastLog(float x) {
    constexpr std::uint32_t kSqrtHalfBits = 0x3f3504f3;
    const auto bits = __builtin_bit_cast(std::uint32_t, x);
    // x = m·2^e with m in [√½, √2)
    const std::int32_t exponent = static_cast<std::int32_t>(bits - kSqrtHalfBits) >> 23;
    const float m =
        __builtin_bit_cast(float, bits - (static_cast<std::uint32_t>(exponent) << 23)) - 1.0f;
    const auto e = static_cast<float>(exponent);

    float p = 7.0376836292e-2f;
    p = p * m - 1.1514610310e-1f;
    p = p * m + 1.1676998740e-1f;
    p = p * m - 1.2420140846e-1f;
    p = p * m + 1.4249322787e-1f;
    p = p * m - 1.6668057665e-1f;
    p = p * m + 2.0000714765e-1f;
    p = p * m - 2.4999993993e-1f;
    p = p * m + 3.3333331174e-1f;
    // ln 2 in two parts; the product of e and the first one is exact.
    constexpr float kLn2High = 0.693359375f;
    constexpr float kLn2Low = -2.12194440e-4f;
    const float square = m * m;
    return e * kLn2High + (m + (square * m * p + e * kLn2Low - 0.5f * square));
}

}  // namespace gantry
