#include "core/phantom/random_stream.h"

#include <bit>
#include <cmath>

#include "core/geometry/vec3.h"

namespace gantry {
namespace {

std::uint64_t splitMix(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

// ln k! by Stirling's series. std::lgamma would do, but it writes a global variable.
double logFactorial(double k) {
    double below = 0;
    while (k < 10) {
        k += 1;
        below += std::log(k);
    }
    const double inverse = 1 / k;
    const double square = inverse * inverse;
    const double series = inverse / 12 - inverse * square / 360 + inverse * square * square / 1260;
    return (k + 0.5) * std::log(k) - k + 0.5 * std::log(2 * kPi) + series - below;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, Index view, Index row) {
    std::uint64_t mix = seed;
    mix = splitMix(mix) ^ static_cast<std::uint64_t>(view);
    mix = splitMix(mix) ^ static_cast<std::uint64_t>(row);
    for (std::uint64_t& word : m_state)
        word = splitMix(mix);
}

double RandomStream::uniform() {
    const std::uint64_t result = std::rotl(m_state[1] * 5, 7) * 9;
    const std::uint64_t t = m_state[1] << 17;
    m_state[2] ^= m_state[0];
    m_state[3] ^= m_state[1];
    m_state[1] ^= m_state[2];
    m_state[0] ^= m_state[3];
    m_state[2] ^= t;
    m_state[3] = std::rotl(m_state[3], 45);
    constexpr double kStep = 1.0 / 4503599627370496.0;  // 2^-52
    return (static_cast<double>(result >> 12) + 0.5) * kStep;
}

double RandomStream::normal() {
    // Only the cosine branch of Box-Muller, so that no state is carried from pixel to pixel.
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * kPi * uniform());
}

double RandomStream::poisson(double mean) {
    if (!(mean > 0)) return 0;
    return mean < 10 ? smallPoisson(mean) : largePoisson(mean);
}

// Counts arrivals until their product of uniforms falls below exp(−mean) (Knuth).
double RandomStream::smallPoisson(double mean) {
    const double limit = std::exp(-mean);
    double product = uniform();
    double count = 0;
    while (product > limit) {
        product *= uniform();
        count += 1;
    }
    return count;
}

// Hörmann's transformed rejection with squeeze, algorithm PTRS, for means of 10 and more.
double RandomStream::largePoisson(double mean) {
    const double root = std::sqrt(mean);
    const double b = 0.931 + 2.53 * root;
    const double a = -0.059 + 0.02483 * b;
    const double inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
    const double squeeze = 0.9277 - 3.6224 / (b - 2);
    while (true) {
        const double u = uniform() - 0.5;
        const double v = uniform();
        const double us = 0.5 - std::abs(u);
        const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
        if (us >= 0.07 && v <= squeeze) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        const double left = std::log(v * inverseAlpha / (a / (us * us) + b));
        if (left <= k * std::log(mean) - mean - logFactorial(k)) return k;
    }
}

}  // namespace gantry
