#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/projection_matrix.h"
#include "core/geometry/scan_geometry.h"

namespace gantry {

/// The flat detector that filter and back-projection see: its v axis is parallel to the rotation
/// axis, and it stands the same to source and axis in every view. Pixel (u, v) has its centre at
/// ((u − (columns−1)/2)·pitch[0], (v − (rows−1)/2)·pitch[1]) + centerMm.
struct AlignedDetector {
    Index columns = 0;
    Index rows = 0;
    std::array<double, 2> pitchMm = {0, 0};  ///< along u, along v
    /// From the source's foot on the detector; of parallel rays from where the origin is seen.
    std::array<double, 2> centerMm = {0, 0};
    double axisMm = 0;  ///< where the rotation axis is seen, along u from the source's foot
    /// From the source along the detector's normal to the detector: infinite of parallel rays.
    double distanceMm = 0;
    /// To the rotation axis: the depth that the matrices give there, which is 1 of parallel rays.
    double axisDistanceMm = 0;
    double pitchAtAxisMm = 0;  ///< a column's width in the rotation axis' depth

    /// Column on which the rotation axis is seen, and row of the mid-plane, the source's height.
    [[nodiscard]] double axisColumn() const;
    [[nodiscard]] double midplaneRow() const;
    /// Places of a column and a row, from the source's foot.
    [[nodiscard]] double columnMm(double u) const;
    [[nodiscard]] double rowMm(double v) const;
    [[nodiscard]] bool isParallel() const { return std::isinf(distanceMm); }

    friend bool operator==(const AlignedDetector&, const AlignedDetector&) = default;
};

/// Along which rows views are filtered, and how they are weighted.
enum class FilterRows {
    own,      ///< their own detectors', however these are rolled, tilted and slanted
    upright,  ///< those of an upright detector, onto which views are resampled first
    rtk,      ///< their own detectors', weighted as by RTK's FDK; for comparisons
};

/// What RTK's weights go by; mm, radians. See core/filter/fdk_weights.h.
struct RtkTerms {
    double tiltRad = 0;   ///< from the detector's normal to the source about the axis
    double sourceMm = 0;  ///< from the origin
    double sourceToIsocenterMm = 0;
    double sourceToDetectorMm = 0;
    double originUMm = 0;  ///< of the pixels' middle, as RTK counts u and v
    double originVMm = 0;

    friend bool operator==(const RtkTerms&, const RtkTerms&) = default;
};

/// How one view's own flat detector stands to its source and to the rotation axis; lengths along
/// the detector's u and v and its normal away from the source.
struct ViewRays {
    /// From the source along the normal to the detector; infinite of parallel rays.
    double distanceMm = 0;
    std::array<double, 2> pitchMm = {0, 0};
    std::array<double, 2> centerMm = {0, 0};     ///< of the pixels, as AlignedDetector's
    std::array<double, 3> toAxisMm = {0, 0, 0};  ///< from the source at right angles to the axis
    /// How the source moves as the gantry turns, mm a radian: across, along the detector, and along
    /// its normal. Of parallel rays the axis' share along the detector: so much slower than the
    /// gantry do they turn in the plane of a row.
    std::array<double, 2> motionMm = {0, 0};
    std::optional<RtkTerms> rtk = {};  ///< where views are weighted as RTK's FDK does

    friend bool operator==(const ViewRays&, const ViewRays&) = default;
};

/// The views of a scan as filter, planning and back-projection take them, whatever trajectory they
/// were declared with: those that are used, on an aligned detector, or each on its own.
struct AlignedViews {
    Index views = 0;
    AlignedDetector detector;                ///< of views on their own detectors the mean one
    double midplaneMm = 0;                   ///< height (z) of the source
    std::vector<ProjectionMatrix> matrices;  ///< [s], world mm to pixels of the detector
    std::vector<double> anglesDeg;           ///< [s], of the gantry
    std::vector<double> weightsRad;          ///< [s], Δβ of FDK; their sum is the angle covered
    std::vector<ViewRays> rays;  ///< [s]; empty where all views are on the aligned detector

    /// u and depth are constant along z, and the detector is the same in every view.
    [[nodiscard]] bool areAligned() const { return rays.empty(); }

    friend bool operator==(const AlignedViews&, const AlignedViews&) = default;
};

/// What becomes of declared views when they are aligned.
struct AlignOptions {
    /// Columns to add before the first and after the last one.
    Index padBefore = 0;
    Index padAfter = 0;
    /// Numbers of views to leave out, not all of them: see angularWeightsRad().
    std::vector<Index> leftOut{};
    /// RTK's weights take Δβ from the sources' angles about z.
    FilterRows rows = FilterRows::upright;
};

/// Whether the views stay on detectors of their own: calibrated poses always, as a parallel beam
/// whose axis is tilted, others where their detector is not upright, unless it is to be made so.
[[nodiscard]] bool onOwnDetectors(const ScanGeometry& declared, FilterRows rows);

/// The virtual detector of the same pixels in the same place, without roll, tilt and slant: what
/// core/prep/rectify.h resamples views onto. Of calibrated poses that of their mean circle.
[[nodiscard]] AlignedDetector alignedDetector(const ScanGeometry& declared,
                                              const AlignOptions& options = {});
/// Its views. Tests of both: tests/core/geometry/aligned_views_test.cpp
[[nodiscard]] AlignedViews alignedViews(const ScanGeometry& declared,
                                        const AlignOptions& options = {});

}  // namespace gantry
