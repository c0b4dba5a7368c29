#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/scan_geometry.h"
#include "core/io/scan_file/scan_file.h"

namespace gantry {

/// The circular scan whose first view has a pose: the gantry turns about z. Its cone has no views
/// yet, its start angle is the pose's, and its other values are those of the pose to 1e-9 mm.
/// @throws InputError naming what makes the pose unusable
/// Tests: tests/core/describe/nikon_test.cpp
[[nodiscard]] ScanGeometry circleOfPose(const ViewPose& pose, Index columns, Index rows,
                                        const std::string& where);

/// Moves the axis of a cone beam off the central ray, towards higher columns of the images as they
/// are stored: as the gantry turns about the axis, source and detector move the other way.
void moveAxis(ScanFile& scan, double towardsHigherColumnsMm);

/// Equal steps from a start angle on, which is stored within [0, 360).
void setEvenAngles(GantryAngles& angles, double startDeg, double stepDeg, Index views);

/// Images of one name and a counter.
struct CountedImages {
    std::string pattern;   ///< relative to the folder: "a_????.tif"
    Index count = 0;       ///< that are there
    bool isFound = false;  ///< else the pattern is what the names should be
};
/// Looks for files that are called `prefix` and a counter, of so many digits or, for 0, any number
/// of them, of which there then are four if there is no file.
/// endings: in lower case, the usual one first
/// Tests: tests/core/describe/nikon_test.cpp
[[nodiscard]] CountedImages countedImages(const std::filesystem::path& folder,
                                          const std::string& prefix, Index digits,
                                          const std::vector<std::string_view>& endings = {".tif",
                                                                                          ".tiff"});

}  // namespace gantry
