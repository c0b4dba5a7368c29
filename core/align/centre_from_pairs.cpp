#include "core/align/centre_from_pairs.h"

#include "core/align/centre_search.h"

namespace gantry {

Finding centreFromPairs(const ViewStack& stack, std::span<const MirroredPair> pairs,
                        const MatricesAt& matricesAt, const Misalignment& about, double rangePx,
                        int threads, const std::stop_token& stop) {
    const auto at = [&](double centrePx) {
        Misalignment tried = about;
        tried.centrePx = centrePx;
        return mirroredViews(stack, stack.matrices(matricesAt(tried)), pairs, threads, stop);
    };
    return minContradictingCentre(
        {at, "pixels of views half a turn apart", " lie on both sides of the axis"}, about.centrePx,
        rangePx, static_cast<double>(stack.binning[0]));
}

}  // namespace gantry
