#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// A number that a file states for the column of the rotation axis. Programs mean columns from the
/// first one, columns from the middle, or lengths by it.
struct StatedAxis {
    double number = 0;
    std::string unit;   ///< as in the file; empty: none
    std::string where;  ///< its name
};

/// What a file states of a field of the scan beside its value.
struct StatedRemark {
    std::string field;
    std::string sentence;   ///< without its full stop
    bool isUnused = false;  ///< it matters, and is not used
};

/// What a file of projections states about the scan, besides the pixels.
struct StatedGeometry {
    std::string where;              ///< the part of the file that states it: "the entry /entry"
    std::vector<double> anglesDeg;  ///< one a projection; empty: not stated
    std::string angleDoubt;         ///< about the angles, or why there are none; a sentence without
                                    ///< its full stop; empty: none
    std::optional<double> arcDeg;   ///< where it follows from the format, not from a list
    std::optional<std::array<double, 2>> pitchMm;  ///< of the detector's pixels, along u and v
    /// pitchMm may be another one, as that of a voxel: worth a guess, but contradicts nothing.
    bool isPitchCandidate = false;
    std::string pitchDoubt;  ///< a clause; empty: none
    /// Offset of the detector's centre along u and v from where the ray through the axis meets it
    /// at right angles; in RTK's terms, from the centre in its geometry.
    std::optional<std::array<double, 2>> offsetMm;
    std::optional<bool> firstRowIsTop;  ///< detector.firstRow of a scan
    std::string doubt;                  ///< about firstRowIsTop; a clause, empty: none
    std::optional<bool> isMirrored;     ///< detector.mirrored of a scan
    std::optional<StatedAxis> axis;
    bool isHalfField = false;  ///< the axis is near an edge: half of the object is seen at a time
    std::vector<StatedRemark> remarks;
    /// A file of this format would state where the source is: if it does not, the beam is parallel.
    bool wouldTellSource = false;
    std::optional<double> sourceToObjectMm;
    std::optional<double> objectToDetectorMm;
    bool hasDark = false;  ///< dark and flat frames are in the same file
    bool hasFlat = false;
    bool hasBadPixels = false;  ///< a mask of pixels that are not usable, too
};

/// Whether the stated centre can be the detector's. Programs that do not place images leave the
/// first pixel at 0 mm, which puts the centre half a detector off.
/// Tests: tests/core/scan/guess_metaimage_test.cpp
[[nodiscard]] bool placesDetector(const StatedGeometry& stated, const Detector& detector);

}  // namespace gantry
