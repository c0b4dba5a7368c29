#pragma once

#include <functional>
#include <string>

namespace gantry {

/// Runs the event loop until the condition holds.
/// @throws InputError when `what` "did not come within a minute"
void waitUntil(const std::function<bool()>& condition, const std::string& what);

}  // namespace gantry
