#include <fmt/format.h>

#include "core/prep/steps/correction_step.h"

namespace gantry {

namespace {

void checkLag(const Corrections& corrections, ProblemList& problems) {
    if (!corrections.hasLag()) return;
    problems.range("prep.lagShare", corrections.lag.share, 1e-5, 0.5, "");
    problems.range("prep.lagViews", corrections.lag.views, 0.1, 1e6, " views");
}

}  // namespace

const CorrectionStep kLagStep = {
    .scope = StepScope::allViews,
    .isOn = [](const Corrections& corrections) { return corrections.hasLag(); },
    .check = checkLag,
    .describe =
        [](const Corrections& corrections) {
            return fmt::format(
                "the detector's lag was taken off (after Starman et al. 2012; {} of "
                "a view's signal, {} views)",
                corrections.lag.share, corrections.lag.views);
        },
    .workspaceBytes = [](const Corrections&, const StepViews& views) -> Index {
        return views.columns * Index{sizeof(float)};
    },
    .turnOff = [](Corrections& corrections) { corrections.lag = {}; },
    .ofAllViews =
        [](const Corrections& corrections, Span3<float> views, int threads,
           const std::stop_token& stop) { removeLag(views, corrections.lag, threads, stop); },
};

}  // namespace gantry
