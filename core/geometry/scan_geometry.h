#pragma once

#include <array>
#include <variant>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/angle_list.h"
#include "core/geometry/calibrated_poses.h"
#include "core/geometry/vec3.h"
#include "core/geometry/view_pose.h"

namespace gantry {

/// A flat detector of columns × rows pixels. Pixel (u, v) has its centre at
/// ((u − (columns−1)/2)·pitch[0], (v − (rows−1)/2)·pitch[1]) from the detector's centre, along the
/// detector's own u and v axes; v runs up.
struct Detector {
    Index columns = 0;
    Index rows = 0;
    std::array<double, 2> pitchMm = {0, 0};   ///< along u, along v
    std::array<double, 2> offsetMm = {0, 0};  ///< of the detector's centre, along gantry u and v
    double rollDeg = 0;   ///< about the detector's normal; positive rotates u towards v
    double tiltDeg = 0;   ///< about u; positive moves the upper edge away from the source; of a
                          ///< parallel beam with the beam: see ParallelBeam
    double slantDeg = 0;  ///< about v; positive moves the right edge away from the source

    friend bool operator==(const Detector&, const Detector&) = default;
};

/// At what gantry angles the views of a scan were taken.
struct GantryAngles {
    double startDeg = 0;
    double arcDeg = 360;  ///< negative: clockwise seen from +z
    Index views = 0;
    std::vector<double> anglesDeg;  ///< listed angles, one a view; replaces startDeg and arcDeg

    /// Of ScanGeometry's function of this name.
    [[nodiscard]] double angleDeg(Index s) const;

    friend bool operator==(const GantryAngles&, const GantryAngles&) = default;
};

/// A circular cone-beam orbit (DESIGN.md section 1): at gantry angle θ the source is at
/// SOD·(sinθ, −cosθ, 0) plus its offset, the detector's centre at −(SDD−SOD)·(sinθ, −cosθ, 0) plus
/// its offset. Offsets are along the gantry's u = (cosθ, sinθ, 0) and v = (0, 0, 1).
/// The detector's axes are those of the gantry rotated about the detector's centre, first by the
/// slant, then the tilt, then the roll, each about the detector's own axis: as a matrix whose
/// columns are (u, v, n) in gantry axes, Rv(slant)·Ru(tilt)·Rn(roll), n pointing from the source.
struct CircularCone : GantryAngles {
    double sourceToIsocenterMm = 0;  ///< SOD
    double sourceToDetectorMm = 0;   ///< SDD
    std::array<double, 2> sourceOffsetMm = {0, 0};

    /// Of ScanGeometry's functions of these names.
    [[nodiscard]] double coverageDeg() const;
    [[nodiscard]] double magnification() const { return sourceToDetectorMm / sourceToIsocenterMm; }

    friend bool operator==(const CircularCone&, const CircularCone&) = default;
};

/// Parallel rays about the axis, as of a synchrotron. At gantry angle θ they run along the
/// detector's normal: (−sinθ, cosθ, 0) where the detector has no tilt. A tilt turns beam and
/// detector together about u, so that the rotation axis leans along the beam by it (laminography).
/// The roll turns the detector about the beam: the axis leans by it in the detector's plane. There
/// is no slant. The detector's offset is along the gantry's u and along v as tilted; where along
/// the beam it stands is not said, as it changes nothing. Opposite views are each other's mirror
/// images, so that half a turn closes as a whole one does.
struct ParallelBeam : GantryAngles {
    /// Of ScanGeometry's functions of these names.
    [[nodiscard]] double coverageDeg() const;
    [[nodiscard]] static double magnification() { return 1; }

    friend bool operator==(const ParallelBeam&, const ParallelBeam&) = default;
};

/// How source and detector move. Each kind has its own fields in a scan's file, its own editor and
/// its own checks; core/geometry/aligned_views.h makes of it what every later stage takes.
using Trajectory = std::variant<CircularCone, CalibratedPoses, ParallelBeam>;

/// A scan's geometry as it is declared: nothing rectified, padded or left out.
/// Tests: tests/core/geometry/scan_geometry_test.cpp
struct ScanGeometry {
    Trajectory trajectory;
    Detector detector;  ///< beside calibrated poses: see geometryOfPoses()

    /// For what edits, draws or writes circular cones.
    /// @throws std::bad_variant_access where it is another trajectory: see isCone()
    [[nodiscard]] CircularCone& cone() { return std::get<CircularCone>(trajectory); }
    [[nodiscard]] const CircularCone& cone() const { return std::get<CircularCone>(trajectory); }

