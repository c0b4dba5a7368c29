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
    /// Whether the first row of the program's images is the top one; none: the file does not define
    /// it.
    std::optional<bool> firstRowIsTop;
    std::optional<bool> isMirrored = {};  ///< whether left and right are swapped
};

/// Properties of the images to which a geometry file belongs, for those that the file lacks.
struct ImagesOfGeometry {
    Index columns = 0;
    Index rows = 0;
    std::array<double, 2> pitchMm = {0, 0};
    /// Position of an image's centre along u and v, as the image's own header gives it.
    std::array<double, 2> middleMm = {0, 0};
};

// The readers return a circular orbit if its sources and detector corners are where the file has
// them, to 1e-9 mm for files with the 15 digits that RTK writes; otherwise calibrated poses. They
// check nothing else: see validate.h. The writers write all digits of a double, so that reading the
// file gives the same values.

/// RTK's ThreeDCircularGeometry XML, versions 2 and 3. RTK's axes are X=x, Y=−z, Z=y; the detector
/// is flat; and a projection inherits the tags that it lacks from the one before. The XML contains
/// neither the detector's size nor its pitch; the images have them, and their centre's position is
/// added to the projection's offset, as in RTK. A Matrix that differs from its projection's
/// parameters by more than 0.001, a cylindrical detector, a parallel beam and unknown tags are
/// refused; the collimation is ignored, because it changes no position.
/// @throws InputError naming the file, the projection and the value, if it is malformed
/// Tests: tests/core/geometry/rtk_geometry_test.cpp
[[nodiscard]] ScanGeometry readRtkGeometry(const std::filesystem::path& path,
                                           const ImagesOfGeometry& images);
/// Writes version 3, with a Matrix in every projection. RTK rotates source and detector together,
/// so a roll or tilt of the detector becomes its in-plane and out-of-plane angle, and the source's
/// position its source offset; a slant becomes a shift of the gantry angle. For calibrated poses,
/// every projection has all parameters.
/// @throws InputError if the pixel pitch differs from view to view, which images cannot express
[[nodiscard]] std::string toRtkXml(const ScanGeometry& geometry);

/// ASTRA's cone_vec: a text file of twelve numbers a view (source, detector centre, u step, v step;
/// mm here), separated by blanks or commas, a view a line; # begins a comment. The pitch is in the
/// vectors; the size comes from `columns` and `rows`. ASTRA's v begins at row 0: if v points down,
/// seen from the source with u to the right, row 0 is the top row. On a circle, a u that points
/// left with a v that points up means that the images are mirrored. A file with a comment that
/// names parallel3d_vec has the direction of the rays in place of the source; a parallel beam is
/// written in this form.
/// @throws InputError naming the file and the line, if it is malformed
/// Tests: tests/core/geometry/astra_vectors_test.cpp
[[nodiscard]] ExchangedGeometry readAstraVectors(const std::filesystem::path& path, Index columns,
                                                 Index rows);
[[nodiscard]] std::string toAstraVectors(const ExchangedGeometry& exchanged);

/// LEAP's parameter file, "name = value" lines with current or older names: a cone beam on a flat
/// detector (tau, tiltAngle, any angles), or a modular beam, which has a pose for each view. LEAP's
/// axes are the same as ours; row 0 is the lowest if v runs up. The volume's parameters are
/// ignored.
/// @throws InputError naming the line, for other geometries, a curved detector, a helix, and counts
/// that do not match
/// Tests: tests/core/geometry/leap_parameters_test.cpp
[[nodiscard]] ExchangedGeometry readLeapParameters(const std::filesystem::path& path);
/// Whether a text is a LEAP file: it names a geometry as these files do.
[[nodiscard]] bool isLeapText(std::string_view text);

/// Fits a circular orbit to poses. The detector's normal defines the gantry angle, so the fitted
/// detector has no slant; poses of a slanted detector are expressed by other values that give the
/// same positions. Equally spaced angles (to 1e-11°) become startDeg in [0, 360) and arcDeg, others
/// a list. Roll and tilt are 0 if that fits as well. The residual of the source and of the
/// detector's corners may be 0.01 of a pixel, for files with few digits; values are the medians of
/// all views.
/// @throws InputError naming the view and what deviates, or what makes its pose unusable
/// Tests: tests/core/geometry/circular_fit_test.cpp
[[nodiscard]] ScanGeometry circularGeometry(const std::vector<ViewPose>& poses, Index columns,
                                            Index rows, const std::string& where);

/// Fits a parallel beam about z to poses, with the same tolerance.
/// @throws InputError naming the first view whose residual is larger
/// Tests: tests/core/geometry/astra_vectors_test.cpp
[[nodiscard]] ScanGeometry parallelGeometry(const std::vector<ViewPose>& poses, Index columns,
                                            Index rows, const std::string& where);

/// Fits a circular orbit like circularGeometry(), but returns calibrated poses where none fits.
/// @throws InputError naming the view whose pose is unusable by itself
/// Tests: tests/core/geometry/pose_exchange_test.cpp
[[nodiscard]] ScanGeometry orbitOrPoses(const std::vector<ViewPose>& poses, Index columns,
                                        Index rows, const std::string& where);

}  // namespace gantry
