#pragma once

#include <string_view>

namespace gantry {

/// "0.2.0", as CMakeLists.txt has it at its top, which is the only place
[[nodiscard]] std::string_view programVersion();

}  // namespace gantry
