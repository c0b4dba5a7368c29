#pragma once

#include <array>
#include <limits>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// The value of what two views do not both see.
inline constexpr double kUncompared = std::numeric_limits<double>::quiet_NaN();

/// What pairs of views say differently about the same lines or planes of the object. With the true
/// matrices noise alone is left.
struct Differences {
    /// The two views, as counted in their stack, or parts of views that err each for itself. They
    /// do not depend on the matrices.
    std::vector<std::array<Index, 2>> pairs;
    Index perPair = 1;
    /// [pair][line or plane]; kUncompared, a NaN, where one of the views does not see it whole.
    std::vector<double> values;
    /// The mean of both views' squares where their difference is; else of no meaning.
    std::vector<double> squares;

    /// The number of values that are not NaN.
    [[nodiscard]] Index count() const;
    /// Their mean square; NaN when there are none.
    [[nodiscard]] double meanSquare() const;
};

/// Takes away what the differences of a group have in common, as many views see the object from all
/// sides and only an error of the detector, as of its flat field, is the same in all of them.
/// Groups of few become kUncompared. groups: of each value, from 0 on
void removeGroupMeans(std::vector<double>& values, const std::vector<Index>& groups);

/// Every two of so many views.
[[nodiscard]] std::vector<std::array<Index, 2>> pairsOf(Index views);

}  // namespace gantry
