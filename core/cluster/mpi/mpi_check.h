#pragma once

namespace gantry {

/// what: "send to all ranks". @throws ResourceError where MPI's result is no success
void check(int code, const char* what);

}  // namespace gantry
