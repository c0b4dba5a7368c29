#pragma once

#include "core/recon/backends.h"

namespace gantry {

/// What this build, on this machine, can back-project with.
[[nodiscard]] Backends makeBackends();

}  // namespace gantry
