#pragma once

#include <array>
#include <optional>

#include "core/doctor/reading.h"
#include "core/geometry/vec3.h"

namespace gantry {

/// How the volume of one reading lies to that of another one which the views agree with as well: a
/// motion, with a mirror or without.
struct Relation {
    std::array<Vec3, 3> rows;   ///< of the matrix that takes directions of the one to the other
    bool isMirrored = false;    ///< left and right are exchanged: nothing rigid does that
    bool isUpsideDown = false;  ///< +z becomes −z
    double turnDeg = 0;  ///< about z, −180 to 180; of no meaning where one alone of the above
                         ///< holds, as then the plane of the mirror is any
};

/// Compares what every view sees of places in the field of view, by the readings' geometries alone.
/// None where the views tell the two apart: no motion takes one to the other within `tolerancePx`
/// pixels of the detector.
/// Tests: tests/core/doctor/relation_test.cpp
[[nodiscard]] std::optional<Relation> relationBetween(const ReadGeometry& from,
                                                      const ReadGeometry& to, double tolerancePx);

}  // namespace gantry
