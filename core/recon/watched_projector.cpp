#include "core/recon/watched_projector.h"

#include <utility>

namespace gantry {

namespace {

class WatchedProjector final : public Projector {
  public:
    WatchedProjector(std::unique_ptr<Projector> projector, Lane& lane,
                     std::function<void(double updates)> onWork)
        : m_projector(std::move(projector)), m_lane(lane), m_onWork(std::move(onWork)) {}

    void begin(const VolumeGrid& grid, IndexRange slices) override {
        m_slabVoxels = grid.voxels[0] * grid.voxels[1] * slices.size();
        m_projector->begin(grid, slices);
    }
    void set(IndexRange slices, Span3<const float> voxels) override {
        m_projector->set(slices, voxels);
    }
    void project(IndexRange views, Span3<float> out, const std::stop_token& stop) override {
        measure(Stage::project, views, [&] { m_projector->project(views, out, stop); });
    }
    void adjoint(IndexRange views, Span3<const float> rays, const std::stop_token& stop) override {
        measure(Stage::backproject, views, [&] { m_projector->adjoint(views, rays, stop); });
    }
    void read(IndexRange slices, Span3<float> out) override { m_projector->read(slices, out); }
    [[nodiscard]] Index bytesNeeded(const VolumeGrid& grid, Index slices) const override {
        return m_projector->bytesNeeded(grid, slices);
    }

  private:
    void measure(Stage stage, IndexRange views, const std::function<void()>& work) {
        const Index updates = m_slabVoxels * views.size();
        m_lane.measure(stage, {.batch = m_calls++, .updates = updates}, work);
        m_onWork(static_cast<double>(updates));
    }

    std::unique_ptr<Projector> m_projector;
    Lane& m_lane;
    std::function<void(double updates)> m_onWork;
    Index m_slabVoxels = 0;
    Index m_calls = 0;
};

}  // namespace

std::unique_ptr<Projector> watched(std::unique_ptr<Projector> projector, Lane& lane,
                                   std::function<void(double updates)> onWork) {
    return std::make_unique<WatchedProjector>(std::move(projector), lane, std::move(onWork));
}

}  // namespace gantry
