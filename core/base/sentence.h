#pragma once

#include <string>

namespace gantry {

/// The text with the full stop that it may lack at its end.
/// Tests: tests/core/base/error_test.cpp
[[nodiscard]] std::string withFullStop(std::string text);

}  // namespace gantry
