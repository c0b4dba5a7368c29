#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/engine/detector_images.h"
#include "gpu/engine/device_slab.h"
#include "gpu/engine/gpu_corrections.h"
#include "gpu/engine/gpu_engine.h"
#include "gpu/engine/steps_layout.h"
#include "gpu/kernels/steps/view_filters.h"

namespace gantry {

namespace {

class GpuViewSteps final : public ViewSteps {
  public:
    GpuViewSteps(int device, const ViewStepsJob& job)
        : m_device(device),
          m_job(job),
          m_layout(job),
          m_values(m_layout.pieceViews * m_layout.viewPixels),
          m_other(m_layout.pieceViews * m_layout.viewPixels),
          m_held(m_layout.heldPixels),
          m_found(job.countSets * m_layout.views * gpu::kViewCounters),
          m_countOfRow(job.stored->stored.rows),
          m_counters{m_found.data(), m_countOfRow.data(), static_cast<int>(m_layout.views)},
          m_corrections(gpuCorrections(job, m_layout.pieceViews)) {
        const Acquisition& stored = *job.stored;
        if (!job.areIntegrals) {
            m_stored = DeviceBuffer<std::byte>(m_layout.pieceViews * m_layout.viewPixels *
                                               sizeBytes(stored.stored.pixelType));
            m_images = DetectorImages(stored, preparationOf(stored), m_stream);
        }
        for (Index i = 0; i < m_layout.lanes; ++i)
            m_lanes.push_back(std::make_unique<AllViewsLane>(job, m_layout));
    }

    ~GpuViewSteps() override {
        // Nothing may be freed that the device still uses; a lost one returns at once.
        (void)cudaSetDevice(m_device);
        (void)cudaDeviceSynchronize();
        forgetError();
    }
    GpuViewSteps(const GpuViewSteps&) = delete;
    GpuViewSteps& operator=(const GpuViewSteps&) = delete;

    void begin(std::span<const StepRows> blocks, const RowCounts& counts) override {
        makeCurrent(m_device);
        m_blocks.assign(blocks.begin(), blocks.end());
        m_rows = 0;
        Index read = 0;
        for (const StepRows& block : m_blocks) {
            m_rows += block.wanted.size();
            read += block.read.size();
        }
        require(read * m_layout.columns <= m_layout.viewPixels && m_rows <= m_job.maxRows,
                "views are to be corrected in more rows than planned");
        countRows(counts);
        check(cudaMemsetAsync(m_found.data(), 0, static_cast<std::size_t>(m_found.sizeBytes()),
                              m_stream.get()),
              "clearing counters");
    }

    void correct(IndexRange views, std::span<const std::span<const std::byte>> pixels,
                 const std::stop_token& stop) override {
        if (stop.stop_requested()) throw Cancelled();
        require(views.size() <= m_job.blockViews && pixels.size() == m_blocks.size(),
                "views came to be corrected in another way than planned");
        makeCurrent(m_device);
        m_loaded = views;
        for (Index first = views.begin; first < views.end; first += m_layout.pieceViews) {
            const IndexRange piece = {first, std::min(first + m_layout.pieceViews, views.end)};
            Index heldRow = 0;
            for (std::size_t b = 0; b < m_blocks.size(); ++b) {
                const Index viewBytes = std::ssize(pixels[b]) / views.size();
                correctPiece(b, piece, pixels[b].data() + (first - views.begin) * viewBytes,
                             viewBytes, heldRow);
                heldRow += m_blocks[b].wanted.size();
            }
        }
        m_uploaded.synchronize();
    }

    void correctAllViews(const std::stop_token& stop) override {
        makeCurrent(m_device);
        for (Index first = 0; first < m_rows; first += m_layout.laneRows) {
            if (stop.stop_requested()) throw Cancelled();
            const Index rows = std::min(m_layout.laneRows, m_rows - first);
            m_lanes.front()->apply({m_held.data() + first * m_layout.columns,
                                    static_cast<int>(m_layout.views), static_cast<int>(rows),
                                    static_cast<int>(m_layout.columns), m_rows * m_layout.columns},
                                   m_stream.get());
            m_stream.synchronize();
        }
    }

