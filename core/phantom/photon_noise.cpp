#include "core/phantom/photon_noise.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/throw_error.h"
#include "core/geometry/vec3.h"

namespace gantry {

namespace {

void check(const CountModel& model) {
    if (!std::isfinite(model.photonsPerCount) || model.photonsPerCount <= 0)
        throwError<InputError>(
            "The photons per count are {}; they must be greater than 0 and finite.",
            model.photonsPerCount);
    if (!std::isfinite(model.readoutNoise) || model.readoutNoise < 0)
        throwError<InputError>("The readout noise is {} counts; it must be 0 or more and finite.",
                               model.readoutNoise);
}

// The generator splitmix64, which fills the state of a RandomStream.
std::uint64_t splitMix(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

// Computes ln k! by Stirling's series. std::lgamma is not used because it writes a global variable
// and so is not thread-safe.
double logFactorial(double k) {
    double correction = 0;
    while (k < 10) {
        k += 1;
        correction += std::log(k);
    }
    const double inverse = 1 / k;
    const double square = inverse * inverse;
    const double series = inverse / 12 - inverse * square / 360 + inverse * square * square / 1260;
    return (k + 0.5) * std::log(k) - k + 0.5 * std::log(2 * kPi) + series - correction;
}

}  // namespace

Index toCounts(const CountModel& model, Index view, Index firstRow, Index columns,
               std::span<const float> lineIntegrals, std::span<const float> dark,
               std::span<const float> flat, std::span<std::uint16_t> counts) {
    check(model);
    const std::size_t pixels = counts.size();
    require(columns > 0 && lineIntegrals.size() == pixels && dark.size() == pixels &&
                flat.size() == pixels && pixels % static_cast<std::size_t>(columns) == 0,
            "the arrays for simulated counts differ in size");
    constexpr double kMaxCount = 65535;
    Index clipped = 0;
    const auto width = static_cast<std::size_t>(columns);
    for (std::size_t start = 0; start < pixels; start += width) {
        RandomStream random(model.seed, view, firstRow + static_cast<Index>(start / width));
        for (std::size_t i = start; i < start + width; ++i) {
            const double openSignal = static_cast<double>(flat[i]) - static_cast<double>(dark[i]);
            double signal = openSignal * std::exp(-static_cast<double>(lineIntegrals[i]));
            if (model.photonNoise)
                signal = random.poisson(signal * model.photonsPerCount) / model.photonsPerCount;
            if (model.readoutNoise > 0) signal += model.readoutNoise * random.normal();
            const double value = std::floor(static_cast<double>(dark[i]) + signal + 0.5);
            if (value > kMaxCount) ++clipped;
            // The comparison is false for NaN, which becomes 0.
            counts[i] = static_cast<std::uint16_t>(value > 0 ? std::min(value, kMaxCount) : 0);
        }
    }
    return clipped;
}

RandomStream::RandomStream(std::uint64_t seed, Index view, Index row) {
    std::uint64_t mix = seed;
    mix = splitMix(mix) ^ static_cast<std::uint64_t>(view);
    mix = splitMix(mix) ^ static_cast<std::uint64_t>(row);
    for (std::uint64_t& word : m_state)
        word = splitMix(mix);
}

// One step of xoshiro256**; the upper 52 bits become the fraction.
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
    // Uses only the cosine branch of Box-Muller, so that no state is carried from pixel to pixel.
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * kPi * uniform());
}

double RandomStream::poisson(double mean) {
    if (!(mean > 0)) return 0;
    return mean < 10 ? smallPoisson(mean) : largePoisson(mean);
}

// Knuth's method: counts how many uniform numbers are multiplied until their product falls
// below exp(−mean).
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
        const double logRatio = std::log(v * inverseAlpha / (a / (us * us) + b));
        if (logRatio <= k * std::log(mean) - mean - logFactorial(k)) return k;
    }
}

}  // namespace gantry
