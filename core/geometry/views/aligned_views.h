#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/scan_geometry.h"
#include "core/geometry/views/projection_matrix.h"

namespace gantry {

/// The flat detector that filter and back-projection see: its v axis is parallel to the rotation
/// axis, and its position relative to source and axis is the same in every view. Pixel (u, v) has
/// its centre at ((u − (columns−1)/2)·pitch[0], (v − (rows−1)/2)·pitch[1]) + centerMm.
struct AlignedDetector {
    Index columns = 0;
    Index rows = 0;
    std::array<double, 2> pitchMm = {0, 0};  ///< along u, along v
    /// Position from the source's foot on the detector; for parallel rays from the origin's
    /// projection.
    std::array<double, 2> centerMm = {0, 0};
    double axisMm = 0;  ///< position of the rotation axis' projection along u, from the source's
                        ///< foot
    /// Distance from the source to the detector along its normal; infinite for parallel rays.
    double distanceMm = 0;
    /// Distance to the rotation axis: the depth that the matrices give there, 1 for parallel rays.
    double axisDistanceMm = 0;
    double pitchAtAxisMm = 0;  ///< a column's width at the rotation axis' depth

    /// Column of the rotation axis' projection, and row of the mid-plane, at the source's height.
    [[nodiscard]] double axisColumn() const;
    [[nodiscard]] double midplaneRow() const;
    /// Positions of a column and a row, from the source's foot.
    [[nodiscard]] double columnMm(double u) const;
    [[nodiscard]] double rowMm(double v) const;
    [[nodiscard]] bool isParallel() const { return std::isinf(distanceMm); }

    friend bool operator==(const AlignedDetector&, const AlignedDetector&) = default;
};

/// The rows along which views are filtered, and their weights.
enum class FilterRows {
    own,      ///< their own detectors', however these are rolled, tilted and slanted
    upright,  ///< those of an upright detector, onto which views are resampled first
    rtk,      ///< their own detectors', weighted as by RTK's FDK; for comparisons
};

/// The quantities in RTK's weights; mm, radians. See core/filter/fdk_weights.h.
struct RtkTerms {
    double tiltRad = 0;   ///< from the detector's normal to the source about the axis
    double sourceMm = 0;  ///< from the origin
    double sourceToIsocenterMm = 0;
    double sourceToDetectorMm = 0;
    double originUMm = 0;  ///< of the pixels' middle, in RTK's u and v
    double originVMm = 0;

    friend bool operator==(const RtkTerms&, const RtkTerms&) = default;
};

/// The position of one view's own flat detector relative to its source and the rotation axis;
/// lengths along the detector's u and v and its normal away from the source.
struct ViewRays {
    /// From the source along the normal to the detector; infinite for parallel rays.
    double distanceMm = 0;
    std::array<double, 2> pitchMm = {0, 0};
    std::array<double, 2> centerMm = {0, 0};     ///< of the pixels, as in AlignedDetector
    std::array<double, 3> toAxisMm = {0, 0, 0};  ///< from the source, perpendicular to the axis
    /// How the source moves as the gantry turns, mm a radian: along the detector, and along its
    /// normal. For parallel rays the axis' component along the detector: the factor by which they
    /// turn more slowly than the gantry in the plane of a row.
    std::array<double, 2> motionMm = {0, 0};
    std::optional<RtkTerms> rtk = {};  ///< if views are weighted as in RTK's FDK

    friend bool operator==(const ViewRays&, const ViewRays&) = default;
};

/// The views of a scan in the form that filter, planning and back-projection take, whatever the
/// trajectory: the used ones, on an aligned detector or each on its own.
struct AlignedViews {
    Index views = 0;
    AlignedDetector detector;                ///< the mean one if views are on their own detectors
    double midplaneMm = 0;                   ///< height (z) of the source
    std::vector<ProjectionMatrix> matrices;  ///< [s], world mm to pixels of the detector
    std::vector<double> anglesDeg;           ///< [s], of the gantry
    std::vector<double> weightsRad;          ///< [s], Δβ of FDK; their sum is the angle covered
    std::vector<ViewRays> rays;  ///< [s]; empty if all views are on the aligned detector

    /// u and depth are constant along z, and the detector is the same in every view.
    [[nodiscard]] bool areAligned() const { return rays.empty(); }

    friend bool operator==(const AlignedViews&, const AlignedViews&) = default;
};

/// How declared views are aligned.
struct AlignOptions {
    /// Columns to add before the first and after the last one.
    Index padBefore = 0;
    Index padAfter = 0;
    /// Numbers of views to leave out, not all of them: see angularWeightsRad().
    std::vector<Index> leftOut{};
    /// RTK's weights take Δβ from the sources' angles about z.
    FilterRows rows = FilterRows::upright;
};

/// Whether each view stays on its own detector: always for calibrated poses and a parallel beam
/// with a tilted axis, for others if the detector is not upright and is not to be made so.
[[nodiscard]] bool onOwnDetectors(const ScanGeometry& declared, FilterRows rows);

/// The virtual detector with the same pixels in the same position, without roll, tilt and slant,
/// onto which core/prep/rectify.h resamples views. For calibrated poses that of their mean circle.
[[nodiscard]] AlignedDetector alignedDetector(const ScanGeometry& declared,
                                              const AlignOptions& options = {});
/// The views on that detector. Tests of both: tests/core/geometry/aligned_views_test.cpp
[[nodiscard]] AlignedViews alignedViews(const ScanGeometry& declared,
                                        const AlignOptions& options = {});

}  // namespace gantry
