#pragma once

#include <optional>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// Means of line integrals along one direction of the detector.
struct Profile {
    std::vector<double> values;
    std::vector<bool> usable;  ///< whether the pixels behind a value are good ones
};

/// How a step between two places of a profile is fitted.
struct StepWindow {
    Index before = 8;  ///< places before the step, at most
    Index after = 8;   ///< places from it on, at most
    int degree = 3;    ///< of the polynomial that goes on on both sides
};

struct StepFit {
    double step = 0;              ///< by how much the profile is higher from the edge on
    double gain = 0;              ///< standard error of the step for one of a value
    double misfit = 0;            ///< mean square of what is left, by the degrees of freedom
    std::vector<Index> outliers;  ///< places that were left out
};

/// Fits a polynomial that steps once to a profile about an edge: the step is what the two sides
/// differ by beyond what both extrapolate to. A column that is off alone, as of a ring, is left out
/// where it stands out of the noise.
/// edge: the first place behind the step
/// noise: standard error of a value; 0: nothing is left out
/// @returns nothing where there are too few usable places on a side
/// Tests: tests/core/scan/module_steps_test.cpp
[[nodiscard]] std::optional<StepFit> fitStep(const Profile& profile, Index edge, StepWindow window,
                                             double noise);

}  // namespace gantry
