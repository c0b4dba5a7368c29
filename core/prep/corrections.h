#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/geometry/check/validate.h"
#include "core/prep/flux.h"
#include "core/prep/lag.h"
#include "core/prep/modules.h"
#include "core/prep/phase_retrieval.h"
#include "core/prep/pixel_selection.h"
#include "core/prep/rings.h"
#include "core/prep/truncation.h"
#include "core/prep/zingers.h"

namespace gantry {

struct CorrectionStep;

/// The views that steps correct.
struct StepViews {
    Index views = 0;
    Index rows = 0;     ///< of the whole detector
    Index columns = 0;  ///< the same
    PhaseOptics optics = {};
};

/// Corrections of line integrals before they are filtered, in this order; none by default, but
/// where the object is cut off. What each does is told by correctionSteps().
struct Corrections {
    ModuleSpec modules = {};  ///< of the stored pixels
    /// What the scan is made of before anything else; lengths in pixels, but for rings', are these.
    PixelSelection pixels = {};
    FluxSpec flux = {};
    ZingerSpec zingers = {};
    PhaseSpec phase = {};
    LagSpec lag = {};  ///< which, as phase retrieval, is linear in what is measured
    RingSpec rings = {};
    TruncationSpec truncation = {};  ///< acts in the filter: see findExtension()

    [[nodiscard]] bool hasModules() const { return modules.method != ModuleMethod::none; }
    [[nodiscard]] bool hasFlux() const { return flux.method != FluxMethod::none; }
    [[nodiscard]] bool hasZingers() const { return zingers.ratio != 0; }
    [[nodiscard]] bool hasPhase() const { return phase != PhaseSpec(); }
    [[nodiscard]] bool hasLag() const { return lag.share != 0; }
    [[nodiscard]] bool hasRings() const { return rings.method != RingMethod::none; }
    [[nodiscard]] bool any() const {
        return !pixels.isWhole() || hasModules() || hasFlux() || changesPixels();
    }
    /// Whether any of them needs a pixel's neighbours, or other views, so that the host holds views
    /// and corrects them. The beam's brightness is a number a view, and modules are levelled in the
    /// flat fields.
    [[nodiscard]] bool changesPixels() const;
    /// Whether any of them needs whole views.
    [[nodiscard]] bool needsWholeViews() const;
    /// Whether any of them needs a row in all views.
    [[nodiscard]] bool needsAllViews() const;
    /// The corrections without those that need a row in all views.
    [[nodiscard]] Corrections ofSingleViews() const;
    /// The corrections whose values are measured in the whole scan before it is reconstructed. The
    /// scan's problems are reported for the views as these corrections leave them.
    [[nodiscard]] Corrections measured() const;
    /// The corrections without the measured ones. A plan needs no more, because measured ones do
    /// not change it, and no view is read for it.
    [[nodiscard]] Corrections withoutMeasured() const;
    /// Rows that are read above and below those that are corrected, if not whole views are.
    [[nodiscard]] Index marginRows() const;
    friend bool operator==(const Corrections&, const Corrections&) = default;
};

/// All steps, in the order in which they act. Tests: tests/core/prep/corrections_test.cpp
[[nodiscard]] std::span<const CorrectionStep* const> correctionSteps();

/// Those of them that are on.
[[nodiscard]] std::vector<const CorrectionStep*> stepsOf(const Corrections& corrections);

/// Makes all corrections that need all views. views: finite line integrals, [s][v][u], in place
/// @throws ResourceError, Cancelled
void correctAllViews(const Corrections& corrections, Span3<float> views, int threads,
                     const std::stop_token& stop);

/// The problems with the parameters of the corrections that are on, by their fields in job.json:
/// "prep.ringWidthPx".
/// Tests: tests/core/prep/corrections_test.cpp
[[nodiscard]] std::vector<Problem> validate(const Corrections& corrections);

/// Describes the corrections, with the methods' authors, in a sentence for reports; empty for none.
[[nodiscard]] std::string describe(const Corrections& corrections);

/// Memory that one thread needs for these corrections, bytes.
[[nodiscard]] Index workspaceBytes(const Corrections& corrections, const StepViews& views);

}  // namespace gantry
