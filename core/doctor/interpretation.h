#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/vec3.h"

namespace gantry {

/// Conventions in which programs differ. They are changed in this order, and of interpretations
/// with the same result the one with the earlier conventions is offered.
enum class Convention {
    direction,             ///< the gantry turns in the opposite direction
    columns,               ///< the images are stored mirrored left to right
    rows,                  ///< the images are stored upside down: detector.firstRow
    order,                 ///< the files are numbered from the last view to the first
    detectorOffsetU,       ///< the sign of detector.offsetMm[0]
    detectorOffsetV,       ///< and of detector.offsetMm[1]
    sourceOffsetU,         ///< the sign of trajectory.sourceOffsetMm[0]
    sourceOffsetV,         ///< and of trajectory.sourceOffsetMm[1]
    offsetInPixels,        ///< detector.offsetMm was counted in pixels
    offsetTimesPitch,      ///< detector.offsetMm was multiplied by the pitch once too often
    anglesInRadians,       ///< the angles of the views are radians
    anglesInRadiansTwice,  ///< the angles of the views were converted to degrees twice
    mountingInRadians,     ///< roll, tilt and slant are radians
    start,                 ///< the first view was taken from the opposite side
};

/// An interpretation of a scan: the conventions that differ from the declared ones, each once, in
/// the order of the enumeration. Empty: as declared.
struct Interpretation {
    std::vector<Convention> changed;

    [[nodiscard]] bool has(Convention convention) const;
    friend bool operator==(const Interpretation&, const Interpretation&) = default;
};

/// A scan in an interpretation. Views stay as they are read: if images are interpreted as mirrored,
/// the geometry is that of the mirrored world.
struct ReadGeometry {
    ScanGeometry geometry;      ///< for the views as read with the scan as declared
    bool isMirroredX = false;   ///< the volume made with it has x and −x exchanged
    bool isUpsideDown = false;  ///< and z and −z
};

/// Tests: tests/core/doctor/interpretation_test.cpp
[[nodiscard]] ReadGeometry readAs(const ScanGeometry& declared,
                                  const Interpretation& interpretation);

/// The geometry that a scan.json declares for an interpretation, together with flipped images.
[[nodiscard]] ScanGeometry declaredAs(const ScanGeometry& declared,
                                      const Interpretation& interpretation);

/// All interpretations of a geometry, the declared one first, then those with few changes: at most
/// three, besides the start. Conventions that change nothing in it are left out. The
/// interpretations need not be usable: see isUsable().
[[nodiscard]] std::vector<Interpretation> interpretationsOf(const ScanGeometry& declared);

/// The interpretation without the changes that move the detector along u, which a shifted axis may
/// do as well: a sign or a unit of the detector's offset.
[[nodiscard]] Interpretation withoutShifts(const Interpretation& interpretation);

/// Whether its rays are parallel, or spread by less than 1/1000 over the detector: views of a
/// parallel beam that are shifted one by one have a source that is very far away.
/// Tests: tests/cli/test_scanners.py
[[nodiscard]] bool areNearlyParallel(const ScanGeometry& geometry);

/// Whether the geometry can be reconstructed: it has no errors and a sufficient arc.
[[nodiscard]] bool isUsable(const ScanGeometry& geometry);

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
