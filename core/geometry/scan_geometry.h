#pragma once

#include <array>
#include <variant>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/vec3.h"
#include "core/geometry/views/angle_list.h"
#include "core/geometry/views/calibrated_poses.h"
#include "core/geometry/views/view_pose.h"

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
    double tiltDeg = 0;   ///< about u; positive moves the upper edge away from the source; for a
                          ///< parallel beam see ParallelBeam
    double slantDeg = 0;  ///< about v; positive moves the right edge away from the source

    friend bool operator==(const Detector&, const Detector&) = default;
};

/// The gantry angles of a scan's views.
struct GantryAngles {
    double startDeg = 0;
    double arcDeg = 360;  ///< negative: clockwise seen from +z
    Index views = 0;
    std::vector<double> anglesDeg;  ///< listed angles, one a view; replaces startDeg and arcDeg

    /// Implements ScanGeometry's function of this name.
    [[nodiscard]] double angleDeg(Index s) const;

    friend bool operator==(const GantryAngles&, const GantryAngles&) = default;
};

/// A circular cone-beam orbit (resources/help/architecture.md): at gantry angle θ the source is at
/// SOD·(sinθ, −cosθ, 0) plus its offset, the detector's centre at −(SDD−SOD)·(sinθ, −cosθ, 0) plus
/// its offset. Offsets are along the gantry's u = (cosθ, sinθ, 0) and v = (0, 0, 1).
/// The detector's axes are those of the gantry rotated about the detector's centre, first by the
/// slant, then the tilt, then the roll, each about the detector's own axis: as a matrix whose
/// columns are (u, v, n) in gantry axes, Rv(slant)·Ru(tilt)·Rn(roll), n pointing from the source.
struct CircularCone : GantryAngles {
    double sourceToIsocenterMm = 0;  ///< SOD
    double sourceToDetectorMm = 0;   ///< SDD
    std::array<double, 2> sourceOffsetMm = {0, 0};

    /// These implement ScanGeometry's functions of the same names.
    [[nodiscard]] double coverageDeg() const;
    [[nodiscard]] double magnification() const { return sourceToDetectorMm / sourceToIsocenterMm; }

    friend bool operator==(const CircularCone&, const CircularCone&) = default;
};

/// Parallel rays about the axis, for example of a synchrotron. At gantry angle θ they run along the
/// detector's normal: (−sinθ, cosθ, 0) for a detector without tilt. A tilt turns beam and detector
/// together about u, so that the rotation axis leans along the beam by that angle (laminography).
/// The roll turns the detector about the beam: the axis leans by it in the detector's plane. There
/// is no slant. The detector's offset is along the gantry's u and along v as tilted; its position
/// along the beam has no effect and is not stored. Opposite views are each other's mirror images,
/// so half a turn closes as a whole one does.
struct ParallelBeam : GantryAngles {
    /// These implement ScanGeometry's functions of the same names.
    [[nodiscard]] double coverageDeg() const;
    [[nodiscard]] static double magnification() { return 1; }

    friend bool operator==(const ParallelBeam&, const ParallelBeam&) = default;
};

/// How source and detector move. Each kind has its own fields in a scan's file, its own editor and
/// its own checks; core/geometry/views/aligned_views.h converts it to the form that every later
/// stage takes.
using Trajectory = std::variant<CircularCone, CalibratedPoses, ParallelBeam>;

/// A scan's geometry as it is declared: nothing rectified, padded or left out.
/// Tests: tests/core/geometry/scan_geometry_test.cpp
struct ScanGeometry {
    Trajectory trajectory;
    Detector detector;  ///< beside calibrated poses: see geometryOfPoses()

    /// For code that edits, draws or writes circular cones.
    /// @throws std::bad_variant_access for another trajectory: see isCone()
    [[nodiscard]] CircularCone& cone() { return std::get<CircularCone>(trajectory); }
    [[nodiscard]] const CircularCone& cone() const { return std::get<CircularCone>(trajectory); }

    [[nodiscard]] bool isCone() const { return std::holds_alternative<CircularCone>(trajectory); }
    /// The poses of the views; null if they follow from angles.
    [[nodiscard]] const CalibratedPoses* poses() const {
        return std::get_if<CalibratedPoses>(&trajectory);
    }
    [[nodiscard]] bool isParallel() const {
        return std::holds_alternative<ParallelBeam>(trajectory);
    }
    /// Whether rays are parallel and the rotation axis leans along them.
    [[nodiscard]] bool isLaminography() const { return isParallel() && detector.tiltDeg != 0; }