    void correctAllViews(Span3<float> views, IndexRange wanted,
                         const std::stop_token& stop) override {
        makeCurrent(m_device);
        const Index rowBytes = m_layout.columns * kFloatBytes;
        for (Index first = wanted.begin, number = 0; first < wanted.end;
             first += m_layout.laneRows, ++number) {
            if (stop.stop_requested()) throw Cancelled();
            AllViewsLane& lane = *m_lanes[number % std::ssize(m_lanes)];
            const Index rows = std::min(m_layout.laneRows, wanted.end - first);
            lane.stream.synchronize();
            const auto copy = [&](void* to, Index toRows, const void* from, Index fromRows) {
                check(cudaMemcpy2DAsync(to, static_cast<std::size_t>(toRows * rowBytes), from,
                                        static_cast<std::size_t>(fromRows * rowBytes),
                                        static_cast<std::size_t>(rows * rowBytes),
                                        static_cast<std::size_t>(m_layout.views), cudaMemcpyDefault,
                                        lane.stream.get()),
                      "copying rows of all views");
            };
            copy(lane.pixels.data(), rows, views.row(0, first), views.size(1));
            lane.apply(
                {lane.pixels.data(), static_cast<int>(m_layout.views), static_cast<int>(rows),
                 static_cast<int>(m_layout.columns), rows * m_layout.columns},
                lane.stream.get());
            copy(views.row(0, first), views.size(1), lane.pixels.data(), rows);
        }
        for (const auto& lane : m_lanes)
            lane->stream.synchronize();
    }

    void read(IndexRange views, IndexRange rows, Span3<float> out) override {
        makeCurrent(m_device);
        const Index rowBytes = m_layout.columns * kFloatBytes;
        const Index place = m_job.isHeld ? views.begin : views.begin - m_loaded.begin;
        check(cudaMemcpy2DAsync(out.data(), static_cast<std::size_t>(rows.size() * rowBytes),
                                m_held.data() + (place * m_rows + rows.begin) * m_layout.columns,
                                static_cast<std::size_t>(m_rows * rowBytes),
                                static_cast<std::size_t>(rows.size() * rowBytes),
                                static_cast<std::size_t>(views.size()), cudaMemcpyDeviceToHost,
                                m_stream.get()),
              "handing back corrected views");
        m_stream.synchronize();
    }

    void resample(IndexRange views, std::size_t block, IndexRange rows, float* out,
                  Index viewStride) override {
        makeCurrent(m_device);
        const IndexRange stored = m_blocks[block].read;
        Index heldRow = 0;
        for (std::size_t b = 0; b < block; ++b)
            heldRow += m_blocks[b].wanted.size();
        const Index floats = rows.size() * m_layout.columns;
        m_upright.reserve(m_layout.pieceViews * floats);
        for (Index first = views.begin; first < views.end; first += m_layout.pieceViews) {
            const Index count = std::min(m_layout.pieceViews, views.end - first);
            gpu::Resampling task;
            task.from =
                m_held.data() + ((first - m_loaded.begin) * m_rows + heldRow) * m_layout.columns;
            task.viewStride = m_rows * m_layout.columns;
            task.views = static_cast<int>(count);
            task.columns = static_cast<int>(m_layout.columns);
            task.firstRow = static_cast<int>(stored.begin);
            task.rows = static_cast<int>(stored.size());
            task.detectorRows = static_cast<int>(m_job.stored->stored.rows);
            task.outRow = static_cast<int>(rows.begin);
            task.outRows = static_cast<int>(rows.size());
            const Rectifier::Homography& map = m_job.stored->rectifier.homography();
            for (std::size_t i = 0; i < 9; ++i)
                task.toReal[i] = map[i / 3][i % 3];
            gpu::resample(task, m_upright.data(), m_stream.get());
            checkLaunch("resampling views");
            check(cudaMemcpy2DAsync(
                      out + (first - views.begin) * viewStride,
                      static_cast<std::size_t>(viewStride * kFloatBytes), m_upright.data(),
                      static_cast<std::size_t>(floats * kFloatBytes),
                      static_cast<std::size_t>(floats * kFloatBytes),
                      static_cast<std::size_t>(count), cudaMemcpyDeviceToHost, m_stream.get()),
                  "handing back resampled views");
        }
        m_stream.synchronize();
    }

