#pragma once

#include <string>
#include <vector>

#include "core/geometry/check/validate.h"
#include "core/prep/flux.h"
#include "core/prep/phase_retrieval.h"
#include "core/prep/rings.h"
#include "core/prep/truncation.h"
#include "core/prep/zingers.h"

namespace gantry {

/// Corrections of line integrals before they are filtered, in this order; none by default, but
/// where the object is cut off.
struct Corrections {
    FluxSpec flux = {};
    ZingerSpec zingers = {};
    PhaseSpec phase = {};
    RingSpec rings = {};
    TruncationSpec truncation = {};  ///< acts in the filter: see findExtension()

    [[nodiscard]] bool hasFlux() const { return flux.method != FluxMethod::none; }
    [[nodiscard]] bool hasZingers() const { return zingers.ratio != 0; }
    [[nodiscard]] bool hasPhase() const { return phase != PhaseSpec(); }
    [[nodiscard]] bool hasRings() const { return rings.method != RingMethod::none; }
    [[nodiscard]] bool any() const { return hasFlux() || changesPixels(); }
    /// Whether any of them needs a pixel's neighbours, or other views, so that the host holds views
    /// and corrects them. The beam's brightness is a number a view.
    [[nodiscard]] bool changesPixels() const { return hasZingers() || hasPhase() || hasRings(); }
    friend bool operator==(const Corrections&, const Corrections&) = default;
};

/// The problems with the parameters of the corrections that are on, by their fields in job.json:
/// "prep.ringWidthPx".
/// Tests: tests/core/prep/corrections_test.cpp
[[nodiscard]] std::vector<Problem> validate(const Corrections& corrections);

/// Describes the corrections, with the methods' authors, in a sentence for reports; empty for none.
[[nodiscard]] std::string describe(const Corrections& corrections);

/// Memory that one thread needs for these corrections on views, and rows of all views, of that
/// size; bytes.
[[nodiscard]] Index workspaceBytes(const Corrections& corrections, Index views, Index rows,
                                   Index columns);

}  // namespace gantry
