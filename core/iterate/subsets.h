#pragma once

#include <vector>

#include "core/base/types.h"

namespace gantry {

/// Ordered subsets of a scan's views. Subset m of M has views m, m + M, m + 2M …, which a space
/// stores behind each other, so that a subset is a range of stored views.
/// Tests: tests/core/iterate/method_test.cpp
class Subsets {
  public:
    /// 1 ≤ subsets ≤ views
    Subsets(Index views, Index subsets);

    [[nodiscard]] Index count() const { return m_subsets; }
    [[nodiscard]] Index views() const { return m_views; }
    /// The stored views of subset m.
    [[nodiscard]] IndexRange range(Index m) const;
    [[nodiscard]] Index largest() const { return range(0).size(); }
    /// The scan's view that is stored at each place.
    [[nodiscard]] std::vector<Index> order() const;
    /// Where the scan's view is stored.
    [[nodiscard]] Index placeOf(Index view) const;

  private:
    Index m_views;
    Index m_subsets;
};

}  // namespace gantry
