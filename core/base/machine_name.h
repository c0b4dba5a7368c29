#pragma once

#include <string>

namespace gantry {

/// The name of this machine in its network; empty if it has none.
[[nodiscard]] std::string machineName();

}  // namespace gantry
