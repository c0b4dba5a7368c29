#pragma once

#include "core/base/span3.h"
#include "core/base/types.h"

namespace gantry {

/// View s at a position between its pixels, bilinear over their centres; pixels outside count as 0
/// (iFDK algorithm 3). views: [s][v][u], u fastest; u, v: in pixels, any value
/// Tests: tests/core/backproject/reference_test.cpp
[[nodiscard]] inline double interpolate(Span3<const float> views, Index s, double u, double v) {
    const Index nV = views.size(1);
    const Index nU = views.size(2);
    if (!(u > -1 && u < static_cast<double>(nU))) return 0;
    if (!(v > -1 && v < static_cast<double>(nV))) return 0;
    // Both are above −1, so a cast rounds down without a function call.
    const Index column = static_cast<Index>(u + 1) - 1;
    const Index row = static_cast<Index>(v + 1) - 1;
    const double du = u - static_cast<double>(column);
    const double dv = v - static_cast<double>(row);
    const auto blend = [=](double q00, double q01, double q10, double q11) {
        return (q00 * (1 - du) + q01 * du) * (1 - dv) + (q10 * (1 - du) + q11 * du) * dv;
    };
    if (row >= 0 && row + 1 < nV && column >= 0 && column + 1 < nU) {
        const float* lower = views.row(s, row) + column;
        const float* upper = lower + nU;
        return blend(lower[0], lower[1], upper[0], upper[1]);
    }
    const auto pixel = [&](Index r, Index c) -> double {
        return r < 0 || r >= nV || c < 0 || c >= nU ? 0 : views(s, r, c);
    };
    return blend(pixel(row, column), pixel(row, column + 1), pixel(row + 1, column),
                 pixel(row + 1, column + 1));
}

}  // namespace gantry
