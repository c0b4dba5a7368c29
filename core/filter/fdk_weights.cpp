#include "core/filter/fdk_weights.h"

#include <algorithm>

namespace gantry {

namespace {

double square(double x) {
    return x * x;
}

}  // namespace

FdkWeights::FdkWeights(const AlignedViews& geometry, const RedundancyPlan& redundancy)
    : m_detector(geometry.detector),
      m_redundancy(redundancy),
      m_anglesDeg(geometry.anglesDeg),
      m_weightsRad(geometry.weightsRad) {
    const double sod = m_detector.axisDistanceMm;
    const double sdd = m_detector.distanceMm;
    const double axis = m_detector.axisMm * sod / sdd;
    for (Index u = 0; u < m_detector.columns; ++u) {
        const double uMm = m_detector.columnMm(static_cast<double>(u));
        const double s = uMm * sod / sdd;
        m_rayAngle.push_back(rayAngleRad(m_detector, static_cast<double>(u)));
        m_columnScale.push_back(square(sod) + axis * s);
        m_squareU.push_back(static_cast<float>(1 + square(uMm / sdd)));
    }
}

float FdkWeights::squareV(Index row) const {
    return static_cast<float>(
        square(m_detector.rowMm(static_cast<double>(row)) / m_detector.distanceMm));
}

void FdkWeights::viewScale(Index view, std::span<float> scale) const {
    const double angleDeg = m_anglesDeg[static_cast<std::size_t>(view)];
    const double step = m_weightsRad[static_cast<std::size_t>(view)];
    const bool sameForAll = m_redundancy.kind == Redundancy::fullCircle;
    double redundancy = redundancyWeightAt(m_redundancy, angleDeg, 0);
    for (std::size_t u = 0; u < scale.size(); ++u) {
        if (!sameForAll) redundancy = redundancyWeightAt(m_redundancy, angleDeg, m_rayAngle[u]);
        scale[u] = static_cast<float>(step * redundancy * m_columnScale[u]);
    }
}

}  // namespace gantry
