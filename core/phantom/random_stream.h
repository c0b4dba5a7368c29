#pragma once

#include <array>
#include <cstdint>

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

}  // namespace gantry
