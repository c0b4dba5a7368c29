#pragma once

#include <array>
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

}  // namespace gantry
