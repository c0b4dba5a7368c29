#include "core/align/centre_from_pairs.h"

#include <cmath>

#include "core/align/centre_search.h"

namespace gantry {

namespace {

// What two views alone tell of edges that lie alike in all rows, in pixels of the stack: measured
// on simulated scans without noise.
constexpr double kPairResolutionPx = 0.025;

}  // namespace

Finding centreFromPairs(const ViewStack& stack, std::span<const MirroredPair> pairs,
                        const MatricesAt& matricesAt, const Misalignment& about, double rangePx,
                        int threads, const std::stop_token& stop) {
    const auto at = [&](double centrePx) {
        Misalignment tried = about;
        tried.centrePx = centrePx;
        return mirroredViews(stack, stack.matrices(matricesAt(tried)), pairs, threads, stop);
    };
    const auto step = static_cast<double>(stack.binning[0]);
    Finding found = minContradictingCentre(
        {at, "pixels of views half a turn apart", " lie on both sides of the axis"}, about.centrePx,
        rangePx, step);
    found.uncertainty = std::hypot(found.uncertainty, kPairResolutionPx * step);
    return found;
}

}  // namespace gantry
