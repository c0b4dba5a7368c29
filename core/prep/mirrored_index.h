#pragma once

#include "core/base/types.h"

namespace gantry {

/// The index of n samples that sample i takes its value from, where the row continues beyond both
/// ends as its mirror image, with the last sample repeated: … 1 0 | 0 1 … n−1 | n−1 n−2 …
/// Tests: tests/core/prep/rings_test.cpp
[[nodiscard]] constexpr Index mirroredIndex(Index i, Index n) {
    const Index period = 2 * n;
    i %= period;
    if (i < 0) i += period;
    return i < n ? i : period - 1 - i;
}

}  // namespace gantry
