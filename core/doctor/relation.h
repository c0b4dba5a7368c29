#pragma once

#include <array>
#include <optional>

#include "core/doctor/interpretation.h"
#include "core/geometry/vec3.h"

namespace gantry {

/// The motion, possibly with a mirror, between the volumes of two interpretations that the views
/// support equally.
struct Relation {
    std::array<Vec3, 3> rows;   ///< of the matrix that maps directions of the first to the second
    bool isMirrored = false;    ///< left and right are exchanged: nothing rigid does that
    bool isUpsideDown = false;  ///< +z becomes −z
    double turnDeg = 0;  ///< about z, −180 to 180; meaningless if exactly one of the above holds,
                         ///< because then the mirror's plane is arbitrary
};

/// Compares the positions in the field of view that the views see, using only the interpretations'
/// geometries. None if the views distinguish the two: no motion maps one to the other within
/// `tolerancePx` pixels of the detector.
/// Tests: tests/core/doctor/relation_test.cpp
[[nodiscard]] std::optional<Relation> relationBetween(const ReadGeometry& from,
                                                      const ReadGeometry& to, double tolerancePx);

}  // namespace gantry
