#pragma once

#include <functional>
#include <vector>

#include "core/align/differences.h"

namespace gantry {

/// Numbers to be found, each in its own unit.
using Parameters = std::vector<double>;
/// The differences with these numbers; the pairs are the same for all.
using DifferencesAt = std::function<Differences(const Parameters&)>;

/// Numbers with which views contradict each other least.
struct Estimate {
    Parameters values;
    Parameters uncertainties;  ///< standard deviations; infinite where the views do not say
    double meanSquare = 0;     ///< of the differences
    Index count = 0;           ///< differences
    bool isSettled = false;    ///< the last step was a small part of the uncertainty
};

/// Gauss-Newton least squares from `start` on. The noise of one view counts in all differences that
/// contain it: the uncertainty is that of independent views, not of independent differences.
/// steps: one for each number, over which the differences are nearly linear
/// Tests: tests/core/align/consistency_test.cpp
[[nodiscard]] Estimate minContradiction(const DifferencesAt& differencesAt, const Parameters& start,
                                        const Parameters& steps);

}  // namespace gantry
