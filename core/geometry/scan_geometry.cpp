#include "core/geometry/scan_geometry.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/geometry/aligned_views.h"

namespace gantry {

namespace {

// How listed angles are spread; at least two.
struct Spread {
    double lowest;
    double highest;
    double meanStep;
    bool closed;  // the step from the last view to the first is an ordinary one
};

Spread spreadOf(const std::vector<double>& angles) {
    const auto [low, high] = std::minmax_element(angles.begin(), angles.end());
    const double step = (*high - *low) / static_cast<double>(angles.size() - 1);
    const double gap = 360 - (*high - *low);
    return {*low, *high, step, gap > 0 && gap < 1.5 * step};
}

}  // namespace

double CircularCone::angleDeg(Index s) const {
    if (!anglesDeg.empty()) return anglesDeg[static_cast<std::size_t>(s)];
    return startDeg + static_cast<double>(s) * arcDeg / static_cast<double>(views);
}

double CircularCone::coverageDeg() const {
    if (anglesDeg.empty()) return std::abs(arcDeg);
    if (anglesDeg.size() < 2) return 0;
    const Spread spread = spreadOf(anglesDeg);
    return spread.closed ? 360 : spread.highest - spread.lowest + spread.meanStep;
}

Index ScanGeometry::views() const {
    return std::visit([](const auto& kind) { return kind.views; }, trajectory);
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

double ScanGeometry::magnification() const {
    return std::visit([](const auto& kind) { return kind.magnification(); }, trajectory);
}

double ScanGeometry::axisColumn() const {
    return alignedDetector(*this).axisColumn();
}

double ScanGeometry::midplaneRow() const {
    return alignedDetector(*this).midplaneRow();
}

bool ScanGeometry::hasOffsetDetector() const {
    const auto columns = static_cast<double>(detector.columns);
    return isFullCircle() && std::abs(axisColumn() - (columns - 1) / 2) > 0.05 * columns;
}

bool ScanGeometry::isAligned() const {
    return detector.rollDeg == 0 && detector.tiltDeg == 0 && detector.slantDeg == 0;
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

std::vector<double> weightsOf(const CircularCone& cone) {
    const auto n = static_cast<std::size_t>(cone.views);
    const auto& angles = cone.anglesDeg;
    if (angles.size() < 2)
        return std::vector<double>(n, radians(cone.coverageDeg()) / static_cast<double>(n));

    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return angles[a] < angles[b]; });
    const Spread spread = spreadOf(angles);
    const double outside = spread.closed ? 360 - (spread.highest - spread.lowest) : spread.meanStep;
    std::vector<double> weights(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double here = angles[order[i]];
        const double before = i > 0 ? here - angles[order[i - 1]] : outside;
        const double after = i + 1 < n ? angles[order[i + 1]] - here : outside;
        weights[order[i]] = radians((before + after) / 2);
    }
    return weights;
}

}  // namespace

ViewPose viewPose(const ScanGeometry& geometry, Index view) {
    return viewPoseAt(geometry, geometry.angleDeg(view));
}

ViewPose viewPoseAt(const ScanGeometry& geometry, double angleDeg) {
    return std::visit([&](const auto& kind) { return poseOf(kind, geometry.detector, angleDeg); },
                      geometry.trajectory);
}

std::vector<double> angularWeightsRad(const ScanGeometry& geometry) {
    return std::visit([](const auto& kind) { return weightsOf(kind); }, geometry.trajectory);
}

std::vector<double> contiguousAngles(std::vector<double> anglesDeg) {
    if (anglesDeg.size() < 2) return anglesDeg;
    std::vector<double> sorted = anglesDeg;
    std::sort(sorted.begin(), sorted.end());
    const double outer = 360 - (sorted.back() - sorted.front());
    if (!(outer > 0)) return anglesDeg;  // a turn or more, or not numbers
    std::size_t widest = 1;
    for (std::size_t i = 2; i < sorted.size(); ++i)
        if (sorted[i] - sorted[i - 1] > sorted[widest] - sorted[widest - 1]) widest = i;
    const double gap = sorted[widest] - sorted[widest - 1];
    const double meanStep = (360 - gap) / static_cast<double>(sorted.size() - 1);
    if (gap <= 3 * meanStep || gap <= outer) return anglesDeg;
    for (double& angle : anglesDeg)
        if (angle < sorted[widest]) angle += 360;
    return anglesDeg;
}

}  // namespace gantry
