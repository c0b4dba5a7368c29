#include "gpu/engine/gpu_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/throw_error.h"
#include "core/base/types.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/engine/cone_kernel.h"
#include "gpu/engine/device_slab.h"
#include "gpu/engine/device_spans.h"
#include "gpu/engine/gpu_filter.h"

namespace gantry {

namespace {

// Views in host memory, each in one piece.
struct HostViews {
    const std::byte* first = nullptr;
    Index views = 0;
    Index viewBytes = 0;
    Index strideBytes = 0;  // from one view to the next
};

// Two buffers in the memory of the device that was current when this was made: one is filled from
// the host, on a stream of its own, while another stream reads the other one.
//     switchBuffer() → copy(…) → handTo(reader) → data() is read → release(reader)
//     → synchronize()
// Not thread-safe. Tests: tests/gpu/engine/gpu_engine_test.cpp
class UploadStaging {
  public:
    // Makes room for that many bytes in each buffer; to grow one it waits for what still uses it.
    void reserve(Index bytes);

    // Switches to the other buffer; copies from now on wait until it has been read.
    void switchBuffer();
    // Enqueues the copy; on the device the views lie one behind the other, from that byte on.
    void copy(const HostViews& views, Index toByte = 0);
    [[nodiscard]] const std::byte* data() const { return m_buffers[m_current].bytes.data(); }
    // Makes work that is enqueued on `reader` from now on wait for the copy.
    void handTo(Stream& reader);
    // States that all work that reads the buffer has been enqueued on `reader`.
    void release(const Stream& reader);
    // Blocks until the copy is done, so that the host's memory may be used again.
    void synchronize() const;

    [[nodiscard]] const Stream& stream() const { return m_stream; }

  private:
    struct Buffer {
        DeviceBuffer<std::byte> bytes;
        Event copied;
        Event read;
    };

    Stream m_stream;
    std::array<Buffer, 2> m_buffers;
    std::size_t m_current = 0;
};

// Waits for uploads, which read the host's memory, when its scope is left in whatever way.
class UploadGuard {
  public:
    explicit UploadGuard(const UploadStaging& staging) : m_staging(staging) {}
    ~UploadGuard();
    UploadGuard(const UploadGuard&) = delete;
    UploadGuard& operator=(const UploadGuard&) = delete;

  private:
    const UploadStaging& m_staging;
};

void UploadStaging::reserve(Index bytes) {
    for (Buffer& buffer : m_buffers) {
        if (buffer.bytes.count() >= bytes) continue;
        buffer.read.synchronize();
        buffer.bytes.reserve(bytes);
    }
}

void UploadStaging::switchBuffer() {
    m_current = 1 - m_current;
    m_stream.wait(m_buffers[m_current].read);
}

void UploadStaging::copy(const HostViews& views, Index toByte) {
    Buffer& buffer = m_buffers[m_current];
    require(toByte + views.views * views.viewBytes <= buffer.bytes.count(),
            "a batch is larger than there is room for on the GPU");
    const bool isOnePiece = views.strideBytes == views.viewBytes;
    const Index copies = isOnePiece ? 1 : views.views;
    const Index bytes = isOnePiece ? views.views * views.viewBytes : views.viewBytes;
    for (Index i = 0; i < copies; ++i)
        check(cudaMemcpyAsync(buffer.bytes.data() + toByte + i * bytes,
                              views.first + i * views.strideBytes, static_cast<std::size_t>(bytes),
                              cudaMemcpyHostToDevice, m_stream.get()),
              "copying views to it");
}

void UploadStaging::handTo(Stream& reader) {
    Buffer& buffer = m_buffers[m_current];
    buffer.copied.record(m_stream.get());
    reader.wait(buffer.copied);
}

void UploadStaging::release(const Stream& reader) {
    m_buffers[m_current].read.record(reader.get());
}

void UploadStaging::synchronize() const {
    m_buffers[m_current].copied.synchronize();
}

UploadGuard::~UploadGuard() {
    (void)cudaStreamSynchronize(m_staging.stream().get());
    forgetError();
}

// The driver takes this much device memory for a program: context, kernels, stacks.
constexpr Index kContextBytes = 300'000'000;

Index kernelViews(const DeviceJob& job, const ConeKernel& kernel) {
    return SlabAdder::roomFor(kernel, job.batchViews, job.acquisition->geometry.views);
}

IndexRanges rowsOf(const DeviceBatch& batch) {
    const auto blocks = batch.blocks();
    return blocks.size() == 1 ? IndexRanges(blocks[0].rows)
                              : IndexRanges(blocks[0].rows, blocks[1].rows);
}

// Bytes of a batch as it is uploaded.
Index stagingBytes(const DeviceJob& job) {
    const SourceInfo& source = job.acquisition->stored;
    const Index rowBytes = job.handedOver == ViewState::stored
                               ? source.columns * sizeBytes(source.pixelType)
                               : job.acquisition->geometry.detector.columns * kFloatBytes;
    return job.batchViews * job.maxRows * rowBytes;
}

class GpuEngine final : public DeviceEngine {
  public:
    GpuEngine(const DeviceInfo& device, const DeviceJob& job, const SpanSink& sink,
              std::int64_t originNs);
    ~GpuEngine() override;
    GpuEngine(const GpuEngine&) = delete;
    GpuEngine& operator=(const GpuEngine&) = delete;

