#pragma once

#include "core/base/types.h"

namespace gantry {

/// The voxels of a volume's picture, and the memory that they take.
struct ShownVoxels {
    double wholeMm = 0;   ///< along x, of the whole
    double finestMm = 0;  ///< of the finest box
    double ownMm = 0;     ///< of the volume itself
    Index bytes = 0;
    Index maxBytes = 0;
    bool isOnGpu = false;
    bool isReading = false;
};

}  // namespace gantry
