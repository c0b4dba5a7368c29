#include "core/iterate/subsets.h"

#include <algorithm>

#include "core/base/error.h"

namespace gantry {

Subsets::Subsets(Index views, Index subsets) : m_views(views), m_subsets(subsets) {
    require(subsets >= 1 && subsets <= views, "subsets of views that would be empty");
}

IndexRange Subsets::range(Index m) const {
    // The first of them have one view more where the views do not divide evenly.
    const Index size = m_views / m_subsets;
    const Index larger = m_views % m_subsets;
    const Index begin = m * size + std::min(m, larger);
    return {begin, begin + size + (m < larger ? 1 : 0)};
}

std::vector<Index> Subsets::order() const {
    std::vector<Index> views;
    for (Index m = 0; m < m_subsets; ++m)
        for (Index view = m; view < m_views; view += m_subsets)
            views.push_back(view);
    return views;
}

Index Subsets::placeOf(Index view) const {
    return range(view % m_subsets).begin + view / m_subsets;
}

}  // namespace gantry
