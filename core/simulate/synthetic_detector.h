#pragma once

#include <cstdint>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// The mean counts of a synthetic flat-panel detector, [v][u], whole numbers: its dark and flat
/// images without noise.
struct SyntheticDetector {
    Index rows = 0;
    Index columns = 0;
    std::vector<float> dark;         ///< an offset, a little different in each pixel
    std::vector<float> flat;         ///< brightest in the middle, darker on the anode's side (heel)
    std::vector<unsigned char> bad;  ///< 1: dead, and its dark and flat are 0
};

/// Tests: tests/core/simulate/simulate_test.cpp
[[nodiscard]] SyntheticDetector makeSyntheticDetector(Index rows, Index columns, double darkCounts,
                                                      double flatCounts, Index deadPixels,
                                                      std::uint64_t seed);

}  // namespace gantry
