#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/base/types.h"

namespace gantry {

inline constexpr Index kWaveletTaps = 10;
/// The low-pass filter of Daubechies, Ten Lectures on Wavelets (1992), table 6.1, N = 5.
inline constexpr std::array<double, kWaveletTaps> kWaveletLow = {
    0.003335725285473771, -0.01258075199908200, -0.006241490212798274, 0.07757149384004572,
    -0.03224486958463838, -0.2422948670663820,  0.1384281459013207,    0.7243085284377729,
    0.6038292697971897,   0.1601023979741929};

/// Samples of the next scale, with mirrored ends.
[[nodiscard]] constexpr Index waveletHalf(Index n) {
    return (n + kWaveletTaps - 1) / 2;
}

/// Scales of a sinogram, at most `levels`: all are longer than the wavelet.
[[nodiscard]] constexpr Index waveletLevels(Index views, Index columns, Index levels) {
    Index used = 0;
    for (Index n = std::min(views, columns); used < levels && n > kWaveletTaps; n = waveletHalf(n))
        ++used;
    return used;
}

/// The part of k cycles, k = 0, 1, …, that counts as slow in a band of `views` values, of a sum
/// over them: a Gaussian, without those below the rounding of a float. See StripeWavelets.
[[nodiscard]] inline std::vector<double> slowGains(Index views, double dampCycles) {
    constexpr double kMinWeight = 1e-7;
    std::vector<double> gains;
    for (Index k = 0; 2 * k <= views; ++k) {
        const double cycles = static_cast<double>(k) / dampCycles;
        const double weight = std::exp(-cycles * cycles / 2);
        if (weight < kMinWeight) break;
        gains.push_back(weight * (k == 0 || 2 * k == views ? 1 : 2) / static_cast<double>(views));
    }
    return gains;
}

}  // namespace gantry
