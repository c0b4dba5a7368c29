#pragma once

#include <array>
#include <memory>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"

namespace gantry {

/// The parameters of beam and object that are needed to remove the bright and dark fringes that a
/// coherent beam makes at edges on its way to the detector. All 0: no phase retrieval.
struct PhaseSpec {
    double energyKeV = 0;      ///< of the beam
    double distanceMm = 0;     ///< object to detector; for a cone beam divided by the magnification
    double deltaOverBeta = 0;  ///< of the object's material at that energy: n = 1 − δ + iβ

    friend bool operator==(const PhaseSpec&, const PhaseSpec&) = default;
};

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
    PhaseRetriever(const PhaseSpec& spec, std::array<double, 2> pitchMm, Index rows, Index columns);
    ~PhaseRetriever();
    PhaseRetriever(PhaseRetriever&&) noexcept;
    PhaseRetriever& operator=(PhaseRetriever&&) noexcept;

    /// view: finite line integrals, [1][v][u], all of a view, in place
    void apply(Span3<float> view);

    /// Memory that an instance for views of that size takes, bytes.
    [[nodiscard]] static Index workspaceBytes(Index rows, Index columns);

  private:
    class CosineTransform;

    /// Stores the transmission, with mirrored ends. @returns the smallest value
    float takeTransmission(Span3<const float> view);
    void transformRows(bool isBack);
    void filterColumns();

    Index m_rows;
    Index m_columns;
    Index m_stride;    ///< floats of a row of m_values, even
    double m_factorU;  ///< π·λ·z·(δ/β)·f² of frequency 1; others have it times their square
    double m_factorV;
    HostBuffer<float> m_values;  ///< [v][u]
    std::unique_ptr<CosineTransform> m_alongU;
    std::unique_ptr<CosineTransform> m_alongV;
};

}  // namespace gantry
