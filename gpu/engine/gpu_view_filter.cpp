#include "gpu/engine/gpu_engine.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/engine/device_slab.h"
#include "gpu/engine/device_spans.h"
#include "gpu/engine/gpu_filter.h"
#include "gpu/kernels/repack_views.h"

namespace gantry {

namespace {

Index pixelsIn(const DeviceJob& job, Index columns) {
    return job.batchViews * job.maxRows * columns;
}

// Bytes of a batch as it is uploaded.
Index takenBytes(const DeviceJob& job) {
    const SourceInfo& source = job.acquisition->stored;
    return job.handedOver == ViewState::stored
               ? pixelsIn(job, source.columns) * sizeBytes(source.pixelType)
               : pixelsIn(job, job.acquisition->geometry.detector.columns) * kFloatBytes;
}

class GpuViewFilter final : public ViewFilter {
  public:
    GpuViewFilter(const DeviceInfo& device, const DeviceJob& job, const SpanSink& sink,
                  std::int64_t originNs)
        : m_device(device.number),
          m_columns(job.acquisition->geometry.detector.columns),
          m_stream(Stream::Priority::high),
          m_taken(takenBytes(job)),
          m_filtered(pixelsIn(job, m_columns)),
          m_filter(job),
          m_clock(m_stream.get(), originNs),
          m_spans(fmt::format("GPU {} filter", device.number), m_clock, sink) {}

    ~GpuViewFilter() override {
        // Nothing may be freed that the device still uses; a lost one returns at once.
        (void)cudaSetDevice(m_device);
        (void)cudaStreamSynchronize(m_stream.get());
        forgetError();
    }
    GpuViewFilter(const GpuViewFilter&) = delete;
    GpuViewFilter& operator=(const GpuViewFilter&) = delete;

    InvalidPixels apply(const DeviceBatch& batch, IndexRange counted, Span3<float> out,
                        const std::stop_token& stop) override {
        if (stop.stop_requested()) throw Cancelled();
        const RowBlock& block = batch.rowBlocks[0];
        const Index viewBytes = block.rows.size() * batch.rowBytes;
        require(batch.blocks().size() == 1 &&
                    batch.views.size() * viewBytes <= m_taken.sizeBytes() &&
                    out.count() <= m_filtered.count(),
                "a batch to be filtered is larger than there is room for");
        require(out.size(0) == batch.views.size() && out.size(1) == block.rows.size() &&
                    out.size(2) == m_columns,
                "filtered views have another shape than their batch");
        if (out.count() == 0) return {};
        makeCurrent(m_device);
        enqueue(batch, block, counted, out);
        m_stream.synchronize();
        m_spans.emitPassed();
        return m_invalid.counts();
    }

  private:
    void enqueue(const DeviceBatch& batch, const RowBlock& block, IndexRange counted,
                 Span3<float> out) {
        const Index bytes = batch.views.size() * block.rows.size() * batch.rowBytes;
        const Index outBytes = out.count() * kFloatBytes;
        const auto measure = [&](Stage stage, Index moved, const auto& work) {
            m_spans.measure(m_stream.get(), stage, {0, batch.number, moved, 0}, work);
        };
        measure(Stage::upload, bytes, [&] { upload(batch.views.size(), block, batch.rowBytes); });
        measure(Stage::filter, outBytes, [&] {
            const gpu::FilteredViews views = m_filter.apply(
                m_taken.data(), batch.views, IndexRanges(block.rows), counted, m_stream.get());
            gpu::repackPlain(views, m_filtered.data(), m_stream.get());
            checkLaunch("handing back filtered views");
        });
        measure(Stage::download, outBytes, [&] {
            check(cudaMemcpyAsync(out.data(), m_filtered.data(), static_cast<std::size_t>(outBytes),
                                  cudaMemcpyDeviceToHost, m_stream.get()),
                  "handing back filtered views");
        });
        m_filter.enqueueInvalid(m_invalid, m_stream.get());
    }

    void upload(Index views, const RowBlock& block, Index rowBytes) {
        const auto viewBytes = static_cast<std::size_t>(block.rows.size() * rowBytes);
        check(cudaMemcpy2DAsync(m_taken.data(), viewBytes, block.first,
                                static_cast<std::size_t>(block.viewStrideBytes), viewBytes,
                                static_cast<std::size_t>(views), cudaMemcpyHostToDevice,
                                m_stream.get()),
              "uploading views to be filtered");
    }

    const int m_device;
    const Index m_columns;
    Stream m_stream;
    DeviceBuffer<std::byte> m_taken;
    DeviceBuffer<float> m_filtered;
    GpuFilter m_filter;
    PinnedInvalidPixels m_invalid;
    const DeviceClock m_clock;
    DeviceSpans m_spans;
};

}  // namespace

std::unique_ptr<ViewFilter> makeGpuViewFilter(const DeviceInfo& device, const DeviceJob& job,
                                              const SpanSink& sink, std::int64_t originNs) {
    require(job.acquisition != nullptr, "a job on a GPU has no scan");
    makeCurrent(device.number);
    return std::make_unique<GpuViewFilter>(device, job, sink, originNs);
}

Index gpuViewFilterBytes(const DeviceJob& job) {
    return takenBytes(job) +
           pixelsIn(job, job.acquisition->geometry.detector.columns) * kFloatBytes +
           gpuFilterBytes(job);
}

}  // namespace gantry