    void begin(Index slab, const IndexRanges& slices, IndexRange counted,
               const std::stop_token& stop) override;
    void add(const DeviceBatch& batch, const std::stop_token& stop) override;
    void finish() override;
    void read(Index slab, IndexRange slices, Span3<float> out) override;
    InvalidPixels release(Index slab) override;

  private:
    // Room for one slab at a time.
    struct Place {
        enum class State { empty, filling, finished };
        State state = State::empty;
        Index number = 0;
        DeviceSlab slab;
        Event finished;
        PinnedInvalidPixels invalid;
    };

    [[nodiscard]] Place& finishedPlace(Index slab);
    void addStaged(const DeviceBatch& batch);
    void addHeld();
    [[nodiscard]] Index updatesOf(Index views) const;
    void upload(const DeviceBatch& batch);
    [[nodiscard]] gpu::FilteredViews stagedViews(const IndexRanges& rows, Index nS) const;
    void emitPassed();

    const int m_device;
    const DeviceJob m_job;
    const std::vector<ProjectionMatrix> m_matrices;
    const std::unique_ptr<ConeKernel> m_kernel;
    SlabAdder m_adder;
    std::unique_ptr<GpuFilter> m_filter;  // none where the host filters
    Stream m_compute;
    UploadStaging m_staging;
    SlabReader m_reader;
    const DeviceClock m_clock;
    DeviceSpans m_uploadSpans;
    DeviceSpans m_computeSpans;
    DeviceSpans m_downloadSpans;

