#include "core/geometry/views/parallel_views.h"

#include <algorithm>
#include <cmath>

namespace gantry {

namespace {

// Whether the value is 0 relative to the depth; exact matrices may be rounded.
bool isNone(double value, const ProjectionMatrix& matrix) {
    constexpr double kTolerance = 1e-12;
    return std::abs(value) <= kTolerance * matrix.m[2][3];
}

bool isOfParallelRays(const ProjectionMatrix& matrix) {
    const auto& depth = matrix.m[2];
    return depth[3] > 0 && isNone(depth[0], matrix) && isNone(depth[1], matrix) &&
           isNone(depth[2], matrix);
}

bool isSquareToZ(const ProjectionMatrix& matrix) {
    const auto& m = matrix.m;
    return isNone(m[0][2], matrix) && isNone(m[1][0], matrix) && isNone(m[1][1], matrix);
}

}  // namespace

bool haveParallelRays(std::span<const ProjectionMatrix> matrices) {
    return !matrices.empty() && std::ranges::all_of(matrices, isOfParallelRays);
}

bool areParallel(std::span<const ProjectionMatrix> matrices) {
    return haveParallelRays(matrices) && std::ranges::all_of(matrices, isSquareToZ);
}

}  // namespace gantry
