#include "core/geometry/parallel_views.h"

#include <algorithm>
#include <cmath>

namespace gantry {

bool areParallel(std::span<const ProjectionMatrix> matrices) {
    constexpr double kTolerance = 1e-12;  // of 1, by which exact matrices may be rounded
    const auto isParallel = [](const ProjectionMatrix& matrix) {
        const auto& m = matrix.m;
        const double most = kTolerance * m[2][3];
        const auto isNone = [&](double value) { return std::abs(value) <= most; };
        return m[2][3] > 0 && isNone(m[2][0]) && isNone(m[2][1]) && isNone(m[2][2]) &&
               isNone(m[0][2]) && isNone(m[1][0]) && isNone(m[1][1]);
    };
    return !matrices.empty() && std::all_of(matrices.begin(), matrices.end(), isParallel);
}

}  // namespace gantry
