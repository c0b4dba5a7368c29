#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/scan_geometry.h"
#include "core/geometry/views/projection_matrix.h"

namespace gantry {

/// The flat detector for which filter and back-projection are written: its v axis is parallel to
/// the rotation axis, and its position relative to source and axis is the same in every view. Pixel
/// (u, v) has its centre at ((u − (columns−1)/2)·pitch[0], (v − (rows−1)/2)·pitch[1]) + centerMm,
/// relative to the source's foot: the point of the detector plane nearest to the source (principal
/// point). For parallel rays it is relative to the projection of the origin.
struct AlignedDetector {
    Index columns = 0;
    Index rows = 0;
    std::array<double, 2> pitchMm = {0, 0};  ///< along u, along v
    /// Position of the centre of all pixels, relative to the source's foot.
    std::array<double, 2> centerMm = {0, 0};
    /// Position of the rotation axis' projection along u, relative to the source's foot.
    double axisMm = 0;
    /// Distance from the source to the detector along its normal; infinite for parallel rays.
    double distanceMm = 0;
    /// Distance from the source to the rotation axis, which is the depth that the matrices give
    /// there; 1 for parallel rays.
    double axisDistanceMm = 0;
    double pitchAtAxisMm = 0;  ///< width of a column, demagnified to the rotation axis

    /// The column of the rotation axis' projection, and the row of the mid-plane, which is the
    /// plane at the source's height.
    [[nodiscard]] double axisColumn() const;
    [[nodiscard]] double midplaneRow() const;
    /// The positions of a column and of a row, relative to the source's foot.
    [[nodiscard]] double columnMm(double u) const;
    [[nodiscard]] double rowMm(double v) const;
    [[nodiscard]] bool isParallel() const { return std::isinf(distanceMm); }

    friend bool operator==(const AlignedDetector&, const AlignedDetector&) = default;
};

/// Selects the rows along which views are filtered, and the weights.
enum class FilterRows {
    own,      ///< rows of the views' own detectors, with any roll, tilt and slant
    upright,  ///< rows of an upright detector, onto which views are resampled first
    rtk,      ///< rows of the views' own detectors, with the weights of RTK's FDK; for comparisons
};

/// The quantities in RTK's weights; mm, radians. See core/filter/fdk_weights.h.
struct RtkTerms {
    double tiltRad = 0;   ///< angle about the axis from the detector's normal to the source
    double sourceMm = 0;  ///< distance of the source from the origin
    double sourceToIsocenterMm = 0;
    double sourceToDetectorMm = 0;
    double originUMm = 0;  ///< position of the centre of all pixels, along RTK's u and v
    double originVMm = 0;

    friend bool operator==(const RtkTerms&, const RtkTerms&) = default;
};

/// The position of one view's own flat detector relative to its source and the rotation axis. The
/// components of vectors are along the detector's u, its v, and its normal away from the source.
struct ViewRays {
    /// Distance from the source to the detector along its normal; infinite for parallel rays.
    double distanceMm = 0;
    std::array<double, 2> pitchMm = {0, 0};
    std::array<double, 2> centerMm = {0, 0};     ///< as AlignedDetector::centerMm
    std::array<double, 3> toAxisMm = {0, 0, 0};  ///< perpendicular from the source to the axis
    /// The source's velocity in mm per radian of the gantry's rotation: its component in the
    /// detector's plane, and that along the normal. For parallel rays, the first number is the
    /// axis' component in the detector's plane, by which the rays turn more slowly than the gantry.
    std::array<double, 2> motionMm = {0, 0};
    std::optional<RtkTerms> rtk = {};  ///< only for FilterRows::rtk

    friend bool operator==(const ViewRays&, const ViewRays&) = default;
};

/// The views of a scan that are not left out, in the form that filter, planning and back-projection
/// take for every trajectory: all on the aligned detector, or each on its own detector.
struct AlignedViews {
    Index views = 0;
    AlignedDetector detector;                ///< the mean detector if views are on their own
    double midplaneMm = 0;                   ///< height (z) of the source
    std::vector<ProjectionMatrix> matrices;  ///< [s], world mm to pixels of the detector
    std::vector<double> anglesDeg;           ///< [s], of the gantry
    std::vector<double> weightsRad;          ///< [s], Δβ of FDK; their sum is the angle covered
    std::vector<ViewRays> rays;  ///< [s]; empty if all views are on the aligned detector

    /// Whether all views are on the aligned detector, so that u and depth are constant along z.
    [[nodiscard]] bool areAligned() const { return rays.empty(); }

    friend bool operator==(const AlignedViews&, const AlignedViews&) = default;
};

/// The options of alignedViews() and alignedDetector().
struct AlignOptions {
    /// Columns to add before the first and after the last one.
    Index padBefore = 0;
    Index padAfter = 0;
    /// Indices of views to leave out, which must not be all: see angularWeightsRad().
    std::vector<Index> leftOut{};
    /// With FilterRows::rtk, Δβ is computed from the sources' angles about z.
    FilterRows rows = FilterRows::upright;
};

/// Whether each view stays on its own detector. This is always so for calibrated poses, for a
/// parallel beam with a tilted axis, and with FilterRows::rtk; for other scans it is so if the
/// detector is not upright and `rows` is FilterRows::own.
[[nodiscard]] bool onOwnDetectors(const ScanGeometry& declared, FilterRows rows);

/// The virtual detector onto which core/prep/rectify.h resamples views: the scan's detector without
/// roll, tilt and slant. For calibrated poses, it is that of their mean circle.
[[nodiscard]] AlignedDetector alignedDetector(const ScanGeometry& declared,
                                              const AlignOptions& options = {});
/// The views on that detector, or on their own. Tests of both:
/// tests/core/geometry/aligned_views_test.cpp
[[nodiscard]] AlignedViews alignedViews(const ScanGeometry& declared,
                                        const AlignOptions& options = {});

}  // namespace gantry
