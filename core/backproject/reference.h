#pragma once

#include <memory>

#include "core/backproject/back_projector.h"

namespace gantry {

/// iFDK algorithm 2 in double for any 3×4 matrix: slow and plain; tests compare all others with it.
[[nodiscard]] std::unique_ptr<BackProjector> makeReferenceBackProjector(int threads);

}  // namespace gantry
