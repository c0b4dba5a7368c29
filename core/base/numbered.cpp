#include "core/base/numbered.h"

#include <fmt/format.h>

namespace gantry {

std::string numbered(std::string_view what, IndexRange range) {
    return range.size() == 1 ? fmt::format("{} {}", what, range.begin)
                             : fmt::format("{}s {} to {}", what, range.begin, range.end - 1);
}

}  // namespace gantry
