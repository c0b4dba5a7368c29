#pragma once

#include <array>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/lane_transform.h"
#include "core/base/span3.h"
#include "core/prep/prep_lanes.h"

namespace gantry {

/// The parameters of beam and object that are needed to remove the bright and dark fringes that a
/// coherent beam makes at edges on its way to the detector. All 0: no phase retrieval.
struct PhaseSpec {
    double energyKeV = 0;      ///< of the beam
    double distanceMm = 0;     ///< object to detector; for a cone beam divided by the magnification
    double deltaOverBeta = 0;  ///< of the object's material at that energy: n = 1 − δ + iβ

    friend bool operator==(const PhaseSpec&, const PhaseSpec&) = default;
};

/// Phase retrieval at the object, where a cone beam has not magnified it yet.
struct PhaseOptics {
    PhaseSpec spec;                          ///< with the distance divided by the magnification
    std::array<double, 2> pitchMm = {1, 1};  ///< of u and v, divided by the magnification
};

/// The factor of f² in the filter of phase retrieval, π·λ·z·(δ/β), mm².
[[nodiscard]] double phaseFactorMm2(const PhaseSpec& spec);

/// Phase retrieval of single views of an object of one material: Paganin, Mayo, Gureyev, Miller,
/// Wilkins 2002, doi 10.1046/j.1365-2818.2002.01010.x, equation 12. The transmission is multiplied
/// in frequency by 1/(1 + π·λ·z·(δ/β)·f²), and its −ln gives line integrals of the material's
/// attenuation. Beyond the detector's ends the view continues as its mirror image. One view at a
/// time; several threads each need an instance of their own. A view gives the same bits in every
/// run. Tests: tests/core/prep/phase_retrieval_test.cpp
class PhaseRetriever {
  public:
    /// spec: without problems; pitchMm: of u and v, for a cone beam divided by the magnification;
    /// rows, columns: of whole views
    PhaseRetriever(const PhaseSpec& spec, std::array<double, 2> pitchMm, Index rows, Index columns)
        : PhaseRetriever(*supportedPrepLanes().back(), spec, pitchMm, rows, columns) {}
    PhaseRetriever(const PrepLanes& lanes, const PhaseSpec& spec, std::array<double, 2> pitchMm,
                   Index rows, Index columns);

    /// view: finite line integrals, [1][v][u], all of a view, in place
    void apply(Span3<float> view);

    /// Memory that an instance for views of that size takes, bytes.
    [[nodiscard]] static Index workspaceBytes(Index rows, Index columns);

  private:
    /// The transform of lines, and their direction's part of the filter.
    struct Direction {
        /// factor: π·λ·z·(δ/β); points: of a line
        Direction(double factor, double pitchMm, Index points);
        [[nodiscard]] CosineTables tables() const;

        Index length;
        LanePasses passes;
        std::vector<int> position;
        std::vector<float> turn;
        std::vector<float> scale;
        std::vector<float> square;
    };

    const PrepLanes* m_lanes;
    Index m_rows;
    Index m_columns;
    Direction m_alongU;
    Direction m_alongV;
    HostBuffer<float> m_values;   ///< PhasePass::values
    HostBuffer<float> m_scratch;  ///< PhasePass::scratch
};

}  // namespace gantry
