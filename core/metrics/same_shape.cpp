#include "core/metrics/same_shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace gantry {

void checkSameShape(std::string_view name, const std::array<Index, 3>& found,
                    std::string_view other, const std::array<Index, 3>& wanted) {
    if (found == wanted) return;
    throw InputError(fmt::format("The {} has {} voxels; it must have {} like the {}.", name,
                                 fmt::join(found, " × "), fmt::join(wanted, " × "), other));
}

}  // namespace gantry
