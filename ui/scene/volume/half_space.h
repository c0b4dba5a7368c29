#pragma once

#include "core/geometry/vec3.h"

namespace gantry {

/// All that lies on one side of a plane.
struct HalfSpace {
    Vec3 pointMm;  ///< on the plane
    Vec3 inward;   ///< from the plane into the half space; any length but 0
    friend bool operator==(const HalfSpace&, const HalfSpace&) = default;
};

}  // namespace gantry
