#include "core/filter/fdk_weights.h"

#include <cmath>

namespace gantry {

namespace {

double square(double x) {
    return x * x;
}

bool isSameForAll(Redundancy kind) {
    return kind == Redundancy::fullCircle || kind == Redundancy::halfCircle;
}

}  // namespace

FdkWeights::FdkWeights(const AlignedViews& geometry, const RedundancyPlan& redundancy)
    : m_detector(geometry.detector),
      m_redundancy(redundancy),
      m_anglesDeg(geometry.anglesDeg),
      m_weightsRad(geometry.weightsRad),
      m_rays(geometry.rays) {
    const double sod = m_detector.axisDistanceMm;
    const double sdd = m_detector.distanceMm;
    const double axis = m_detector.axisMm * sod / sdd;
    for (Index u = 0; u < m_detector.columns; ++u) {
        const double uMm = m_detector.columnMm(static_cast<double>(u));
        const double s = uMm * sod / sdd;
        m_across.push_back(rayAcross(m_detector, static_cast<double>(u)));
        m_columnScale.push_back(square(sod) + axis * s);
        m_squareU.push_back(static_cast<float>(1 + square(uMm / sdd)));
    }
}

float FdkWeights::squareV(Index row) const {
    return static_cast<float>(
        square(m_detector.rowMm(static_cast<double>(row)) / m_detector.distanceMm));
}

void FdkWeights::viewScale(Index view, std::span<float> scale) const {
    if (areOwn()) return ownViewScale(view, scale);
    const double angleDeg = m_anglesDeg[static_cast<std::size_t>(view)];
    const double step = m_weightsRad[static_cast<std::size_t>(view)];
    const bool sameForAll = isSameForAll(m_redundancy.kind);
    double redundancy = redundancyWeightAt(m_redundancy, angleDeg, 0);
    for (std::size_t u = 0; u < scale.size(); ++u) {
        if (!sameForAll) redundancy = redundancyWeightAt(m_redundancy, angleDeg, m_across[u]);
        scale[u] = static_cast<float>(step * redundancy * m_columnScale[u]);
    }
}

// Δβ and the redundancy weight alone, with the factor from this view's pitch to the filter's.
void FdkWeights::ownViewScale(Index view, std::span<float> scale) const {
    const auto s = static_cast<std::size_t>(view);
    const double factor = m_weightsRad[s] * m_detector.pitchAtAxisMm / m_rays[s].pitchMm[0];
    const bool sameForAll = isSameForAll(m_redundancy.kind);
    double redundancy = redundancyWeightAt(m_redundancy, m_anglesDeg[s], 0);
    for (std::size_t u = 0; u < scale.size(); ++u) {
        if (!sameForAll)
            redundancy = redundancyWeightAt(
                m_redundancy, m_anglesDeg[s],
                rayAcross(m_rays[s], m_detector.columns, static_cast<double>(u)));
        scale[u] = static_cast<float>(factor * redundancy);
    }
}

void FdkWeights::applyRtk(const ViewRays& rays, double first, double v,
                          std::span<const float> scale, float* pixels) {
    const RtkTerms& rtk = *rays.rtk;
    const double sdd = rtk.sourceToDetectorMm;
    const double tangent = std::tan(rtk.tiltRad);
    const double sine = std::sin(rtk.tiltRad);
    const double along = sdd * (std::cos(rtk.tiltRad) + tangent * sine);
    const double y = v + rtk.originVMm;
    const double origin = first + rtk.originUMm + tangent * (sdd - rtk.sourceToIsocenterMm);
    for (std::size_t u = 0; u < scale.size(); ++u) {
        const double x = origin + static_cast<double>(u) * rays.pitchMm[0];
        const double distance = std::sqrt(sdd * sdd + y * y + std::pow(x - sdd * tangent, 2));
        pixels[u] *=
            static_cast<float>(scale[u] * sdd * rtk.sourceMm * (along - x * sine) / distance);
    }
}

void FdkWeights::applyOwn(Index view, Index row, std::span<const float> scale,
                          float* pixels) const {
    const ViewRays& rays = m_rays[static_cast<std::size_t>(view)];
    const auto place = [&](double i, Index count, std::size_t axis) {
        return (i - (static_cast<double>(count) - 1) / 2) * rays.pitchMm[axis] +
               rays.centerMm[axis];
    };
    if (rays.rtk)
        return applyRtk(rays, place(0, m_detector.columns, 0) - rays.centerMm[0],
                        place(static_cast<double>(row), m_detector.rows, 1) - rays.centerMm[1],
                        scale, pixels);
    const double d = rays.distanceMm;
    if (std::isinf(d)) {
        for (std::size_t u = 0; u < scale.size(); ++u)
            pixels[u] *= scale[u] * static_cast<float>(rays.motionMm[0]);
        return;
    }
    const double v = place(static_cast<double>(row), m_detector.rows, 1);
    const double first = place(0, m_detector.columns, 0);
    const auto [across, alongNormal] = rays.motionMm;
    for (std::size_t u = 0; u < scale.size(); ++u) {
        const double uMm = first + static_cast<double>(u) * rays.pitchMm[0];
        const double cosine =
            d * (across * d - alongNormal * uMm) / std::sqrt(uMm * uMm + v * v + d * d);
        pixels[u] *= static_cast<float>(scale[u] * cosine);
    }
}

}  // namespace gantry