    [[nodiscard]] bool isCone() const { return std::holds_alternative<CircularCone>(trajectory); }
    /// The poses of the views, none where they follow from angles.
    [[nodiscard]] const CalibratedPoses* poses() const {
        return std::get_if<CalibratedPoses>(&trajectory);
    }
    [[nodiscard]] bool isParallel() const {
        return std::holds_alternative<ParallelBeam>(trajectory);
    }
    /// Parallel rays whose rotation axis leans along the beam.
    [[nodiscard]] bool isLaminography() const { return isParallel() && detector.tiltDeg != 0; }

    /// The angles that a cone or a parallel beam is declared with.
    [[nodiscard]] bool hasAngles() const { return poses() == nullptr; }
    /// @throws InternalError of calibrated poses
    [[nodiscard]] GantryAngles& angles();
    [[nodiscard]] const GantryAngles& angles() const;

    [[nodiscard]] Index views() const;
    /// Gantry angle of view s: startDeg + s·arcDeg/views, the listed one, or that of the view's
    /// source about the axis fitted to all poses.
    [[nodiscard]] double angleDeg(Index s) const;
    /// The angle covered, counting each view's share: |arcDeg|, or for listed angles 360 where they
    /// close a circle (the gap that they leave is under 1.5 mean steps), 180 where parallel rays
    /// close half a one, else their span plus one mean step; above 360 only where the scan goes
    /// round more than once.
    [[nodiscard]] double coverageDeg() const;
    /// Covers whole turns: the arc lacks at most half a step of 360°.
    [[nodiscard]] bool isFullCircle() const;
    /// Parallel rays over half a turn, to half a step: every ray is measured once.
    [[nodiscard]] bool isHalfCircle() const;
    /// After which angle the views begin anew: the whole turns of a full circle, 180 of a half one;
    /// 0 of an open arc.
    [[nodiscard]] double closesAfterDeg() const;
    /// Of the isocentre.
    [[nodiscard]] double magnification() const;
    /// Detector column of the rotation axis' projection, and row of the source's height, for a
    /// detector without roll, tilt and slant.
    [[nodiscard]] double axisColumn() const;
    [[nodiscard]] double midplaneRow() const;
    /// A full circle whose axis' projection lies more than 5 % of the columns off the detector's
    /// middle: well above how far off a centred detector may be mounted, well below what is worth
    /// an offset. Not in laminography, where no ray has a second one that runs back along it.
    [[nodiscard]] bool hasOffsetDetector() const;
    /// No roll, tilt or slant has to be taken out of its views: also of calibrated poses, which
    /// stay on their own detectors, and not the tilt of a parallel beam, which is the beam's.
    [[nodiscard]] bool isAligned() const;

    friend bool operator==(const ScanGeometry&, const ScanGeometry&) = default;
};

[[nodiscard]] ViewPose viewPose(const ScanGeometry& geometry, Index view);
/// The same at any gantry angle; of calibrated poses that of their mean circle.
[[nodiscard]] ViewPose viewPoseAt(const ScanGeometry& geometry, double angleDeg);

/// Each view's share of the arc in radians, by the trapezoid rule over sorted angles (a closed
/// circle goes round; beyond the ends of an open arc the mean step counts). Their sum is the
/// coverage. This is the Δβ of FDK.
[[nodiscard]] std::vector<double> angularWeightsRad(const ScanGeometry& geometry);

/// The same where the views numbered `leftOut` are taken away, which get 0. What they stood for of
/// the arc goes to their nearest neighbours on either side, the more to the nearer one, as the
/// trapezoid rule has it; a closed circle goes round. So the coverage stays: a full circle remains
/// one, whichever of its views it lacks.
/// leftOut: within [0, views), not all of them
/// Tests: tests/core/geometry/left_out_views_test.cpp
[[nodiscard]] std::vector<double> angularWeightsRad(const ScanGeometry& geometry,
                                                    const std::vector<Index>& leftOut);

/// The pose with its detector moved along its own axes and turned about them, as CircularCone turns
/// it: by the correction's offset, roll, tilt and slant.
[[nodiscard]] ViewPose corrected(const ViewPose& pose, const Detector& correction);

/// A scan whose views are posed one by one. The detector's pitch becomes the mean one. Its offset,
/// roll, tilt and slant begin at 0; what they are set to moves and turns every pose's detector
/// along and about its own axes, which is how a calibration is corrected as a whole.
[[nodiscard]] ScanGeometry geometryOfPoses(std::vector<ViewPose> poses, Index columns, Index rows);

/// The detector that a scan's views are resampled onto where they are made upright: without roll,
/// tilt and slant; a parallel beam keeps its tilt.
[[nodiscard]] Detector uprightDetector(const ScanGeometry& geometry);

/// The mean circle of calibrated poses as a circular scan, which lies in the world as far as its
/// axis is z; any other scan as it is.
[[nodiscard]] ScanGeometry meanCircleOf(const ScanGeometry& geometry);

}  // namespace gantry
