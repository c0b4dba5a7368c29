#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// A geometry that was read from another program's file, or will be written to one.
struct ExchangedGeometry {
    ScanGeometry geometry;
    // Order of the rows in the program's images; none: the file does not define it.
    std::optional<bool> firstRowIsTop;
    std::optional<bool> isMirrored = {};  ///< left to right
};

/// Properties of the images that belong to a file, as far as the file lacks them.
struct ImagesOfGeometry {
    Index columns = 0;
    Index rows = 0;
    std::array<double, 2> pitchMm = {0, 0};
    std::array<double, 2> middleMm = {0, 0};  ///< of the image, along u and v, at its own position
};

// Geometries are read as a circular orbit if source and detector corners then lie where they do in
// the file, to 1e-9 mm if its numbers have the 15 digits that RTK writes; otherwise as calibrated
// poses. Nothing else is checked: see validate.h. Files are written with all digits of a double, so
// that they are read back unchanged.

/// RTK's ThreeDCircularGeometry XML, versions 2 and 3 (facts: X=x, Y=−z, Z=y; a flat detector; a
/// projection inherits tags that it lacks). The XML contains neither the detector's size nor its
/// pitch; the images have them, and their centre's position is added to the projection's offset, as
/// in RTK. A Matrix that differs from its projection's parameters by more than 0.001, a cylindrical
/// detector, a parallel beam and unknown tags are refused; the collimation, which moves nothing, is
/// not read.
/// @throws InputError naming the file, the projection and the value, if it is malformed
/// Tests: tests/core/geometry/rtk_geometry_test.cpp
[[nodiscard]] ScanGeometry readRtkGeometry(const std::filesystem::path& path,
                                           const ImagesOfGeometry& images);
/// Version 3, with a Matrix in every projection. RTK rotates source and detector together, so a
/// roll or tilt of the detector becomes its in-plane and out-of-plane angle, and the source's
/// position its source offset; a slant is a shift of the gantry angle. Calibrated poses have all
/// parameters in every projection.
/// @throws InputError if the pixels' pitch differs from view to view, which images cannot express
[[nodiscard]] std::string toRtkXml(const ScanGeometry& geometry);

/// ASTRA's cone_vec: a text file of twelve numbers a view (source, detector centre, u step, v step;
/// mm here), separated by blanks or commas, a view a line; # begins a comment. The pitch is in the
/// vectors; the size comes from `columns` and `rows`. Row 0 of ASTRA's images is where v begins:
/// vectors whose v points down, seen from the source with u to the right, have the top row first.
/// On a circle, a u that points left with a v that points up means that images are mirrored.
/// A file with a comment that names parallel3d_vec has the rays' direction in place of the source;
/// a parallel beam is written in this form.
/// @throws InputError as above, naming the line
/// Tests: tests/core/geometry/astra_vectors_test.cpp
[[nodiscard]] ExchangedGeometry readAstraVectors(const std::filesystem::path& path, Index columns,
                                                 Index rows);
[[nodiscard]] std::string toAstraVectors(const ExchangedGeometry& exchanged);

/// LEAP's parameter file, "name = value" lines with current or older names: a cone beam on a flat
/// detector (tau, tiltAngle, any angles), or modules with a source each. LEAP's world is ours; row
/// 0 is the lowest if v runs up. The volume's parameters are not read.
/// @throws InputError naming the line: other geometries, a curved detector, a helix, counts that do
///         not match
/// Tests: tests/core/geometry/leap_parameters_test.cpp
[[nodiscard]] ExchangedGeometry readLeapParameters(const std::filesystem::path& path);
/// Whether a text names a geometry as LEAP's files do.
[[nodiscard]] bool isLeapText(std::string_view text);

/// The circular orbit of these poses. Its gantry angle follows the detector's normal, so the
/// detector has no slant: poses of a slanted detector are returned as the same poses in other
/// terms. Equal steps (to 1e-11°) become startDeg in [0, 360) and arcDeg, others a list. Roll and
/// tilt are 0 if that fits as well. The source and the detector's corners may lie up to 0.01 of a
/// pixel off, for files with few digits; the values are the medians of all views.
/// @throws InputError naming the view and what deviates, or what makes its pose unusable
/// Tests: tests/core/geometry/circular_fit_test.cpp
[[nodiscard]] ScanGeometry circularGeometry(const std::vector<ViewPose>& poses, Index columns,
                                            Index rows, const std::string& where);

/// The parallel beam about z of these poses, with the same tolerance.
/// @throws InputError naming the first view that lies farther off
/// Tests: tests/core/geometry/astra_vectors_test.cpp
[[nodiscard]] ScanGeometry parallelGeometry(const std::vector<ViewPose>& poses, Index columns,
                                            Index rows, const std::string& where);

/// The same as circularGeometry(), but poses that are on no such orbit become calibrated poses.
/// @throws InputError naming the view whose pose is unusable by itself
/// Tests: tests/core/geometry/pose_exchange_test.cpp
[[nodiscard]] ScanGeometry geometryThrough(const std::vector<ViewPose>& poses, Index columns,
                                           Index rows, const std::string& where);

}  // namespace gantry
