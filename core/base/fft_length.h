#pragma once

#include "core/base/types.h"

namespace gantry {

/// The smallest length, at least `atLeast`, whose discrete Fourier transform is fast: it has no
/// prime factor above 5. atLeast: 1 or more. Tests: tests/core/filter/ramp_kernel_test.cpp,
/// tests/core/prep/phase_retrieval_test.cpp
[[nodiscard]] constexpr Index fftLength(Index atLeast) {
    const auto isSmooth = [](Index n) {
        for (const Index factor : {2, 3, 5})
            while (n % factor == 0)
                n /= factor;
        return n == 1;
    };
    Index length = atLeast;
    while (!isSmooth(length))
        ++length;
    return length;
}

}  // namespace gantry
