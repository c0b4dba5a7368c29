#pragma once

#include <string>

namespace gantry {

/// The text with a full stop at its end, added if missing. Tests: tests/core/base/error_test.cpp
[[nodiscard]] std::string withFullStop(std::string text);

}  // namespace gantry
