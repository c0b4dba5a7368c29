#pragma once

#include <cstddef>
#include <stop_token>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/types.h"

namespace gantry {

/// The sum of body(begin, end) over pieces of [0, count), each `piece` long but for the last. The
/// pieces are added in order, so that it does not depend on the number of threads.
/// Sum: default-constructed it is 0; it has operator+=
/// @throws Cancelled
template <class Sum, class Body>
[[nodiscard]] Sum parallelSum(int threads, Index count, Index piece, const Body& body,
                              const std::stop_token& stop = {}) {
    std::vector<Sum> sums(static_cast<std::size_t>((count + piece - 1) / piece));
    parallelFor(
        threads, count, piece,
        [&](Index begin, Index end, int) { sums[begin / piece] = body(begin, end); }, stop);
    Sum sum{};
    for (const Sum& part : sums)
        sum += part;
    return sum;
}

}  // namespace gantry
