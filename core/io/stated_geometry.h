#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// What a file of projections says of how they were taken, beside the pixels themselves.
struct StatedGeometry {
    std::string where;              ///< the part of the file that says so: "the entry /entry"
    std::vector<double> anglesDeg;  ///< one a projection; empty: not stated
    std::optional<double> arcDeg;   ///< where it follows from the format, not from a list
    std::optional<std::array<double, 2>> pitchMm;  ///< of the detector's pixels, along u and v
    std::optional<double> sourceToObjectMm;
    std::optional<double> objectToDetectorMm;
    bool hasDark = false;  ///< dark and flat frames are in the same file
    bool hasFlat = false;
};

}  // namespace gantry
