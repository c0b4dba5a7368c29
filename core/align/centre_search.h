#pragma once

#include <functional>
#include <string>

#include "core/align/differences.h"
#include "core/align/finding.h"

namespace gantry {

/// Contradictions of views about the same rays as a function of the centre, everything else
/// unchanged.
struct CentreWitness {
    std::function<Differences(double centrePx)> differencesAt;
    std::string name;    ///< of what is compared, as "rays measured from both ends"
    std::string noneOf;  ///< what a scan has to have for there to be any: ", as ... have them"
};

/// The centre at which views contradict each other least: tried step by step over the whole range,
/// as contradictions have more than one valley, then between the steps by least squares.
/// aboutPx: the middle of the range; rangePx: to either side of it
/// stepPx: of the trials, over which differences are nearly linear
/// @throws whatever differencesAt throws
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] Finding minContradictingCentre(const CentreWitness& witness, double aboutPx,
                                             double rangePx, double stepPx);

}  // namespace gantry