    std::mutex m_mutex;  // guards the places' states
    std::condition_variable_any m_released;
    std::vector<Place> m_places;
    Place* m_current = nullptr;  // the place being filled
    Index m_lastBatch = 0;
    IndexRange m_counted;
};

GpuEngine::GpuEngine(const DeviceInfo& device, const DeviceJob& job, const SpanSink& sink,
                     std::int64_t originNs)
    : m_device(device.number),
      m_job(job),
      m_matrices(job.acquisition->geometry.matrices),
      m_kernel(makeConeKernel(job.kernel, device)),
      m_adder(*m_kernel),
      m_reader(job.volume, job.chunkSlices, m_kernel->isZFastest()),
      m_clock(m_compute.get(), originNs),
      m_uploadSpans(fmt::format("GPU {} upload", device.number), m_clock, sink),
      m_computeSpans(fmt::format("GPU {}", device.number), m_clock, sink),
      m_downloadSpans(fmt::format("GPU {} download", device.number), m_clock, sink),
      m_places(static_cast<std::size_t>(std::max(job.slabsAtOnce, 1))) {
    for (Place& place : m_places)
        place.slab.begin(job.volume, IndexRange{0, job.maxSlices}, m_kernel->isZFastest(),
                         m_compute.get());
    if (job.maxRows > 0) {  // no rows: the volume misses the detector
        m_staging.reserve(stagingBytes(job));
        m_kernel->reserve(kernelViews(job, *m_kernel), job.maxRows,
                          job.acquisition->geometry.detector.columns);
        if (job.handedOver != ViewState::filtered) m_filter = std::make_unique<GpuFilter>(job);
    }
    m_compute.synchronize();
}

GpuEngine::~GpuEngine() {
    // Nothing may be freed that the device still uses; a lost one returns at once.
    (void)cudaSetDevice(m_device);
    for (const Stream* stream :
         {&m_staging.stream(), &std::as_const(m_compute), &m_reader.stream()})
        (void)cudaStreamSynchronize(stream->get());
    forgetError();
}

void GpuEngine::begin(Index slab, const IndexRanges& slices, IndexRange counted,
                      const std::stop_token& stop) {
    makeCurrent(m_device);
    emitPassed();
    require(m_current == nullptr, "a slab was begun before the last one was finished");
    require(slices.size() <= m_job.maxSlices, "a slab is larger than there is room for");
    const auto isEmpty = [](const Place& place) { return place.state == Place::State::empty; };
    {
        std::unique_lock lock(m_mutex);
        const auto find = [&] { return std::ranges::find_if(m_places, isEmpty); };
        if (!m_released.wait(lock, stop, [&] { return find() != m_places.end(); }) ||
            stop.stop_requested())
            throw Cancelled();
        m_current = &*find();
        m_current->state = Place::State::filling;
        m_current->number = slab;
    }
    m_counted = counted;
    m_current->slab.begin(m_job.volume, slices, m_kernel->isZFastest(), m_compute.get());
}

void GpuEngine::add(const DeviceBatch& batch, const std::stop_token& stop) {
    if (stop.stop_requested()) throw Cancelled();
    makeCurrent(m_device);
    emitPassed();
    require(m_current != nullptr, "views came before a slab was begun");
    require(batch.rowCount() <= m_job.maxRows && batch.views.size() <= m_job.batchViews,
            "a batch is larger than there is room for");
    if (batch.rowCount() == 0 || batch.views.empty()) return;

    const Index bytes = batch.views.size() * batch.rowCount() * batch.rowBytes;
    const UploadGuard guard(m_staging);
    m_staging.switchBuffer();
    m_uploadSpans.measure(m_staging.stream().get(), Stage::upload,
                          {m_current->number, batch.number, bytes, 0}, [&] { upload(batch); });
    m_staging.handTo(m_compute);
    addStaged(batch);
    m_staging.synchronize();
}

// Uploads the blocks one behind the other, which is the order the filter expects.
void GpuEngine::upload(const DeviceBatch& batch) {
    Index toByte = 0;
    for (const RowBlock& block : batch.blocks()) {
        const Index viewBytes = block.rows.size() * batch.rowBytes;
        m_staging.copy({block.first, batch.views.size(), viewBytes, block.viewStrideBytes}, toByte);
        toByte += batch.views.size() * viewBytes;
    }
}

// Enqueues all work on the batch uploaded last.
void GpuEngine::addStaged(const DeviceBatch& batch) {
    const IndexRanges rows = rowsOf(batch);
    const Index nS = batch.views.size();
    const Index floatBytes =
        nS * rows.size() * m_job.acquisition->geometry.detector.columns * kFloatBytes;
    gpu::FilteredViews views = stagedViews(rows, nS);
    if (m_filter) {
        m_computeSpans.measure(m_compute.get(), Stage::filter,
                               {m_current->number, batch.number, floatBytes, 0}, [&] {
                                   views = m_filter->apply(m_staging.data(), batch.views, rows,
                                                           m_counted, m_compute.get());
                               });
        m_staging.release(m_compute);
    }
    StageWork work = {m_current->number, batch.number, floatBytes, 0};
    m_computeSpans.measure(m_compute.get(), Stage::backproject, work, [&] {
        const auto own = std::span(m_matrices).subspan(batch.views.begin, nS);
        work.updates =
            updatesOf(m_adder.add(m_current->slab, views, own, rows.hull().begin, m_compute.get()));
    });
    m_lastBatch = batch.number;
    if (!m_filter) m_staging.release(m_compute);
}

// Adds the views that are still held: a slab's last ones may be fewer than the kernel prefers.
void GpuEngine::addHeld() {
    StageWork work = {m_current->number, m_lastBatch, 0, 0};
    m_computeSpans.measure(m_compute.get(), Stage::backproject, work, [&] {
        work.updates = updatesOf(m_adder.finish(m_current->slab, m_compute.get()));
    });
}

Index GpuEngine::updatesOf(Index views) const {
    const auto& voxels = m_job.volume.voxels;
    return voxels[0] * voxels[1] * m_current->slab.slices().size() * views;
}

// The views as they were uploaded, floats where the host filters.
gpu::FilteredViews GpuEngine::stagedViews(const IndexRanges& rows, Index nS) const {
    const Index nU = m_job.acquisition->geometry.detector.columns;
    const auto block = [&](IndexRange part, Index before) {
        return gpu::plainViews(reinterpret_cast<const float*>(m_staging.data()) + nS * before * nU,
                               static_cast<int>(nS), static_cast<int>(part.size()),
                               static_cast<int>(nU));
    };
    const auto parts = rows.parts();
    if (parts.size() == 1) return block(parts[0], 0);
    return gpu::joined(block(parts[0], 0), block(parts[1], parts[0].size()),
                       static_cast<int>(parts[1].begin - parts[0].begin));
}

void GpuEngine::finish() {
    makeCurrent(m_device);
    require(m_current != nullptr, "a slab was finished that was not begun");
    if (m_adder.held() > 0) addHeld();
    if (m_filter) m_filter->enqueueInvalid(m_current->invalid, m_compute.get());
    m_current->finished.record(m_compute.get());
    emitPassed();
    const std::scoped_lock lock(m_mutex);
    m_current->state = Place::State::finished;
    m_current = nullptr;
}

GpuEngine::Place& GpuEngine::finishedPlace(Index slab) {
    const std::scoped_lock lock(m_mutex);
    for (Place& place : m_places)
        if (place.state == Place::State::finished && place.number == slab) return place;
    throwError<InternalError>("slab {} was to be read before it was finished", slab);
}

void GpuEngine::read(Index slab, IndexRange slices, Span3<float> out) {
    makeCurrent(m_device);
    const Place& place = finishedPlace(slab);
    m_reader.read(place.slab, place.finished, slices, out, slab, m_downloadSpans);
    emitPassed();
}

InvalidPixels GpuEngine::release(Index slab) {
    makeCurrent(m_device);
    Place& place = finishedPlace(slab);
    place.finished.synchronize();  // nobody may have read it
    emitPassed();
    const InvalidPixels invalid = place.invalid.counts();
    {
        const std::scoped_lock lock(m_mutex);
        place.state = Place::State::empty;
    }
    m_released.notify_all();
    return invalid;
}

void GpuEngine::emitPassed() {
    m_uploadSpans.emitPassed();
    m_computeSpans.emitPassed();
    m_downloadSpans.emitPassed();
}

}  // namespace

std::unique_ptr<DeviceEngine> makeGpuEngine(const DeviceInfo& device, const DeviceJob& job,
                                            const SpanSink& sink, std::int64_t originNs) {
    require(job.acquisition != nullptr, "a job on a GPU has no scan");
    makeCurrent(device.number);
    return std::make_unique<GpuEngine>(device, job, sink, originNs);
}

Index gpuEngineBytes(const DeviceJob& job) {
    const std::unique_ptr<ConeKernel> kernel = makeConeKernel(job.kernel, DeviceInfo());
    const Index slabs =
        std::max(job.slabsAtOnce, 1) * DeviceSlab::bytesNeeded(job.volume, job.maxSlices) +
        DeviceSlab::transposeBytes(job.volume, job.chunkSlices, kernel->isZFastest());
    if (job.maxRows <= 0) return slabs + kContextBytes;
    const Index columns = job.acquisition->geometry.detector.columns;
    const Index filter = job.handedOver == ViewState::filtered ? 0 : gpuFilterBytes(job);
    return slabs + kernel->viewBytes(kernelViews(job, *kernel), job.maxRows, columns) +
           2 * stagingBytes(job) + filter + kContextBytes;
}

}  // namespace gantry
