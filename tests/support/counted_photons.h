#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <span>

#include "tests/support/random_values.h"

namespace gantry::test {

/// Line integrals as so many photons a pixel of the open beam count them. Their numbers are large:
/// their distribution is normal.
inline void countPhotons(std::span<float> view, double photons, unsigned seed) {
    std::mt19937 random(seed);
    NormalValues<float> normal;
    for (float& p : view) {
        const auto expected = static_cast<float>(photons) * std::exp(-p);
        const float counted = expected + std::sqrt(expected) * normal(random);
        p = -std::log(std::max(1.0F, counted) / static_cast<float>(photons));
    }
}

}  // namespace gantry::test
