#pragma once

#include <array>
#include <stop_token>
#include <string_view>

#include "core/base/span3.h"

namespace gantry {

/// Voxels along x, y, z of a [z][y][x] array.
template <class T>
[[nodiscard]] std::array<Index, 3> shapeOf(Span3<T> volume) {
    return {volume.size(2), volume.size(1), volume.size(0)};
}

/// @throws InputError naming `name` unless its shape is `wanted`, that of `other`
/// Tests: tests/core/metrics/image_error_test.cpp
void checkSameShape(std::string_view name, const std::array<Index, 3>& found,
                    std::string_view other, const std::array<Index, 3>& wanted);

/// Structural similarity of two volumes, slice by slice: Wang, Bovik, Sheikh and Simoncelli, IEEE
/// Trans. Image Processing 13 (2004) 600-612, eq. 13, with K1 = 0.01 and K2 = 0.03, over square
/// 7×7 windows of equal weight and with sample variances (eq. 4 there: divided by 48). The mean is
/// over all windows that lie wholly in a slice; windows that hold a NaN or infinity are left out.
/// In a slice narrower than 7 voxels the windows are as wide as the slice.
///
/// image, truth: [z][y][x]; range: the range of values, above 0. Computed in double.
/// @returns NaN when no window is left
/// Works by slices on up to `threads` threads; the result does not depend on their number.
/// @throws InputError when the shapes differ; Cancelled
/// Tests: tests/core/metrics/ssim_test.cpp
[[nodiscard]] double meanSsim(Span3<const float> image, Span3<const float> truth, double range,
                              int threads = 1, const std::stop_token& stop = {});

}  // namespace gantry