    InvalidPixels invalidIn(IndexRange views, Index count) override {
        makeCurrent(m_device);
        std::vector<unsigned> found(static_cast<std::size_t>(views.size() * gpu::kViewCounters));
        check(cudaMemcpyAsync(
                  found.data(),
                  m_found.data() + (count * m_layout.views + views.begin) * gpu::kViewCounters,
                  found.size() * sizeof(unsigned), cudaMemcpyDeviceToHost, m_stream.get()),
              "counting invalid pixels");
        m_stream.synchronize();
        InvalidPixels all;
        if (!m_job.areIntegrals)
            all.pixels = views.size() * m_countedPixels[static_cast<std::size_t>(count)];
        for (std::size_t view = 0; view < found.size(); view += gpu::kViewCounters) {
            const auto number = [&](int counter) { return Index{found[view + counter]}; };
            all.bad += number(static_cast<int>(gpu::InvalidKind::bad));
            all.notFinite += number(static_cast<int>(gpu::InvalidKind::notFinite));
            all.saturated += number(static_cast<int>(gpu::InvalidKind::saturated));
            all.zero += number(static_cast<int>(gpu::InvalidKind::zero));
            all.negative += number(static_cast<int>(gpu::InvalidKind::negative));
            all.zingers += number(gpu::kZingerCounter);
        }
        return all;
    }

  private:
    struct AllViewsLane {
        AllViewsLane(const ViewStepsJob& job, const StepsLayout& layout)
            : corrections(gpuAllViewsCorrections(job, layout.laneRows)),
              pixels(layout.lanePixels) {}
        Stream stream;
        std::vector<std::unique_ptr<GpuAllViewsCorrection>> corrections;
        DeviceBuffer<float> pixels;  ///< [s][v][u]

        void apply(const gpu::Sinograms& sinograms, cudaStream_t on) {
            for (const auto& correction : corrections)
                correction->apply(sinograms, on);
        }
    };

    // Only wanted rows are counted, not those that are read as their neighbours.
    void countRows(const RowCounts& counts) {
        RowCounts ofWanted(counts.size(), kNotCounted);
        m_countedPixels.assign(static_cast<std::size_t>(m_job.countSets), 0);
        for (const StepRows& block : m_blocks)
            for (const IndexRange& part : block.wanted.parts())
                for (Index row = part.begin; row < part.end; ++row) {
                    const std::int16_t count = counts[static_cast<std::size_t>(row)];
                    ofWanted[static_cast<std::size_t>(row)] = count;
                    if (count != kNotCounted)
                        m_countedPixels[static_cast<std::size_t>(count)] += m_layout.columns;
                }
        check(cudaMemcpyAsync(m_countOfRow.data(), ofWanted.data(),
                              static_cast<std::size_t>(m_countOfRow.sizeBytes()),
                              cudaMemcpyHostToDevice, m_stream.get()),
              "uploading which rows are counted");
        m_stream.synchronize();
    }

