#pragma once

#include <string_view>

namespace gantry {

/// "0.1.0"
[[nodiscard]] std::string_view programVersion();

}  // namespace gantry
