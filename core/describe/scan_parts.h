#pragma once

#include <filesystem>
#include <string>

#include "core/base/types.h"
#include "core/geometry/scan_geometry.h"

namespace gantry {

/// The circular scan whose first view has a pose: the gantry turns about z. Its cone has no views
/// yet, its start angle is the pose's, and its other values are those of the pose to 1e-9 mm.
/// @throws InputError naming what makes the pose unusable
/// Tests: tests/core/describe/nikon_test.cpp
[[nodiscard]] ScanGeometry circleOfPose(const ViewPose& pose, Index columns, Index rows,
                                        const std::string& where);

/// Equal steps from a start angle on, which is stored within [0, 360).
void setEvenAngles(GantryAngles& angles, double startDeg, double stepDeg, Index views);

/// Images of one name and a counter.
struct CountedImages {
    std::string pattern;   ///< relative to the folder: "a_????.tif"
    Index count = 0;       ///< that are there
    bool isFound = false;  ///< else the pattern is what the names should be
};
/// Looks for TIFF files that are called `prefix` and a counter, of so many digits or, for 0, any
/// number of them, of which there then are four if there is no file.
/// Tests: tests/core/describe/nikon_test.cpp
[[nodiscard]] CountedImages countedImages(const std::filesystem::path& folder,
                                          const std::string& prefix, Index digits);

}  // namespace gantry
