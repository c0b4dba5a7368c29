#include "core/project/projection_space.h"

#include <cstddef>
#include <iterator>
#include <vector>

#include "core/base/error.h"

namespace gantry {

ProjectedViews inStoredOrder(const ProjectedViews& views, const Subsets& subsets) {
    require(subsets.views() == std::ssize(views.poses), "subsets of other views");
    ProjectedViews stored = views;
    const std::vector<Index> order = subsets.order();
    for (std::size_t i = 0; i < order.size(); ++i)
        stored.poses[i] = views.poses[static_cast<std::size_t>(order[i])];
    return stored;
}

}  // namespace gantry
