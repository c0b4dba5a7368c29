#pragma once

#include <string>
#include <vector>

#include "core/geometry/validate.h"
#include "core/prep/phase_retrieval.h"
#include "core/prep/rings.h"
#include "core/prep/zingers.h"

namespace gantry {

/// What is done to line integrals before they are filtered, in this order; by default nothing.
struct Corrections {
    ZingerSpec zingers = {};
    PhaseSpec phase = {};
    RingSpec rings = {};

    [[nodiscard]] bool hasZingers() const { return zingers.ratio != 0; }
    [[nodiscard]] bool hasPhase() const { return phase != PhaseSpec(); }
    [[nodiscard]] bool hasRings() const { return rings.method != RingMethod::none; }
    [[nodiscard]] bool any() const { return hasZingers() || hasPhase() || hasRings(); }
    friend bool operator==(const Corrections&, const Corrections&) = default;
};

/// What is wrong with the numbers of those that are done, by their fields in job.json:
/// "prep.ringWidthPx".
/// Tests: tests/core/prep/corrections_test.cpp
[[nodiscard]] std::vector<Problem> validate(const Corrections& corrections);

/// What was done, with the method's authors, in a sentence for reports; empty for nothing.
[[nodiscard]] std::string describe(const Corrections& corrections);

/// Memory that one thread needs to do these to views, and rows of all views, of that size; bytes.
[[nodiscard]] Index workspaceBytes(const Corrections& corrections, Index views, Index rows,
                                   Index columns);

}  // namespace gantry
