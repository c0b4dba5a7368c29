#include "core/geometry/views/aligned_views.h"

#include <limits>

#include "core/base/error.h"
#include "core/geometry/exchange/rtk_projection.h"
#include "core/geometry/views/angle_list.h"

namespace gantry {

namespace {

// Position of pixel i of `pixels`, from the source's foot.
double fromFootMm(double i, Index pixels, double pitchMm, double centerMm) {
    const double center = (static_cast<double>(pixels) - 1) / 2;
    return (i - center) * pitchMm + centerMm;
}

// The scan, or the mean circle of its poses, with its detector rectified and padded.
ScanGeometry rectified(const ScanGeometry& declared, const AlignOptions& options) {
    ScanGeometry geometry = meanCircleOf(declared);
    Detector& detector = geometry.detector;
    detector = uprightDetector(geometry);
    detector.columns += options.padBefore + options.padAfter;
    detector.offsetMm[0] +=
        static_cast<double>(options.padAfter - options.padBefore) / 2 * detector.pitchMm[0];
    return geometry;
}

AlignedDetector detectorOf(const CircularCone& cone, const Detector& from) {
    const std::array<double, 2>& sourceMm = cone.sourceOffsetMm;
    AlignedDetector detector;
    detector.columns = from.columns;
    detector.rows = from.rows;
    detector.pitchMm = from.pitchMm;
    detector.centerMm = {from.offsetMm[0] - sourceMm[0], from.offsetMm[1] - sourceMm[1]};
    detector.distanceMm = cone.sourceToDetectorMm;
    detector.axisDistanceMm = cone.sourceToIsocenterMm;
    detector.axisMm = -sourceMm[0] * cone.magnification();
    detector.pitchAtAxisMm = from.pitchMm[0] / cone.magnification();
    return detector;
}

AlignedDetector detectorOf(const ParallelBeam&, const Detector& from) {
    AlignedDetector detector;
    detector.columns = from.columns;
    detector.rows = from.rows;
    detector.pitchMm = from.pitchMm;
    detector.centerMm = from.offsetMm;
    detector.distanceMm = std::numeric_limits<double>::infinity();
    detector.axisDistanceMm = 1;
    detector.pitchAtAxisMm = from.pitchMm[0];
    return detector;
}

AlignedDetector detectorOf(const CalibratedPoses&, const Detector&) {
    throw InternalError("poses have no detector that is the same in every view");
}

// A view's own detector, including the columns that are added to it.
ViewRays raysOf(const ViewPose& pose, Vec3 toAxis, Vec3 axis) {
    const Vec3 u = (1 / length(pose.uStepMm)) * pose.uStepMm;
    const Vec3 v = (1 / length(pose.vStepMm)) * pose.vStepMm;
    const Vec3 n = cross(v, u);
    if (pose.isParallel)
        return {std::numeric_limits<double>::infinity(),
                {length(pose.uStepMm), length(pose.vStepMm)},
                {dot(pose.detectorCenterMm, u), dot(pose.detectorCenterMm, v)},
                {},
                {std::hypot(u.z, v.z), 0}};
    const Vec3 motion = cross(toAxis, axis);
    const Vec3 center = pose.detectorCenterMm - pose.sourceMm;
    return {dot(center, n),
            {length(pose.uStepMm), length(pose.vStepMm)},
            {dot(center, u), dot(center, v)},
            {dot(toAxis, u), dot(toAxis, v), dot(toAxis, n)},
            {std::hypot(dot(motion, u), dot(motion, v)), dot(motion, n)}};
}

RtkTerms rtkTermsOf(const ViewPose& pose) {
    const RtkProjection projection = rtkProjection(pose);
    const double sourceDeg = degrees(std::atan2(pose.sourceMm.x, -pose.sourceMm.y));
    return {radians(std::remainder(sourceDeg - projection.gantryDeg, 360)),
            length(pose.sourceMm),
            projection.sourceToIsocenter,
            projection.sourceToDetector,
            projection.projectionOffsetX,
            projection.projectionOffsetY - projection.sourceOffsetY};
}

// Gantry angles of the sources about z, and their shares of the arc.
void takeRtkAngles(const ScanGeometry& declared, std::vector<double>& anglesDeg,
                   std::vector<double>& weightsRad) {
    anglesDeg.clear();
    for (Index s = 0; s < declared.views(); ++s) {
        const Vec3 source = viewPose(declared, s).sourceMm;
        const double angle = degrees(std::atan2(source.x, -source.y));
        anglesDeg.push_back(angle < 0 ? angle + 360 : angle);
    }
    anglesDeg = angleListOf(anglesDeg);
    weightsRad = listedSharesRad(anglesDeg, ClosedBy::wholeTurn);
}

Vec3 toAxisOf(const ScanGeometry& geometry, const ViewPose& pose) {
    if (const CalibratedPoses* poses = geometry.poses())
        return poses->meanCircle().toAxis(pose.sourceMm);
    return {-pose.sourceMm.x, -pose.sourceMm.y, 0};
}

Vec3 axisOf(const ScanGeometry& geometry) {
    if (const CalibratedPoses* poses = geometry.poses()) return poses->meanCircle().axes[2];
    return {0, 0, 1};
}

// The pose of a detector with columns added before the first and after the last one.
ViewPose padded(ViewPose pose, const AlignOptions& options) {
    pose.detectorCenterMm =
        pose.detectorCenterMm +
        static_cast<double>(options.padAfter - options.padBefore) / 2 * pose.uStepMm;
    return pose;
}

}  // namespace

double AlignedDetector::axisColumn() const {
    return (static_cast<double>(columns) - 1) / 2 + (axisMm - centerMm[0]) / pitchMm[0];
}

double AlignedDetector::midplaneRow() const {
    return (static_cast<double>(rows) - 1) / 2 - centerMm[1] / pitchMm[1];
}

double AlignedDetector::columnMm(double u) const {
    return fromFootMm(u, columns, pitchMm[0], centerMm[0]);
}

double AlignedDetector::rowMm(double v) const {
    return fromFootMm(v, rows, pitchMm[1], centerMm[1]);
}

bool onOwnDetectors(const ScanGeometry& declared, FilterRows rows) {
    return rows == FilterRows::rtk || declared.poses() != nullptr || declared.isLaminography() ||
           (rows == FilterRows::own && !declared.isAligned());
}

AlignedDetector alignedDetector(const ScanGeometry& declared, const AlignOptions& options) {
    const ScanGeometry geometry = rectified(declared, options);
    return std::visit([&](const auto& kind) { return detectorOf(kind, geometry.detector); },
                      geometry.trajectory);
}

AlignedViews alignedViews(const ScanGeometry& declared, const AlignOptions& options) {
    const ScanGeometry geometry = rectified(declared, options);
    const bool asRtk = options.rows == FilterRows::rtk;
    std::vector<double> anglesDeg;
    std::vector<double> weightsRad = angularWeightsRad(declared, options.leftOut);
    for (Index s = 0; s < declared.views(); ++s)
        anglesDeg.push_back(declared.angleDeg(s));
    if (asRtk) takeRtkAngles(declared, anglesDeg, weightsRad);
    std::vector<bool> isLeftOut(geometry.views());
    for (const Index view : options.leftOut)
        isLeftOut[view] = true;
    AlignedViews aligned;
    aligned.detector = alignedDetector(declared, options);
    if (geometry.isCone()) aligned.midplaneMm = geometry.cone().sourceOffsetMm[1];
    const bool onOwn = onOwnDetectors(declared, options.rows);
    const bool isDeclared = declared.poses() || options.rows != FilterRows::upright;
    const std::size_t kept = isLeftOut.size() - options.leftOut.size();
    aligned.matrices.reserve(kept);
    aligned.anglesDeg.reserve(kept);
    aligned.weightsRad.reserve(kept);
    for (Index s = 0; s < geometry.views(); ++s) {
        const auto i = static_cast<std::size_t>(s);
        if (isLeftOut[i]) continue;
        if (onOwn) {
            const ViewPose pose =
                isDeclared ? padded(viewPose(declared, s), options) : viewPose(geometry, s);
            aligned.matrices.push_back(projectionMatrix(pose, geometry.detector));
            aligned.rays.push_back(raysOf(pose, toAxisOf(declared, pose), axisOf(declared)));
            if (asRtk) aligned.rays.back().rtk = rtkTermsOf(pose);
        } else {
            aligned.matrices.push_back(projectionMatrix(viewPose(geometry, s), geometry.detector));
        }
        aligned.anglesDeg.push_back(anglesDeg[i]);
        aligned.weightsRad.push_back(weightsRad[i]);
    }
    aligned.views = std::ssize(aligned.matrices);
    return aligned;
}

}  // namespace gantry
