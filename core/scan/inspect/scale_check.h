#pragma once

#include <optional>
#include <vector>

#include "core/geometry/check/validate.h"
#include "core/scan/inspect/picture_facts.h"

namespace gantry {

/// How the noise of line integrals grows with them.
struct NoiseGrowth {
    double perUnit = 0;    ///< of the logarithm of its variance, for each unit of line integral
    double deviation = 0;  ///< standard deviation of the former
    /// The same over the lower and the upper half of the line integrals: alike where photons alone
    /// make the noise.
    double lower = 0, upper = 0;
};

/// The growth of what differs from view to view between neighbouring pixels; none where that is no
/// noise, as in a simulation without it, or where line integrals differ by too little.
/// facts: of views spread over the scan
/// Tests: tests/core/scan/scale_check_test.cpp
[[nodiscard]] std::optional<NoiseGrowth> noiseGrowth(const std::vector<PictureFacts>& facts);

/// A warning where line integrals seem to be multiplied by a number. The variance of a line
/// integral p that photons measure is exp(p) of the air's, so that its logarithm grows by 1 for
/// each unit of p, and by 1/f if all were multiplied by f.
/// Tests: tests/core/scan/scale_check_test.cpp
[[nodiscard]] std::optional<Problem> checkScale(const std::vector<PictureFacts>& facts);

}  // namespace gantry
