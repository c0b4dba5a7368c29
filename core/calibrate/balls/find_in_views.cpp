#include "core/calibrate/balls/find_in_views.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

BallModel modelOfSome(const OpenScan& scan, int threads,
                      const std::function<void(double)>& onProgress, const std::stop_token& stop) {
    constexpr Index kLookedAt = 5;
    const Detector& detector = scan.description.geometry.detector;
    StackRequest request;
    request.maxViews = kLookedAt;
    request.rows = {0, detector.rows};
    const ViewStack stack = loadViewStack(scan, request, threads, onProgress, stop);
    std::vector<Span3<const float>> views;
    views.reserve(stack.views.size());
    for (Index s = 0; s < std::ssize(stack.views); ++s)
        views.push_back(stack.span().slices({s, s + 1}));
    const BallModel model = fitBallModel(views, detector.pitchMm, 0);
    if (!(model.radiusMm > 0))
        throw FieldError(
            "projections",
            "the views show no balls: small, dense, round spots, at least four in a view, each "
            "between about 3 pixels and a sixth of the detector wide");
    return model;
}

}  // namespace

FoundInViews findInViews(const OpenScan& scan, int threads,
                         const std::function<void(double)>& onProgress,
                         const std::stop_token& stop) {
    constexpr double kShareOfModel = 0.1;
    FoundInViews found;
    found.model = modelOfSome(
        scan, threads, [&](double f) { onProgress(kShareOfModel * f); }, stop);
    const Index views = scan.source->info().views;
    std::vector<Index> all(static_cast<std::size_t>(views));
    std::iota(all.begin(), all.end(), Index{0});
    found.images.resize(all.size());
    visitViews(
        scan, all, {0, scan.description.geometry.detector.rows}, threads,
        [&](std::size_t i, Span3<const float> view) {
            found.images[i] = findBalls(view, found.model);
        },
        [&](double f) { onProgress(kShareOfModel + (1 - kShareOfModel) * f); }, stop);
    return found;
}

}  // namespace gantry
