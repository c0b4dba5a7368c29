#include <algorithm>
#include <cstddef>

#include "core/plan/iteration_plan.h"
#include "core/plan/seconds.h"
#include "core/project/surroundings.h"

namespace gantry {

namespace {

// How long a pass of A or Aᵀ over all views takes.
class PassSeconds {
  public:
    PassSeconds(const PlanInputs& inputs, const IterationPlan& iterations,
                const MachineRates& rates)
        : m_isOnHost(iterations.place == IterationPlan::Place::host),
          m_views(static_cast<double>(inputs.acquisition.stored.views)),
          m_pixels(static_cast<double>(iterations.ownPart().rows.size() *
                                       inputs.acquisition.stored.columns)),
          m_updates(m_isOnHost ? rates.updates : 0) {
        for (std::size_t d = 0; d < iterations.devices.size(); ++d)
            m_updates += rates.devices[std::min(d, rates.devices.size() - 1)].updates;
    }

    // A sample of a line takes four voxels and their weights, where an update takes four pixels:
    // measured beside the kernels of FDK.
    [[nodiscard]] double project(const VolumeGrid& grid) const {
        return of(grid, m_isOnHost ? kOnHost : 0.6);
    }
    [[nodiscard]] double adjoint(const VolumeGrid& grid) const {
        return of(grid, m_isOnHost ? kOnHost : 0.35);
    }
    // What is around a region is made by the processor, of which less is known.
    [[nodiscard]] double around(const VolumeGrid& grid) const { return of(grid, kOnHost); }
    // Bytes of a volume and of all views.
    [[nodiscard]] double bytes(const VolumeGrid& grid) const {
        return static_cast<double>(sizeof(float)) *
               (static_cast<double>(grid.count()) + m_pixels * m_views);
    }

  private:
    static constexpr double kOnHost = 0.5;

    [[nodiscard]] double of(const VolumeGrid& grid, double shareOfRate) const {
        const auto across = static_cast<double>(std::max(grid.voxels[0], grid.voxels[1]));
        const double samples =
            m_views * std::max(static_cast<double>(grid.count()), m_pixels * across);
        return seconds(samples, shareOfRate * m_updates);
    }

    bool m_isOnHost;
    double m_views;
    double m_pixels;  // of a view
    double m_updates;
};

}  // namespace

void addIterations(const PlanInputs& inputs, const JobPlan& plan, const MachineRates& rates,
                   Forecast& forecast) {
    const IterationPlan& iterations = *plan.iterations;
    const VolumeGrid grid = inputs.request.volume.slab(iterations.ownPart().slices);
    const SourceInfo& stored = inputs.acquisition.stored;
    const PassSeconds pass(inputs, iterations, rates);
    // One more of each makes the weights of rays and voxels.
    const auto passes = static_cast<double>(iterations.iterations + 1);
    const bool isRegion = inputs.request.method.isRegion;
    // Views are read for the start, for what is around a region, and for the iterations.
    const int readings = (iterations.isFromFdk ? 2 : 1) + (isRegion ? 1 : 0);
    forecast.load *= readings;
    forecast.correct *= readings;
    forecast.prepare *= readings;
    if (!iterations.isFromFdk)
        forecast.filter = forecast.backproject = forecast.upload = forecast.download = 0;
    forecast.project = passes * pass.project(grid);
    forecast.backproject += passes * pass.adjoint(grid);
    if (isRegion) {
        const Index columns = inputs.acquisition.geometry.detector.columns;
        const VolumeGrid whole = Surroundings::roughGrid(columns, stored.rows);
        const auto wholePasses = static_cast<double>(Surroundings::passes());
        forecast.project += (wholePasses + 1) * pass.around(whole) + pass.around(grid);
        forecast.backproject += wholePasses * pass.around(whole);
    }
    if (iterations.place == IterationPlan::Place::blocksOnDevice) {
        // Volume and views go there and come back.
        forecast.upload += seconds(passes * pass.bytes(grid), rates.devices.front().uploadBytes);
        forecast.download +=
            seconds(passes * pass.bytes(grid), rates.devices.front().downloadBytes);
    }
    forecast.reduce =
        passes * seconds(static_cast<double>(exchangedBytes(iterations.parts, iterations.rank,
                                                            stored.columns, stored.views)),
                         rates.exchange.reduceBytes);
    forecast.boundingStage = name(Stage::project);
    forecast.wall = forecast.load + forecast.correct + forecast.prepare + forecast.filter +
                    forecast.upload + forecast.project + forecast.backproject + forecast.download +
                    forecast.reduce + forecast.store;
}

}  // namespace gantry
