#pragma once

#include <vector>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// What one program writes so and another one reads otherwise. In this order they are changed, and
/// of readings that say the same the one with the earlier conventions is offered.
enum class Convention {
    direction,             ///< the gantry turns the other way
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
    anglesInRadiansTwice,  ///< degrees of the views were turned into degrees once more
    mountingInRadians,     ///< roll, tilt and slant are radians
    start,                 ///< the first view was taken from the opposite side
};

/// A scan's conventions otherwise than it is declared: those that are changed, each once, in the
/// order of the enumeration. None: as it is declared.
struct Reading {
    std::vector<Convention> changed;

    [[nodiscard]] bool has(Convention convention) const;
    friend bool operator==(const Reading&, const Reading&) = default;
};

/// A scan as a reading has it. Views stay as they are read: what is said of images that are stored
/// mirrored is true of a mirrored world, in which the geometry then is.
struct ReadGeometry {
    ScanGeometry geometry;      ///< of the views as they are read with the scan as declared
    bool isMirroredX = false;   ///< the volume made with it has x and −x exchanged
    bool isUpsideDown = false;  ///< and z and −z
};

/// Tests: tests/core/doctor/reading_test.cpp
[[nodiscard]] ReadGeometry readAs(const ScanGeometry& declared, const Reading& reading);

/// The geometry that a scan.json says with a reading, whose images are flipped as it says.
[[nodiscard]] ScanGeometry declaredAs(const ScanGeometry& declared, const Reading& reading);

/// All readings of a geometry, that as declared first, then those with few changes: at most three,
/// beside the start. Conventions are left out that change nothing in it. The readings need not be
/// usable: see isUsable().
[[nodiscard]] std::vector<Reading> readingsOf(const ScanGeometry& declared);

/// Whether the geometry can be reconstructed: without errors, of an arc that suffices.
[[nodiscard]] bool isUsable(const ScanGeometry& geometry);

}  // namespace gantry
