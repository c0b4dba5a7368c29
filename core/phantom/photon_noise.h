#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/base/types.h"

namespace gantry {

/// Random numbers for one detector row of one view: a pure function of seed, view and row, and the
/// same on every machine (the standard library's distributions are not).
/// Generator: xoshiro256** of Blackman and Vigna, with its state filled by splitmix64.
/// Tests: tests/core/phantom/photon_noise_test.cpp
class RandomStream {
  public:
    RandomStream(std::uint64_t seed, Index view, Index row);

    /// Uniform in (0, 1), never either end.
    double uniform();
    /// Standard normal.
    double normal();
    /// Poisson with the given mean, exact; 0 for a mean that is not above 0.
    double poisson(double mean);

  private:
    double smallPoisson(double mean);
    double largePoisson(double mean);

    std::array<std::uint64_t, 4> m_state{};
};

/// How a detector converts rays to stored counts.
struct CountModel {
    bool photonNoise = false;    ///< draw the photons instead of taking their mean
    double photonsPerCount = 1;  ///< photons for one count above dark, above 0
    double readoutNoise = 0;     ///< standard deviation of the electronics, counts
    std::uint64_t seed = 1;
};

/// The stored counts of detector rows [firstRow, …) of a view:
/// round(dark + Poisson((flat − dark)·exp(−p)·photonsPerCount) / photonsPerCount + readout noise),
/// clipped to 0 ... 65535. Photons are drawn from the exact Poisson law at every mean (Hörmann's
/// PTRS, Insurance: Mathematics and Economics 12 (1993) 39-45).
/// A line integral of 0 gives an open-beam (flat) frame, +Inf a dark one; such frames need view
/// numbers of their own, so that their noise is independent.
///
/// lineIntegrals: p, no unit; dark, flat: mean counts, dark not subtracted; all [v][u], same rows
/// counts: [v][u]
/// The noise of a pixel depends only on seed, view, row and column: any number of threads and any
/// split into row ranges give the same counts. Several threads may call it.
/// @returns pixels clipped at 65535
/// @throws InputError when photonsPerCount or readoutNoise is out of range
/// Tests: tests/core/phantom/photon_noise_test.cpp
Index toCounts(const CountModel& model, Index view, Index firstRow, Index columns,
               std::span<const float> lineIntegrals, std::span<const float> dark,
               std::span<const float> flat, std::span<std::uint16_t> counts);

}  // namespace gantry
