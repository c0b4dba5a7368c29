#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// A geometry that is read from another program's file, or written for it.
struct ExchangedGeometry {
    ScanGeometry geometry;
    // Of the images that the program has beside it; none: the file leaves it to them.
    std::optional<bool> firstRowIsTop;
    std::optional<bool> isMirrored = {};  ///< left to right
};

/// The images that a file is about, as far as it does not tell that itself.
struct ImagesOfGeometry {
    Index columns = 0;
    Index rows = 0;
    std::array<double, 2> pitchMm = {0, 0};
    std::array<double, 2> middleMm = {0, 0};  ///< of the image, along u and v, in its own place
};

// What is read here is a circular orbit whose source and detector corners lie where the file has
// them, to 1e-9 mm if its numbers have the 15 digits that RTK writes; where the views are on no
// such orbit, calibrated poses. Nothing else is checked: see validate.h. What is written has all
// digits of a double, so that it reads back the same.

/// RTK's ThreeDCircularGeometry XML, versions 2 and 3 (facts: X=x, Y=−z, Z=y; a flat detector; a
/// tag that a projection lacks is inherited). The XML holds neither the detector's size nor its
/// pitch; the images have them, and their middle's place is added to the projection's offset, as in
/// RTK. A Matrix that differs from its projection's parameters by
/// more than 0.001, a cylindrical detector, a parallel beam and unknown tags are refused; the
/// collimation, which moves nothing, is not read.
/// @throws InputError naming the file, the projection and the value, where it is malformed
/// Tests: tests/core/geometry/rtk_geometry_test.cpp
[[nodiscard]] ScanGeometry readRtkGeometry(const std::filesystem::path& path,
                                           const ImagesOfGeometry& images);
/// Version 3, with a Matrix in every projection. RTK rotates source and detector together, so a
/// roll or tilt of the detector becomes its in-plane and out-of-plane angle, and the source's place
/// its source offset; a slant is a shift of the gantry angle. Calibrated poses have all parameters
/// in every projection.
/// @throws InputError where the pixels' pitch differs from view to view, which images cannot say
[[nodiscard]] std::string toRtkXml(const ScanGeometry& geometry);

/// ASTRA's cone_vec: a text file of twelve numbers a view (source, detector centre, u step, v step;
/// mm here), separated by blanks or commas, a view a line; # begins a comment. The pitch is in the
/// vectors; the size comes from `columns` and `rows`. Row 0 of ASTRA's images is where v begins:
/// vectors whose v points down, seen from the source with u to the right, have the top row first.
/// On a circle, a u that points left and a v that points up are of images that are mirrored.
/// A file with a comment that names parallel3d_vec has the rays' direction where others have the
/// source; that is how a parallel beam is written.
/// @throws InputError as above, naming the line
/// Tests: tests/core/geometry/astra_vectors_test.cpp
[[nodiscard]] ExchangedGeometry readAstraVectors(const std::filesystem::path& path, Index columns,
                                                 Index rows);
[[nodiscard]] std::string toAstraVectors(const ExchangedGeometry& exchanged);

/// LEAP's parameter file, "name = value" lines with the names of today or of before: a cone beam on
/// a flat detector (tau, tiltAngle, any angles), or modules with a source each. LEAP's world is
/// ours; row 0 is the lowest where v runs up. The volume's parameters are not read.
/// @throws InputError naming the line: other geometries, a curved detector, a helix, counts that do
///         not fit each other
/// Tests: tests/core/geometry/leap_parameters_test.cpp
[[nodiscard]] ExchangedGeometry readLeapParameters(const std::filesystem::path& path);
/// Whether a text names a geometry as LEAP's files do.
[[nodiscard]] bool isLeapText(std::string_view text);

/// The circular orbit whose poses these are. Its gantry angle follows the detector's normal, so
/// that the detector has no slant: poses of a slanted detector come back as the same poses in other
/// terms. Equal steps (to 1e-11°) become startDeg in [0, 360) and arcDeg, others a list. Roll and
/// tilt are 0 where that fits as well. The source and the detector's corners may lie up to 0.01 of
/// a pixel off, for files with few digits; the values are the medians of all views.
/// @throws InputError naming the view and what deviates, or what makes its pose unusable
/// Tests: tests/core/geometry/circular_fit_test.cpp
[[nodiscard]] ScanGeometry circularGeometry(const std::vector<ViewPose>& poses, Index columns,
                                            Index rows, const std::string& where);

/// The parallel beam about z whose poses these are; they may lie as far off.
/// @throws InputError naming the first view that lies farther
/// Tests: tests/core/geometry/astra_vectors_test.cpp
[[nodiscard]] ScanGeometry parallelGeometry(const std::vector<ViewPose>& poses, Index columns,
                                            Index rows, const std::string& where);

/// As circularGeometry(); poses that are on no such orbit become calibrated poses, as they are.
/// @throws InputError naming the view whose pose is unusable by itself
/// Tests: tests/core/geometry/pose_exchange_test.cpp
[[nodiscard]] ScanGeometry geometryThrough(const std::vector<ViewPose>& poses, Index columns,
                                           Index rows, const std::string& where);

}  // namespace gantry
