#include "core/geometry/scan_geometry.h"

#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/geometry/views/aligned_views.h"

namespace gantry {

namespace {

Index viewsOf(const GantryAngles& angles) {
    return angles.views;
}
Index viewsOf(const CalibratedPoses& poses) {
    return poses.views();
}

}  // namespace

double GantryAngles::angleDeg(Index s) const {
    if (!anglesDeg.empty()) return anglesDeg[s];
    return startDeg + static_cast<double>(s) * arcDeg / static_cast<double>(views);
}

double CircularCone::coverageDeg() const {
    if (anglesDeg.empty()) return std::abs(arcDeg);
    return listedCoverageDeg(anglesDeg, ClosedBy::wholeTurn);
}

double ParallelBeam::coverageDeg() const {
    if (anglesDeg.empty()) return std::abs(arcDeg);
    return listedCoverageDeg(anglesDeg, ClosedBy::halfTurn);
}

GantryAngles& ScanGeometry::angles() {
    if (auto* beam = std::get_if<ParallelBeam>(&trajectory)) return *beam;
    require(isCone(), "calibrated poses were asked for their arc");
    return cone();
}

const GantryAngles& ScanGeometry::angles() const {
    return const_cast<ScanGeometry*>(this)->angles();
}

Index ScanGeometry::views() const {
    return std::visit([](const auto& kind) { return viewsOf(kind); }, trajectory);
}

double ScanGeometry::angleDeg(Index s) const {
    return std::visit([s](const auto& kind) { return kind.angleDeg(s); }, trajectory);
}

double ScanGeometry::coverageDeg() const {
    return std::visit([](const auto& kind) { return kind.coverageDeg(); }, trajectory);
}

bool ScanGeometry::isFullCircle() const {
    const double coverage = coverageDeg();
    return coverage + coverage / static_cast<double>(2 * views()) >= 360;
}

bool ScanGeometry::isHalfCircle() const {
    const double coverage = coverageDeg();
    return isParallel() &&
           std::abs(coverage - 180) <= coverage / static_cast<double>(2 * views()) + 1e-9;
}

double ScanGeometry::closesAfterDeg() const {
    if (isFullCircle()) return 360 * std::round(coverageDeg() / 360);
    return isHalfCircle() ? 180 : 0;
}

double ScanGeometry::magnification() const {
    return std::visit([](const auto& kind) { return kind.magnification(); }, trajectory);
}

double ScanGeometry::axisColumn() const {
    return alignedDetector(*this).axisColumn();
}

double ScanGeometry::midplaneRow() const {
    return alignedDetector(*this).midplaneRow();
}

bool ScanGeometry::isAligned() const {
    return poses() || detector == uprightDetector(*this);
}

namespace {

// Rv(slant)·Ru(tilt)·Rn(roll) applied to gantry axes u, v, n; n points away from the source.
struct Frame {
    Vec3 u;
    Vec3 v;
    Vec3 n;
};

// Rotates a towards b by the angle, in the plane that they span.
void rotate(Vec3& a, Vec3& b, double angleDeg) {
    const double c = std::cos(radians(angleDeg));
    const double s = std::sin(radians(angleDeg));
    const Vec3 rotated = c * a + s * b;
    b = c * b - s * a;
    a = rotated;
}

Frame detectorFrame(const Frame& gantry, const Detector& detector) {
    Frame frame = gantry;
    rotate(frame.u, frame.n, detector.slantDeg);
    rotate(frame.v, frame.n, detector.tiltDeg);
    rotate(frame.u, frame.v, detector.rollDeg);
    return frame;
}

ViewPose poseOf(const CircularCone& cone, const Detector& detector, double angleDeg) {
    const double angle = radians(angleDeg);
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const Frame gantry = {{c, s, 0}, {0, 0, 1}, {-s, c, 0}};
    const Frame frame = detectorFrame(gantry, detector);
    const auto at = [&](double u, double v, double n) {
        return u * gantry.u + v * gantry.v + n * gantry.n;
    };
    return {at(cone.sourceOffsetMm[0], cone.sourceOffsetMm[1], -cone.sourceToIsocenterMm),
            at(detector.offsetMm[0], detector.offsetMm[1],
               cone.sourceToDetectorMm - cone.sourceToIsocenterMm),
            detector.pitchMm[0] * frame.u, detector.pitchMm[1] * frame.v};
}

ViewPose viewOf(const CircularCone& cone, const Detector& detector, Index view) {
    return poseOf(cone, detector, cone.angleDeg(view));
}

ViewPose poseOf(const ParallelBeam&, const Detector& detector, double angleDeg) {
    const double angle = radians(angleDeg);
    Detector unrolled = detector;
    unrolled.rollDeg = 0;
    const Frame gantry = {
        {std::cos(angle), std::sin(angle), 0}, {0, 0, 1}, {-std::sin(angle), std::cos(angle), 0}};
    const Frame beam = detectorFrame(gantry, unrolled);
    const Frame frame = detectorFrame(gantry, detector);
    return {-1 * beam.n, detector.offsetMm[0] * beam.u + detector.offsetMm[1] * beam.v,
            detector.pitchMm[0] * frame.u, detector.pitchMm[1] * frame.v, true};
}

ViewPose viewOf(const ParallelBeam& beam, const Detector& detector, Index view) {
    return poseOf(beam, detector, beam.angleDeg(view));
}

bool isMoved(const Detector& detector) {
    return detector.offsetMm != std::array{0.0, 0.0} || detector.rollDeg != 0 ||
           detector.tiltDeg != 0 || detector.slantDeg != 0;
}

ViewPose viewOf(const CalibratedPoses& poses, const Detector& detector, Index view) {
    const ViewPose& pose = poses.poses()[view];
    return isMoved(detector) ? corrected(pose, detector) : pose;
}

ViewPose poseOf(const CalibratedPoses& poses, const Detector& detector, double angleDeg) {
    const ViewPose pose = poses.meanCircle().poseAt(angleDeg);
    return isMoved(detector) ? corrected(pose, detector) : pose;
}

// A mean circle as a scan in its own frame, whose axis is z.
ScanGeometry inOwnFrame(const MeanCircle& circle) {
    ScanGeometry geometry;
    CircularCone& cone = geometry.cone();
    cone.sourceToIsocenterMm = circle.mean.sourceToAxisMm;
    cone.sourceToDetectorMm = circle.mean.sourceToDetectorMm;
    cone.sourceOffsetMm = {0, circle.mean.sourceHeightMm};
    geometry.detector.pitchMm = circle.mean.pitchMm;
    geometry.detector.offsetMm = circle.mean.detectorOffsetMm;
    geometry.detector.rollDeg = circle.mean.rollDeg;
    geometry.detector.tiltDeg = circle.mean.tiltDeg;
    geometry.detector.slantDeg = circle.mean.slantDeg;
    return geometry;
}

std::vector<double> weightsOf(const GantryAngles& angles, double coverageDeg, ClosedBy closed) {
    const auto n = static_cast<std::size_t>(angles.views);
    if (angles.anglesDeg.size() < 2)
        return std::vector<double>(n, radians(coverageDeg) / static_cast<double>(n));
    return listedSharesRad(angles.anglesDeg, closed);
}

std::vector<double> weightsOf(const CircularCone& cone) {
    return weightsOf(cone, cone.coverageDeg(), ClosedBy::wholeTurn);
}

std::vector<double> weightsOf(const ParallelBeam& beam) {
    return weightsOf(beam, beam.coverageDeg(), ClosedBy::halfTurn);
}

std::vector<double> weightsOf(const CalibratedPoses& poses) {
    return listedSharesRad(poses.anglesDeg(), ClosedBy::wholeTurn);
}

}  // namespace

ViewPose corrected(const ViewPose& pose, const Detector& detector) {
    const double pitchU = length(pose.uStepMm);
    const double pitchV = length(pose.vStepMm);
    const Vec3 u = (1 / pitchU) * pose.uStepMm;
    const Vec3 v = (1 / pitchV) * pose.vStepMm;
    const Frame frame = detectorFrame({u, v, cross(v, u)}, detector);
    return {pose.sourceMm,
            pose.detectorCenterMm + detector.offsetMm[0] * u + detector.offsetMm[1] * v,
            pitchU * frame.u, pitchV * frame.v, pose.isParallel};
}

Detector uprightDetector(const ScanGeometry& geometry) {
    Detector upright = geometry.detector;
    upright.rollDeg = 0;
    if (!geometry.isParallel()) upright.tiltDeg = 0;
    upright.slantDeg = 0;
    return upright;
}

ViewPose viewPose(const ScanGeometry& geometry, Index view) {
    return std::visit([&](const auto& kind) { return viewOf(kind, geometry.detector, view); },
                      geometry.trajectory);
}

ViewPose viewPoseAt(const ScanGeometry& geometry, double angleDeg) {
    return std::visit([&](const auto& kind) { return poseOf(kind, geometry.detector, angleDeg); },
                      geometry.trajectory);
}

std::vector<double> angularWeightsRad(const ScanGeometry& geometry) {
    return std::visit([](const auto& kind) { return weightsOf(kind); }, geometry.trajectory);
}

ViewPose MeanCircle::poseAt(double angleDeg) const {
    const ScanGeometry own = inOwnFrame(*this);
    const ViewPose pose = poseOf(own.cone(), own.detector, angleDeg);
    const auto inWorld = [&](Vec3 a) { return a.x * axes[0] + a.y * axes[1] + a.z * axes[2]; };
    return {centerMm + inWorld(pose.sourceMm), centerMm + inWorld(pose.detectorCenterMm),
            inWorld(pose.uStepMm), inWorld(pose.vStepMm)};
}

ScanGeometry geometryOfPoses(std::vector<ViewPose> poses, Index columns, Index rows) {
    CalibratedPoses calibrated(std::move(poses));
    ScanGeometry geometry;
    geometry.detector.columns = columns;
    geometry.detector.rows = rows;
    geometry.detector.pitchMm = calibrated.meanCircle().mean.pitchMm;
    geometry.trajectory = std::move(calibrated);
    return geometry;
}

ScanGeometry meanCircleOf(const ScanGeometry& geometry) {
    const CalibratedPoses* poses = geometry.poses();
    if (!poses) return geometry;
    ScanGeometry circle = inOwnFrame(poses->meanCircle());
    const Detector& moved = geometry.detector;
    circle.detector.columns = moved.columns;
    circle.detector.rows = moved.rows;
    circle.detector.offsetMm[0] += moved.offsetMm[0];
    circle.detector.offsetMm[1] += moved.offsetMm[1];
    circle.detector.rollDeg += moved.rollDeg;
    circle.detector.tiltDeg += moved.tiltDeg;
    circle.detector.slantDeg += moved.slantDeg;
    circle.cone().views = poses->views();
    circle.cone().anglesDeg = poses->anglesDeg();
    return circle;
}

}  // namespace gantry
