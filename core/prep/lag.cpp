#include "core/prep/lag.h"

#include <cmath>
#include <vector>

#include "core/base/parallel.h"
#include "core/prep/fast_exp.h"
#include "core/prep/fast_log.h"

namespace gantry {

LagModel::LagModel(const LagSpec& spec)
    : share(static_cast<float>(spec.share)),
      decay(static_cast<float>(std::exp(-1 / spec.views))),
      gain(static_cast<float>(1 / (1 - spec.share))),
      added(static_cast<float>(spec.share * (1 - std::exp(-1 / spec.views)))) {}

namespace {

// left: of earlier views, what each pixel still gives
void removeFrom(float* row, Index columns, const LagModel& lag, float* left) {
    for (Index u = 0; u < columns; ++u) {
        const float measured = fastExp(-row[u]);
        const float part = (1 - left[u] / measured) * lag.gain;
        const float kept = part > LagModel::kMinPart ? part : LagModel::kMinPart;
        left[u] = lag.added * kept * measured + lag.decay * left[u];
        row[u] -= fastLog(kept);
    }
}

}  // namespace

void removeLag(Span3<float> views, const LagSpec& spec, int threads, const std::stop_token& stop) {
    const LagModel lag(spec);
    const Index columns = views.size(2);
    parallelFor(
        threads, views.size(1), 1,
        [&](Index begin, Index end, int) {
            std::vector<float> left(static_cast<std::size_t>(columns));
            for (Index v = begin; v < end; ++v) {
                for (Index u = 0; u < columns; ++u)
                    left[static_cast<std::size_t>(u)] = lag.share * fastExp(-views(0, v, u));
                for (Index s = 0; s < views.size(0); ++s)
                    removeFrom(views.row(s, v), columns, lag, left.data());
            }
        },
        stop);
}

}  // namespace gantry
