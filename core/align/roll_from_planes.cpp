#include "core/align/finders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/align/estimate.h"
#include "core/align/plane_integrals.h"
#include "core/base/parallel.h"

namespace gantry {

namespace {

// How well lines that are sums over pixels know their place at the detector's edge, in pixels:
// measured on short scans without noise.
constexpr double kLinePixels = 0.05;

// The views with as much noise again as they have. It is estimated from each pixel's neighbours:
// what it differs from their mean by, along the row or along the column, whichever is less, so that
// edges are not taken for noise; with a random sign.
ViewStack withMoreNoise(const ViewStack& stack, int threads) {
    ViewStack noisy;
    noisy.views = stack.views;
    noisy.firstRow = stack.firstRow;
    noisy.rows = stack.rows;
    noisy.columns = stack.columns;
    noisy.binning = stack.binning;
    noisy.pixels = HostBuffer<float>(stack.pixels.count());
    std::copy_n(stack.pixels.data(), stack.pixels.count(), noisy.pixels.data());
    const Span3<const float> from = stack.span();
    const Span3<float> to = {noisy.pixels.data(), from.size(0), from.size(1), from.size(2)};
    // For normal noise the mean square of the lesser of the two is 0.79 of that of one.
    const float scale = 1 / std::sqrt(0.79F);
    parallelFor(threads, from.size(0), 1, [&](Index begin, Index end, int) {
        for (Index s = begin; s < end; ++s) {
            std::minstd_rand random(static_cast<unsigned>(s + 1));
            for (Index v = 1; v + 1 < from.size(1); ++v)
                for (Index u = 1; u + 1 < from.size(2); ++u) {
                    const float here = from(s, v, u);
                    const float along = here - (from(s, v, u - 1) + from(s, v, u + 1)) / 2;
                    const float across = here - (from(s, v - 1, u) + from(s, v + 1, u)) / 2;
                    const float noise = scale * std::min(std::abs(along), std::abs(across));
                    to(s, v, u) += (random() & 64U) != 0 ? noise : -noise;
                }
        }
    });
    return noisy;
}

Finding fitted(const ViewStack& stack, const MatricesAt& matricesAt, const Misalignment& about,
               int threads, const std::stop_token& stop) {
    Finding found;
    const PlaneIntegrals planes(stack, stack.matrices(matricesAt(about)), threads, stop);
    if (!planes.isWhole()) {
        found.reason = "the object reaches beyond the left or right edge of the detector";
        return found;
    }
    const auto at = [&](const Parameters& p) {
        return planes.differences(stack.matrices(matricesAt({p[0], p[1], about.tiltDeg})),
                                  stack.rows / 2, threads, stop);
    };
    // Where the roll is some degrees off, the differences are no longer linear in it.
    constexpr double kCoarseDeg = 0.5;
    for (double roll = -kRollRangeDeg; roll <= kRollRangeDeg; roll += kCoarseDeg) {
        found.tried.push_back(about.rollDeg + roll);
        found.scores.push_back(std::sqrt(at({about.centrePx, about.rollDeg + roll}).meanSquare()));
    }
    const auto best = static_cast<std::size_t>(
        std::distance(found.scores.begin(), std::ranges::min_element(found.scores)));
    if (best == 0 || best + 1 == found.tried.size()) {
        found.reason = fmt::format(
            "planes through two sources fit best at the end of the range of "
            "±{:.0f}° that was searched",
            kRollRangeDeg);
        return found;
    }
    const Estimate e =
        minContradiction(at, {about.centrePx, found.tried[best]},
                         {0.5 * static_cast<double>(stack.binning[0]), kCoarseDeg / 2});
    found.isFound = e.uncertainties[1] < kMinCertainRollDeg &&
                    std::abs(e.values[1] - found.tried[best]) < 2 * kCoarseDeg;
    found.value = e.values[1];
    found.uncertainty = std::hypot(e.uncertainties[1],
                                   degrees(2 * kLinePixels / static_cast<double>(stack.columns)));
    found.reason =
        found.isFound
            ? fmt::format("{} planes through two sources each", e.count)
            : std::string("planes through two sources differ too little from roll to roll");
    return found;
}

}  // namespace

Finding rollFromPlanes(const ViewStack& stack, const MatricesAt& matricesAt,
                       const Misalignment& about, int threads, const std::stop_token& stop) {
    Finding found = fitted(stack, matricesAt, about, threads, stop);
    if (!found.isFound) return found;
    // Noise differs from line to line, and so moves the least squares a little. Adding as much
    // noise again moves them as much again, which tells by how much (simulation extrapolation, Cook
    // and Stefanski 1994).
    const Finding noisy = fitted(withMoreNoise(stack, threads), matricesAt, about, threads, stop);
    const double bias = noisy.value - found.value;
    found.value -= bias;
    found.uncertainty = std::hypot(found.uncertainty, bias);
    found.isFound = noisy.isFound && found.uncertainty < kMinCertainRollDeg;
    if (!found.isFound) found.reason = "the views are too noisy for planes through two sources";
    return found;
}

}  // namespace gantry
