#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// What a file of projections says of how they were taken, beside the pixels themselves.
struct StatedGeometry {
    std::string where;              ///< the part of the file that says so: "the entry /entry"
    std::vector<double> anglesDeg;  ///< one a projection; empty: not stated
    std::optional<double> arcDeg;   ///< where it follows from the format, not from a list
    std::optional<std::array<double, 2>> pitchMm;  ///< of the detector's pixels, along u and v
    /// Of the detector's middle along u and v, from where the ray through the axis meets it at
    /// right angles; in RTK's terms, from the middle that its geometry has.
    std::optional<std::array<double, 2>> offsetMm;
    std::optional<bool> firstRowIsTop;  ///< detector.firstRow of a scan
    std::string doubt;                  ///< about firstRowIsTop; a clause, empty: none
    /// A file of this format would tell where the source is: none is that of a parallel beam.
    bool wouldTellSource = false;
    std::optional<double> sourceToObjectMm;
    std::optional<double> objectToDetectorMm;
    bool hasDark = false;  ///< dark and flat frames are in the same file
    bool hasFlat = false;
};

/// Whether the stated middle can be the detector's. Programs that place no image leave its first
/// pixel at 0 mm, which puts the middle half a detector out.
/// Tests: tests/core/scan/guess_metaimage_test.cpp
[[nodiscard]] bool placesDetector(const StatedGeometry& stated, const Detector& detector);

}  // namespace gantry
