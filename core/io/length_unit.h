#pragma once

#include <optional>
#include <string>

namespace gantry {

/// How many mm one of a unit is that a file names: "mm", "um", "metres"; empty: a metre, as NeXus
/// and Data Exchange have it. Nothing: it is no length.
[[nodiscard]] std::optional<double> mmOf(const std::string& unit);

}  // namespace gantry