    void correctPiece(std::size_t b, IndexRange views, const std::byte* pixels, Index viewBytes,
                      Index heldRow) {
        const IndexRange read = m_blocks[b].read;
        const gpu::ViewBlock block = {static_cast<int>(views.size()), static_cast<int>(read.size()),
                                      static_cast<int>(m_layout.columns),
                                      static_cast<int>(views.begin), static_cast<int>(read.begin)};
        std::byte* to =
            m_job.areIntegrals ? reinterpret_cast<std::byte*>(m_values.data()) : m_stored.data();
        check(cudaMemcpyAsync(to, pixels, static_cast<std::size_t>(views.size() * viewBytes),
                              cudaMemcpyHostToDevice, m_stream.get()),
              "uploading views to be corrected");
        m_uploaded.record(m_stream.get());
        if (!m_job.areIntegrals) toIntegrals(block);
        float* values = m_values.data();
        float* other = m_other.data();
        for (const std::unique_ptr<GpuCorrection>& step : m_corrections)
            if (float* result = step->apply(block, values, other, m_counters, m_stream.get());
                result != values)
                std::swap(values, other);
        checkLaunch("correcting views");
        keep(b, views, values, heldRow);
    }

    void toIntegrals(const gpu::ViewBlock& block) {
        const Acquisition& stored = *m_job.stored;
        gpu::IntegralsTask task;
        task.pixels = m_stored.data();
        task.type = storedTypeOf(stored.stored.pixelType);
        task.preparation = preparationOf(stored);
        task.views = block.views;
        task.rows = block.rows;
        task.columns = block.columns;
        task.firstView = block.firstView;
        task.firstRow = block.firstRow;
        task.dark = m_images.dark.data();
        task.netSignal = m_images.netSignal.data();
        task.saturation = m_images.saturation;
        task.offsets = m_images.offsets.data();
        task.counters = m_counters;
        gpu::toIntegrals(task, m_values.data(), m_stream.get());
    }

    void keep(std::size_t b, IndexRange views, const float* values, Index heldRow) {
        const Index rowBytes = m_layout.columns * kFloatBytes;
        const IndexRange read = m_blocks[b].read;
        const Index place = m_job.isHeld ? views.begin : views.begin - m_loaded.begin;
        for (const IndexRange& part : m_blocks[b].wanted.parts()) {
            check(cudaMemcpy2DAsync(m_held.data() + (place * m_rows + heldRow) * m_layout.columns,
                                    static_cast<std::size_t>(m_rows * rowBytes),
                                    values + (part.begin - read.begin) * m_layout.columns,
                                    static_cast<std::size_t>(read.size() * rowBytes),
                                    static_cast<std::size_t>(part.size() * rowBytes),
                                    static_cast<std::size_t>(views.size()),
                                    cudaMemcpyDeviceToDevice, m_stream.get()),
                  "keeping corrected views");
            heldRow += part.size();
        }
    }

    const int m_device;
    const ViewStepsJob m_job;
    const StepsLayout m_layout;
    // The next views wait for it, and back-projection would fill the device for long.
    Stream m_stream{Stream::Priority::high};
    Event m_uploaded;
    std::vector<StepRows> m_blocks;
    std::vector<Index> m_countedPixels;  ///< [count], of each view
    Index m_rows = 0;                    ///< wanted ones of all blocks
    IndexRange m_loaded;
    DetectorImages m_images;
    DeviceBuffer<std::byte> m_stored;  ///< [s][v][u] of a block
    DeviceBuffer<float> m_values;      ///< [s][v][u] of a block
    DeviceBuffer<float> m_other;       ///< the same, for the next step
    DeviceBuffer<float> m_upright;     ///< [s][v][u] of resampled rows
    DeviceBuffer<float> m_held;        ///< [s][v][u] of all wanted rows
    DeviceBuffer<unsigned> m_found;
    DeviceBuffer<std::int16_t> m_countOfRow;
    gpu::ViewCounters m_counters;
    std::vector<std::unique_ptr<GpuCorrection>> m_corrections;
    std::vector<std::unique_ptr<AllViewsLane>> m_lanes;
};

}  // namespace

std::unique_ptr<ViewSteps> makeGpuViewSteps(const DeviceInfo& device, const ViewStepsJob& job) {
    makeCurrent(device.number);
    return std::make_unique<GpuViewSteps>(device.number, job);
}

std::optional<Index> gpuViewStepsBytes(const ViewStepsJob& job) {
    if (!haveGpuForms(job)) return std::nullopt;
    return StepsLayout(job).bytes(job);
}

}  // namespace gantry
