#include "core/cpu/cpu_backend.h"

#include <array>
#include <condition_variable>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/geometry/footprint.h"
#include "core/geometry/views/projection_matrix.h"
#include "core/pipeline/runner.h"

namespace gantry {

namespace {

class CpuEngine final : public DeviceEngine {
  public:
    CpuEngine(const DeviceJob& job, std::function<std::unique_ptr<BackProjector>()> make,
              SpanSink sink, std::int64_t originNs)
        : m_job(job),
          m_make(std::move(make)),
          m_sink(std::move(sink)),
          m_lane("back-project", originNs, m_sink, {}),
          m_matrices(job.acquisition->geometry.matrices) {
        require(job.handedOver == ViewState::filtered, "the CPU's engine takes filtered views");
    }

    void begin(Index slab, const IndexRanges& slices, IndexRange,
               const std::stop_token& stop) override {
        {
            std::unique_lock lock(m_mutex);
            if (!m_released.wait(lock, stop, [&] { return !m_isHeld; }) || stop.stop_requested())
                throw Cancelled();
            m_isHeld = true;
        }
        m_slab = slab;
        m_slices = slices;
        m_isEmpty = true;
    }

    void add(const DeviceBatch& batch, const std::stop_token& stop) override {
        const auto matrices = std::span<const ProjectionMatrix>(m_matrices)
                                  .subspan(batch.views.begin, batch.views.size());
        const Index updates =
            m_job.volume.voxels[0] * m_job.volume.voxels[1] * m_slices.size() * batch.views.size();
        m_lane.measure(
            Stage::backproject,
            {m_slab, batch.number, batch.views.size() * batch.rowCount() * batch.rowBytes, updates},
            [&] {
                beginParts();
                for (std::size_t i = 0; i < m_slices.parts().size(); ++i)
                    addTo(i, batch, matrices, stop);
            });
    }

    void finish() override { beginParts(); }

    void read(Index slab, IndexRange slices, Span3<float> out) override {
        for (std::size_t i = 0; i < m_slices.parts().size(); ++i) {
            if (!m_slices.parts()[i].contains(slices.begin)) continue;
            m_lane.measure(
                Stage::download,
                {slab, slices.begin / m_job.chunkSlices, out.count() * Index{sizeof(float)}, 0},
                [&] { m_parts[i]->read(slices, out); });
        }
    }

    InvalidPixels release(Index) override {
        {
            const std::scoped_lock lock(m_mutex);
            m_isHeld = false;
        }
        m_released.notify_all();
        return {};
    }

  private:
    // With two blocks of rows, each range of the slab needs only its own block.
    void addTo(std::size_t part, const DeviceBatch& batch,
               std::span<const ProjectionMatrix> matrices, const std::stop_token& stop) {
        const AlignedViews& geometry = m_job.acquisition->geometry;
        const RowBlock& block = batch.blocks()[batch.blocks().size() == 2 ? part : 0];
        const IndexRange needed = footprintRows(geometry, m_job.volume, m_slices.parts()[part]);
        require(
            needed.empty() || (needed.begin >= block.rows.begin && needed.end <= block.rows.end),
            "rows that a range of a slab needs lie in the other one's block");
        require(block.viewStrideBytes == block.rows.size() * batch.rowBytes,
                "the CPU's engine takes all rows of a batch");
        const Span3<const float> views = {reinterpret_cast<const float*>(block.first),
                                          batch.views.size(), block.rows.size(),
                                          geometry.detector.columns};
        m_parts[part]->add({views, block.rows.begin, matrices}, stop);
    }

    // Zeroes the slab once. The time counts for the first batch.
    void beginParts() {
        if (!std::exchange(m_isEmpty, false)) return;
        for (std::size_t i = 0; i < m_slices.parts().size(); ++i) {
            if (!m_parts[i]) m_parts[i] = m_make();
            m_parts[i]->begin(m_job.volume, m_slices.parts()[i]);
        }
    }

    const DeviceJob m_job;
    const std::function<std::unique_ptr<BackProjector>()> m_make;
    const SpanSink m_sink;
    Lane m_lane;
    const std::vector<ProjectionMatrix> m_matrices;
    std::array<std::unique_ptr<BackProjector>, 2> m_parts;  // one for each range of the slab

    std::mutex m_mutex;
    std::condition_variable_any m_released;
    bool m_isHeld = false;  // a slab is being made or has not been read yet
    Index m_slab = 0;
    IndexRanges m_slices;
    bool m_isEmpty = true;  // nothing was added to the slab, and it is not zeroed yet
};

}  // namespace

std::unique_ptr<DeviceEngine> makeCpuEngine(const DeviceJob& job,
                                            std::function<std::unique_ptr<BackProjector>()> make,
                                            SpanSink sink, std::int64_t originNs) {
    return std::make_unique<CpuEngine>(job, std::move(make), std::move(sink), originNs);
}

}  // namespace gantry
