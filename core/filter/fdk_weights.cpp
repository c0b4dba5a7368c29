#include "core/filter/fdk_weights.h"

#include <algorithm>

namespace gantry {

namespace {

double square(double x) {
    return x * x;
}

// Distance of pixel index i from the foot of the source, along u (axis 0) or v (axis 1).
double fromFootMm(const ScanGeometry& geometry, std::size_t axis, Index i) {
    const Detector& detector = geometry.detector;
    const Index pixels = axis == 0 ? detector.columns : detector.rows;
    const double center = (static_cast<double>(pixels) - 1) / 2;
    return (static_cast<double>(i) - center) * detector.pitchMm[axis] + detector.offsetMm[axis] -
           geometry.sourceOffsetMm[axis];
}

}  // namespace

FdkWeights::FdkWeights(const ScanGeometry& geometry, const RedundancyPlan& redundancy)
    : m_geometry(geometry),
      m_redundancy(redundancy),
      m_angularWeights(angularWeightsRad(geometry)) {
    const double sod = geometry.sourceToIsocenterMm;
    const double sdd = geometry.sourceToDetectorMm;
    for (Index u = 0; u < geometry.detector.columns; ++u) {
        const double uMm = fromFootMm(geometry, 0, u);
        const double s = uMm * sod / sdd;
        m_rayAngle.push_back(rayAngleRad(geometry, static_cast<double>(u)));
        m_columnScale.push_back(square(sod) - geometry.sourceOffsetMm[0] * s);
        m_squareU.push_back(static_cast<float>(1 + square(uMm / sdd)));
    }
}

float FdkWeights::squareV(Index row) const {
    return static_cast<float>(
        square(fromFootMm(m_geometry, 1, row) / m_geometry.sourceToDetectorMm));
}

void FdkWeights::viewScale(Index view, std::span<float> scale) const {
    const double angleDeg = m_geometry.angleDeg(view);
    const double step = m_angularWeights[static_cast<std::size_t>(view)];
    const bool sameForAll = m_redundancy.kind == Redundancy::fullCircle;
    double redundancy = redundancyWeightAt(m_redundancy, angleDeg, 0);
    for (std::size_t u = 0; u < scale.size(); ++u) {
        if (!sameForAll) redundancy = redundancyWeightAt(m_redundancy, angleDeg, m_rayAngle[u]);
        scale[u] = static_cast<float>(step * redundancy * m_columnScale[u]);
    }
}

}  // namespace gantry
