#pragma once

#include <cstddef>

namespace gantry {

/// Every count, index and size of arrays: signed, so that differences are safe.
using Index = std::ptrdiff_t;

/// A half-open range [begin, end) of slices, detector rows or views.
struct IndexRange {
    Index begin = 0;
    Index end = 0;

    [[nodiscard]] Index size() const { return end - begin; }
    [[nodiscard]] bool empty() const { return end <= begin; }
    [[nodiscard]] bool contains(Index i) const { return i >= begin && i < end; }
    friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

}  // namespace gantry
