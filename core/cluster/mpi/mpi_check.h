#pragma once

namespace gantry {

/// what: completes the message, "send to all ranks". @throws ResourceError where `code` is no
/// success
void check(int code, const char* what);

}  // namespace gantry
