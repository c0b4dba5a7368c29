#include "core/geometry/aligned_views.h"

namespace gantry {

namespace {

// Place of pixel i of `pixels`, from the source's foot.
double fromFootMm(double i, Index pixels, double pitchMm, double centerMm) {
    const double center = (static_cast<double>(pixels) - 1) / 2;
    return (i - center) * pitchMm + centerMm;
}

// The scan with its detector rectified and padded.
ScanGeometry rectified(const ScanGeometry& declared, const AlignOptions& options) {
    ScanGeometry geometry = declared;
    Detector& detector = geometry.detector;
    detector.rollDeg = 0;
    detector.tiltDeg = 0;
    detector.slantDeg = 0;
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

double midplaneMm(const CircularCone& cone) {
    return cone.sourceOffsetMm[1];
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

AlignedDetector alignedDetector(const ScanGeometry& declared, const AlignOptions& options) {
    const ScanGeometry geometry = rectified(declared, options);
    return std::visit([&](const auto& kind) { return detectorOf(kind, geometry.detector); },
                      geometry.trajectory);
}

AlignedViews alignedViews(const ScanGeometry& declared, const AlignOptions& options) {
    const ScanGeometry geometry = rectified(declared, options);
    const std::vector<double> weightsRad = angularWeightsRad(declared, options.leftOut);
    std::vector<bool> isLeftOut(static_cast<std::size_t>(geometry.views()));
    for (const Index view : options.leftOut)
        isLeftOut[static_cast<std::size_t>(view)] = true;
    AlignedViews aligned;
    aligned.detector = alignedDetector(declared, options);
    aligned.midplaneMm =
        std::visit([](const auto& kind) { return midplaneMm(kind); }, geometry.trajectory);
    const std::size_t kept = isLeftOut.size() - options.leftOut.size();
    aligned.matrices.reserve(kept);
    aligned.anglesDeg.reserve(kept);
    aligned.weightsRad.reserve(kept);
    for (Index s = 0; s < geometry.views(); ++s) {
        const auto i = static_cast<std::size_t>(s);
        if (isLeftOut[i]) continue;
        aligned.matrices.push_back(projectionMatrix(viewPose(geometry, s), geometry.detector));
        aligned.anglesDeg.push_back(geometry.angleDeg(s));
        aligned.weightsRad.push_back(weightsRad[i]);
    }
    aligned.views = static_cast<Index>(aligned.matrices.size());
    return aligned;
}

}  // namespace gantry
