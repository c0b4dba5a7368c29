#include "core/filter/filter_spec.h"

namespace gantry {

std::string_view name(FilterWindow window) {
    return kFilterWindows[static_cast<std::size_t>(window)];
}

}  // namespace gantry
