#pragma once

#include <stop_token>

#include "core/base/span3.h"

namespace gantry {

/// Lag of the detector: a part of what a view has brought is read out with the views after it.
struct LagSpec {
    double share = 0;  ///< of a view's signal, that comes with later ones; 0: no lag
    double views = 1;  ///< after so many views 1/e of what is left remains

    friend bool operator==(const LagSpec&, const LagSpec&) = default;
};

/// The recursion that takes lag off: the linear model of Starman, Star-Lack, Virshup, Shapiro,
/// Fahrig 2012, doi 10.1118/1.4752087, with one exponential. Measured is
/// T_k = (1 − share)·x_k + R_k, where R_{k+1} = share·(1 − decay)·x_k + decay·R_k, so that what
/// does not change is measured as it is.
struct LagModel {
    explicit LagModel(const LagSpec& spec);

    float share;
    float decay;  ///< exp(−1/views)
    float gain;   ///< 1/(1 − share)
    float added;  ///< share·(1 − decay)
    /// A pixel keeps at least this part of what it measured, so that noise behind something bright
    /// leaves no logarithm of nothing.
    static constexpr float kMinPart = 0.1F;
};

/// Takes lag off all rows, in place. Before the first view the detector is taken for having seen
/// that view for long.
/// views: finite line integrals, [s][v][u], all views in the order in which they were taken
/// @throws Cancelled
/// Tests: tests/core/prep/lag_test.cpp
void removeLag(Span3<float> views, const LagSpec& spec, int threads, const std::stop_token& stop);

}  // namespace gantry
