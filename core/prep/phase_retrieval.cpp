#include "core/prep/phase_retrieval.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/fft_length.h"
#include "core/geometry/vec3.h"

namespace gantry {

namespace {

constexpr double kKeVMm = 1.239841984e-6;  // Planck's constant times the speed of light

Index padded(Index lines) {
    return (lines + kPhaseRows - 1) / kPhaseRows * kPhaseRows;
}

// An odd number of cache lines, so that the rows of a column do not share a few places of the
// cache.
Index strideOf(Index columns) {
    constexpr Index kCacheLine = 16;
    return padded(columns) + kCacheLine;
}

Index valuesOf(Index rows, Index columns) {
    return padded(fftLength(rows)) * strideOf(columns);
}

Index scratchOf(const PrepLanes& lanes, Index rows, Index columns) {
    return 2 * lanes.lanes * std::max(fftLength(rows), fftLength(columns));
}

}  // namespace

double phaseFactorMm2(const PhaseSpec& spec) {
    return kPi * kKeVMm / spec.energyKeV * spec.distanceMm * spec.deltaOverBeta;
}

PhaseRetriever::Direction::Direction(double factor, double pitchMm, Index points)
    : length(fftLength(points)), passes(length) {
    const auto n = static_cast<double>(length);
    const double squaredStep = factor / std::pow(2 * n * pitchMm, 2);
    for (Index k = 0; k < length; ++k) {
        const auto frequency = static_cast<double>(k);
        position.push_back(static_cast<int>(passes.positionOf(k)));
        turn.push_back(static_cast<float>(std::cos(kPi * frequency / (2 * n))));
        turn.push_back(static_cast<float>(std::sin(kPi * frequency / (2 * n))));
        // The transform of frequencies other than 0 is that of the definition times 2.
        scale.push_back(static_cast<float>((k == 0 ? 1 : 0.5) / n));
        square.push_back(static_cast<float>(squaredStep * frequency * frequency));
    }
    scale.resize(padded(length));
    square.resize(padded(length));
}

CosineTables PhaseRetriever::Direction::tables() const {
    return {.length = static_cast<int>(length),
            .stageCount = passes.count(),
            .stages = passes.stages(),
            .position = position.data(),
            .turn = turn.data(),
            .scale = scale.data(),
            .square = square.data()};
}

PhaseRetriever::PhaseRetriever(const PrepLanes& lanes, const PhaseSpec& spec,
                               std::array<double, 2> pitchMm, Index rows, Index columns)
    : m_lanes(&lanes),
      m_rows(rows),
      m_columns(columns),
      m_alongU(phaseFactorMm2(spec), pitchMm[0], columns),
      m_alongV(phaseFactorMm2(spec), pitchMm[1], rows),
      m_values(valuesOf(rows, columns)),
      m_scratch(scratchOf(lanes, rows, columns)) {}

Index PhaseRetriever::workspaceBytes(Index rows, Index columns) {
    constexpr Index kFloatsPerPoint = 9;  // of a direction's tables
    return (valuesOf(rows, columns) + scratchOf(*supportedPrepLanes().back(), rows, columns) +
            kFloatsPerPoint * (padded(fftLength(rows)) + padded(fftLength(columns)))) *
           Index{sizeof(float)};
}

void PhaseRetriever::apply(Span3<float> view) {
    require(view.size(0) == 1 && view.size(1) == m_rows && view.size(2) == m_columns,
            "a view has another size than the phase retrieval was made for");
    m_lanes->retrievePhase({.view = view.data(),
                            .rows = static_cast<int>(m_rows),
                            .columns = static_cast<int>(m_columns),
                            .alongU = m_alongU.tables(),
                            .alongV = m_alongV.tables(),
                            .values = m_values.data(),
                            .stride = strideOf(m_columns),
                            .scratch = m_scratch.data()});
}

}  // namespace gantry
