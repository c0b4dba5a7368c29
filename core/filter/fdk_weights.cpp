#include "core/filter/fdk_weights.h"

#include <cmath>

namespace gantry {

namespace {

double square(double x) {
    return x * x;
}

}  // namespace

FdkWeights::FdkWeights(const AlignedViews& geometry, const RedundancyPlan& redundancy)
    : m_before(redundancy.beyondBefore()),
      m_columns(m_before + geometry.detector.columns + redundancy.beyondAfter()),
      m_detectorColumns(geometry.detector.columns),
      m_cover(redundancy.cover),
      m_anglesDeg(geometry.anglesDeg),
      m_weightsRad(geometry.weightsRad),
      m_rays(geometry.rays) {
    for (const ViewRays& rays : m_rays)
        m_terms.push_back(ownTerms(geometry.detector, rays));
    if (areOwn()) return;
    m_terms.push_back(alignedTerms(geometry.detector));
    for (Index u = 0; u < m_columns; ++u)
        m_across.push_back(rayAcross(geometry.detector, static_cast<double>(u - m_before)));
    if (!m_cover.isClosed()) return;
    for (const double across : m_across)
        m_shared.push_back(m_cover.weightAt(0, across));
}

FdkWeights::Terms FdkWeights::alignedTerms(const AlignedDetector& detector) {
    const double sod = detector.axisDistanceMm;
    const double sdd = detector.distanceMm;
    return {.firstColumnMm = detector.columnMm(0),
            .columnMm = detector.pitchMm[0],
            .firstRowMm = detector.rowMm(0),
            .rowMm = detector.pitchMm[1],
            .constant = square(sod),
            .slope = detector.axisMm * square(sod / sdd),
            .distanceMm = sdd};
}

// The terms include the factor from this view's pitch to the filter's.
FdkWeights::Terms FdkWeights::ownTerms(const AlignedDetector& mean, const ViewRays& rays) {
    const double factor = mean.pitchAtAxisMm / rays.pitchMm[0];
    Terms terms = {.firstColumnMm = -(static_cast<double>(mean.columns) - 1) / 2 * rays.pitchMm[0],
                   .columnMm = rays.pitchMm[0],
                   .firstRowMm = -(static_cast<double>(mean.rows) - 1) / 2 * rays.pitchMm[1],
                   .rowMm = rays.pitchMm[1]};
    if (rays.rtk) {
        const RtkTerms& rtk = *rays.rtk;
        const double sdd = rtk.sourceToDetectorMm;
        const double tangent = std::tan(rtk.tiltRad);
        const double sine = std::sin(rtk.tiltRad);
        terms.firstColumnMm += rtk.originUMm + tangent * (sdd - rtk.sourceToIsocenterMm);
        terms.firstRowMm += rtk.originVMm;
        terms.constant = factor * rtk.sourceMm * sdd * (std::cos(rtk.tiltRad) + tangent * sine);
        terms.slope = -factor * rtk.sourceMm * sine;
        terms.footMm = sdd * tangent;
        terms.distanceMm = sdd;
        return terms;
    }
    const bool isParallel = std::isinf(rays.distanceMm);
    terms.firstColumnMm += rays.centerMm[0];
    terms.firstRowMm += rays.centerMm[1];
    terms.constant = factor * rays.motionMm[0] * (isParallel ? 1 : rays.distanceMm);
    terms.slope = isParallel ? 0 : -factor * rays.motionMm[1];
    terms.distanceMm = rays.distanceMm;
    return terms;
}

double FdkWeights::redundancy(std::size_t view, std::size_t column) const {
    if (!m_shared.empty()) return m_shared[column];
    const double across =
        areOwn() ? rayAcross(m_rays[view], m_detectorColumns,
                             static_cast<double>(column) - static_cast<double>(m_before))
                 : m_across[column];
    return m_cover.viewWeight(m_anglesDeg[view], across);
}

void FdkWeights::viewScale(Index view, std::span<float> scale) const {
    const auto s = static_cast<std::size_t>(view);
    const Terms& terms = termsOf(view);
    for (std::size_t u = 0; u < scale.size(); ++u) {
        const double factor = terms.constant + terms.slope * placeOf(terms, u);
        scale[u] = static_cast<float>(m_weightsRad[s] * redundancy(s, u) * factor);
    }
}

void FdkWeights::squareU(Index view, std::span<float> squares) const {
    const Terms& terms = termsOf(view);
    for (std::size_t u = 0; u < squares.size(); ++u)
        squares[u] =
            static_cast<float>(1 + square((placeOf(terms, u) - terms.footMm) / terms.distanceMm));
}

float FdkWeights::squareV(Index view, Index row) const {
    const Terms& terms = termsOf(view);
    return static_cast<float>(
        square((terms.firstRowMm + static_cast<double>(row) * terms.rowMm) / terms.distanceMm));
}

}  // namespace gantry