    /// The angles that a cone or a parallel beam is declared with.
    [[nodiscard]] bool hasAngles() const { return poses() == nullptr; }
    /// @throws InternalError for calibrated poses
    [[nodiscard]] GantryAngles& angles();
    [[nodiscard]] const GantryAngles& angles() const;

    [[nodiscard]] Index views() const;
    /// Gantry angle of view s: startDeg + s·arcDeg/views, the listed one, or that of the view's
    /// source about the axis fitted to all poses.
    [[nodiscard]] double angleDeg(Index s) const;
    /// The angle covered, counting each view's share: |arcDeg|, or for listed angles 360 if they
    /// close a circle (the gap that they leave is under 1.5 mean steps), 180 if parallel rays close
    /// half a one, otherwise their span plus one mean step; above 360 only if the scan goes round
    /// more than once.
    [[nodiscard]] double coverageDeg() const;
    /// Whether the scan covers whole turns: the arc lacks at most half a step of 360°.
    [[nodiscard]] bool isFullCircle() const;
    /// Whether parallel rays cover half a turn, to half a step: every ray is measured once.
    [[nodiscard]] bool isHalfCircle() const;
    /// The angle after which the views repeat: the whole turns of a full circle, 180 for a half
    /// one; 0 for an open arc.
    [[nodiscard]] double closesAfterDeg() const;
    /// The magnification at the isocentre.
    [[nodiscard]] double magnification() const;
    /// Detector column of the rotation axis' projection, and row of the source's height, for a
    /// detector without roll, tilt and slant.
    [[nodiscard]] double axisColumn() const;
    [[nodiscard]] double midplaneRow() const;
    /// Whether its views need no correction of roll, tilt or slant: also for calibrated poses,
    /// which stay on their own detectors. The tilt of a parallel beam is the beam's and does not
    /// count.
    [[nodiscard]] bool isAligned() const;

    friend bool operator==(const ScanGeometry&, const ScanGeometry&) = default;
};

[[nodiscard]] ViewPose viewPose(const ScanGeometry& geometry, Index view);
/// The same at any gantry angle; for calibrated poses that of their mean circle.
[[nodiscard]] ViewPose viewPoseAt(const ScanGeometry& geometry, double angleDeg);

/// Each view's share of the arc in radians, by the trapezoid rule over sorted angles (a closed
/// circle goes round; beyond the ends of an open arc the mean step counts). Their sum is the
/// coverage. This is the Δβ of FDK.
[[nodiscard]] std::vector<double> angularWeightsRad(const ScanGeometry& geometry);

/// The same if the views numbered `leftOut` are removed, which get 0. Their part of the arc goes to
/// their nearest neighbours on either side, more to the nearer one, by the trapezoid rule; a closed
/// circle goes round. So the coverage stays the same: a full circle remains one, whichever views it
/// lacks.
/// leftOut: within [0, views), not all of them
/// Tests: tests/core/geometry/left_out_views_test.cpp
[[nodiscard]] std::vector<double> angularWeightsRad(const ScanGeometry& geometry,
                                                    const std::vector<Index>& leftOut);

/// The pose with its detector moved along its own axes and rotated about them, in the same way as
/// in CircularCone: by the correction's offset, roll, tilt and slant.
[[nodiscard]] ViewPose corrected(const ViewPose& pose, const Detector& correction);

/// A scan with an individual pose for each view. The detector's pitch becomes the mean one. Its
/// offset, roll, tilt and slant begin at 0; setting them moves and rotates every pose's detector
/// along and about its own axes, which corrects a calibration as a whole.
[[nodiscard]] ScanGeometry geometryOfPoses(std::vector<ViewPose> poses, Index columns, Index rows);

/// The detector onto which a scan's views are resampled to make them upright: without roll, tilt
/// and slant; a parallel beam keeps its tilt.
[[nodiscard]] Detector uprightDetector(const ScanGeometry& geometry);

/// The mean circle of calibrated poses as a circular scan, which matches the world as far as its
/// axis is z; any other scan unchanged.
[[nodiscard]] ScanGeometry meanCircleOf(const ScanGeometry& geometry);

}  // namespace gantry
