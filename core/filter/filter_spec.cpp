#include "core/filter/filter_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/error.h"

namespace gantry {

std::string_view name(FilterWindow window) {
    return kFilterWindowNames[static_cast<std::size_t>(window)];
}

FilterWindow parseFilterWindow(std::string_view text) {
    const auto found = std::find(kFilterWindowNames.begin(), kFilterWindowNames.end(), text);
    if (found != kFilterWindowNames.end())
        return static_cast<FilterWindow>(found - kFilterWindowNames.begin());
    throw InputError(fmt::format("The filter window is '{}'; it must be one of {}.", text,
                                 fmt::join(kFilterWindowNames, ", ")),
                     {.field = "window"});
}

}  // namespace gantry
