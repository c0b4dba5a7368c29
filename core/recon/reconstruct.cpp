#include "core/recon/reconstruct.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/filter/cpu_filter.h"
#include "core/geometry/validate.h"
#include "core/pipeline/batch.h"
#include "core/pipeline/ring_buffer.h"
#include "core/pipeline/runner.h"
#include "core/recon/job_plan.h"
#include "core/recon/provenance.h"
#include "core/recon/report.h"
#include "core/recon/view_stages.h"
#include "core/recon/volume_store.h"

namespace gantry {

namespace {

// Finished slices on their way to the sink; `voxels` goes round.
struct Chunk {
    Index slab = 0;
    IndexRange slices;
    bool lastOfSlab = false;
    HostBuffer<float> voxels;
};

// One run of one job: what its lanes share.
class FdkRun {
  public:
    FdkRun(const JobDirectory& job, const RunContext& context, EventLog& events);

    RunResult run();

  private:
    void runLanes();
    void makeSlots();
    void spawnLanes(Runner& runner);
    void loadLane(Lane& lane);
    void filterLane(Lane& lane);
    void backprojectLane(Lane& lane);
    void readSlab(Lane& lane, Index slab);
    void storeLane(Lane& lane);
    void finish();

    [[nodiscard]] Index slabCount() const { return static_cast<Index>(m_plan.slabs.size()); }
    [[nodiscard]] const SlabPlan& slabAt(Index i) const {
        return m_plan.slabs[static_cast<std::size_t>(i)];
    }
    void note(const std::string& text);
    void report(Index slab, Index batch);

    const JobDirectory& m_job;
    const JobSpec& m_spec;
    const RunContext& m_context;
    EventLog& m_events;
    OpenScan m_scan;
    std::unique_ptr<BackProjector> m_backProjector;
    std::optional<Checkpoint> m_checkpoint;
    JobPlan m_plan;
    std::unique_ptr<ProjectionFilter> m_filter;
    VolumeStore m_store;  ///< after all else that a request can be refused for
    Index m_firstSlab;
    std::vector<ProjectionMatrix> m_matrices;
    ViewStages m_stages;
    std::vector<FileChecksum> m_checksums;
    std::vector<TimelineSpan> m_spans;
    std::mutex m_spanMutex;
    RunResult m_result;
    std::int64_t m_beginNs;
    std::int64_t m_lastReportNs = 0;
    double m_updates = 0;

    RingBuffer<Batch> m_freeBatches;
    RingBuffer<Batch> m_loaded;
    RingBuffer<Batch> m_filtered;
    RingBuffer<Chunk> m_freeChunks;
    RingBuffer<Chunk> m_finished;
};

OpenScan openChecked(const JobSpec& spec, const std::stop_token& stop) {
    // The grid first: its sizes go into sums of memory before anything else looks at them.
    throwOnError(validate(spec.scan.geometry), spec.scan.path.string());
    throwOnError(validate(spec.volume, spec.scan.geometry), spec.scan.path.string());
    return openScan(spec.scan, stop);
}

std::vector<IndexRange> slicesOf(const JobPlan& plan) {
    std::vector<IndexRange> slices;
    for (const SlabPlan& slab : plan.slabs)
        slices.push_back(slab.slices);
    return slices;
}

FdkRun::FdkRun(const JobDirectory& job, const RunContext& context, EventLog& events)
    : m_job(job),
      m_spec(job.spec()),
      m_context(context),
      m_events(events),
      m_scan(openChecked(m_spec, context.stop)),
      m_backProjector(makeBackProjector(m_spec, context.backends)),
      m_checkpoint(job.readCheckpoint()),
      m_plan(planJob(m_scan, m_spec, *m_backProjector, m_checkpoint)),
      m_filter(makeCpuFilter(m_scan.geometry, m_spec.filter, m_scan.redundancy, m_plan.threads)),
      m_store(job, slicesOf(m_plan), m_checkpoint, inputState(m_scan.files)),
      m_firstSlab(m_store.slabsKept()),
      m_matrices(projectionMatrices(m_scan.geometry)),
      m_stages(m_scan, m_plan.threads, slabCount(), m_store.gated()),
      m_beginNs(nowNs()),
      m_freeBatches(m_plan.ringSlots),
      m_loaded(m_plan.ringSlots),
      m_filtered(m_plan.ringSlots),
      m_freeChunks(m_plan.chunkSlots),
      m_finished(m_plan.chunkSlots) {
    m_checkpoint.reset();
    m_result.engine = context.backends.cpuName;
    m_result.slabs = slabCount();
    m_result.slabsResumed = m_firstSlab;
    m_result.forecastHostBytes = m_plan.hostBytes;
}

void FdkRun::note(const std::string& text) {
    m_result.notes.push_back(text);
    m_events.log("info", text);
    if (m_context.onMessage) m_context.onMessage(text);
}

void FdkRun::makeSlots() {
    const Index columns = m_scan.geometry.detector.columns;
    Index rows = 0;
    Index storedRows = 0;
    for (const SlabPlan& slab : m_plan.slabs) {
        rows = std::max(rows, slab.rows.size());
        storedRows = std::max(storedRows, m_stages.storedRows(slab.rows).size());
    }
    const SourceInfo& info = m_scan.source->info();
    const Index storedBytes = storedRows * info.columns * sizeBytes(info.pixelType);
    const std::stop_token never;
    for (Index i = 0; i < m_plan.ringSlots; ++i) {
        Batch batch;
        batch.stored = HostBuffer<std::byte>(m_plan.batchViews * storedBytes);
        batch.values = HostBuffer<float>(m_plan.batchViews * rows * columns);
        m_freeBatches.push(std::move(batch), never);
    }
    const auto [nX, nY, nZ] = m_spec.volume.voxels;
    for (Index i = 0; i < m_plan.chunkSlots; ++i) {
        Chunk chunk;
        chunk.voxels = HostBuffer<float>(m_plan.chunkSlices * nX * nY);
        m_freeChunks.push(std::move(chunk), never);
    }
}

void FdkRun::loadLane(Lane& lane) {
    const Index nViews = m_scan.geometry.views;
    for (Index slab = m_firstSlab; slab < slabCount(); ++slab) {
        for (Index number = 0; number < m_plan.batchesPerSlab; ++number) {
            Batch batch = *m_freeBatches.pop(lane.stop());
            batch.slab = slab;
            batch.number = number;
            batch.views = {number * m_plan.batchViews,
                           std::min((number + 1) * m_plan.batchViews, nViews)};
            batch.rows = slabAt(slab).rows;
            batch.storedRows = m_stages.storedRows(batch.rows);
            batch.lastOfSlab = number + 1 == m_plan.batchesPerSlab;
            const SourceInfo& info = m_scan.source->info();
            const Index bytes = batch.views.size() * batch.storedRows.size() * info.columns *
                                sizeBytes(info.pixelType);
            lane.measure(Stage::load, {slab, number, bytes, 0},
                         [&] { m_stages.load(batch, lane.stop()); });
            m_loaded.push(std::move(batch), lane.stop());
        }
    }
    m_loaded.close();
}

void FdkRun::filterLane(Lane& lane) {
    const Index columns = m_scan.geometry.detector.columns;
    while (std::optional<Batch> batch = m_loaded.pop(lane.stop())) {
        const Span3<float> views = batch->valueSpan(columns);
        const StageWork work = {batch->slab, batch->number, views.count() * Index{sizeof(float)},
                                0};
        lane.measure(Stage::prepare, work, [&] { m_stages.prepare(*batch, lane.stop()); });
        lane.measure(Stage::filter, work, [&] {
            m_filter->apply(views, batch->views.begin, batch->rows.begin, lane.stop());
        });
        m_filtered.push(std::move(*batch), lane.stop());
    }
    m_filtered.close();
}

void FdkRun::backprojectLane(Lane& lane) {
    const auto [nX, nY, nZ] = m_spec.volume.voxels;
    const Index columns = m_scan.geometry.detector.columns;
    while (std::optional<Batch> batch = m_filtered.pop(lane.stop())) {
        const IndexRange slices = slabAt(batch->slab).slices;
        const Index updates = nX * nY * slices.size() * batch->views.size();
        const Span3<float> views = batch->valueSpan(columns);
        const auto matrices = std::span<const ProjectionMatrix>(m_matrices)
                                  .subspan(static_cast<std::size_t>(batch->views.begin),
                                           static_cast<std::size_t>(batch->views.size()));
        lane.measure(
            Stage::backproject,
            {batch->slab, batch->number, views.count() * Index{sizeof(float)}, updates}, [&] {
                if (batch->number == 0) m_backProjector->begin(m_spec.volume, slices);
                if (!batch->rows.empty())
                    m_backProjector->add({views, batch->rows.begin, matrices}, lane.stop());
            });
        m_updates += static_cast<double>(updates);
        const Index slab = batch->slab;
        const bool last = batch->lastOfSlab;
        report(slab, batch->number);
        m_freeBatches.push(std::move(*batch), lane.stop());
        if (last) readSlab(lane, slab);
    }
    m_finished.close();
}

// Hands a finished slab on in chunks, which are written while the next are copied.
void FdkRun::readSlab(Lane& lane, Index slab) {
    const auto [nX, nY, nZ] = m_spec.volume.voxels;
    const IndexRange slices = slabAt(slab).slices;
    for (Index z = slices.begin; z < slices.end; z += m_plan.chunkSlices) {
        Chunk chunk = *m_freeChunks.pop(lane.stop());
        chunk.slab = slab;
        chunk.slices = {z, std::min(z + m_plan.chunkSlices, slices.end)};
        chunk.lastOfSlab = chunk.slices.end == slices.end;
        const Span3<float> voxels = {chunk.voxels.data(), chunk.slices.size(), nY, nX};
        lane.measure(Stage::download,
                     {slab, z / m_plan.chunkSlices, voxels.count() * Index{sizeof(float)}, 0},
                     [&] { m_backProjector->read(chunk.slices, voxels); });
        m_finished.push(std::move(chunk), lane.stop());
    }
}

void FdkRun::storeLane(Lane& lane) {
    const auto [nX, nY, nZ] = m_spec.volume.voxels;
    while (std::optional<Chunk> chunk = m_finished.pop(lane.stop())) {
        const Span3<const float> voxels = {chunk->voxels.data(), chunk->slices.size(), nY, nX};
        const Index zBegin = chunk->slices.begin;
        lane.measure(
            Stage::store,
            {chunk->slab, zBegin / m_plan.chunkSlices, voxels.count() * Index{sizeof(float)}, 0},
            [&] {
                m_store.write(zBegin, voxels, m_plan.threads);
                if (chunk->lastOfSlab) m_store.keepSlab(chunk->slab, m_stages.gated(chunk->slab));
            });
        m_freeChunks.push(std::move(*chunk), lane.stop());
    }
}

void FdkRun::report(Index slab, Index batch) {
    constexpr std::int64_t kEveryNs = 100'000'000;
    const std::int64_t now = nowNs();
    const bool last = slab + 1 == slabCount() && batch + 1 == m_plan.batchesPerSlab;
    if (now - m_lastReportNs < kEveryNs && !last) return;
    m_lastReportNs = now;
    const double all =
        static_cast<double>(m_spec.volume.count()) * static_cast<double>(m_scan.geometry.views);
    const double before = static_cast<double>(slabAt(m_firstSlab).slices.begin) /
                          static_cast<double>(m_spec.volume.voxels[2]);
    Progress progress;
    const double thisRun = m_updates / all;
    progress.fraction = before + thisRun;
    progress.elapsedSeconds = 1e-9 * static_cast<double>(now - m_beginNs);
    progress.leftSeconds =
        thisRun > 0 ? progress.elapsedSeconds * (1 - progress.fraction) / thisRun : -1;
    progress.gups = m_updates / progress.elapsedSeconds / static_cast<double>(1 << 30);
    m_events.progress(progress);
    if (m_context.onProgress) m_context.onProgress(progress);
}

void FdkRun::spawnLanes(Runner& runner) {
    runner.spawn("load", [this](Lane& lane) { loadLane(lane); });
    runner.spawn("filter", [this](Lane& lane) { filterLane(lane); });
    runner.spawn("back-project", [this](Lane& lane) { backprojectLane(lane); });
    runner.spawn("store", [this](Lane& lane) { storeLane(lane); });
    if (m_spec.checksumInput)
        runner.spawn("checksum", [this](Lane& lane) {
            m_checksums = checksumFiles(m_scan.files, lane.stop());
        });
}

void FdkRun::runLanes() {
    makeSlots();
    Runner runner(
        m_events.originNs(),
        [this](const TimelineSpan& span) {
            m_events.span(span);
            const std::scoped_lock lock(m_spanMutex);
            m_spans.push_back(span);
        },
        m_context.stop);
    spawnLanes(runner);
    runner.wait();
}

RunResult FdkRun::run() {
    note(m_scan.redundancy.reason);
    if (!m_scan.rectifier.isIdentity())
        note("The detector's roll, tilt and slant are taken out by resampling each view.");
    try {
        runLanes();
        finish();
    } catch (...) {
        m_store.abandon();
        throw;
    }
    return std::move(m_result);
}

void FdkRun::finish() {
    const GateProgress& gated =
        m_firstSlab < slabCount() ? m_stages.gated(slabCount() - 1) : m_store.gated();
    m_result.gate = gated.counts;
    if (const std::string text = describe(m_result.gate); !text.empty()) note(text);
    const VolumeSummary& summary = m_store.summary();
    m_result.smallest = summary.smallest();
    m_result.largest = summary.largest();
    m_result.centralSlices = summary.centralSlices();
    m_result.timeline = summarise(m_spans);
    writePreview(m_job, summary);
    m_events.preview("preview.mha");
    m_store.finish();
    writeFileAtomically(provenancePath(m_spec.output.path),
                        toJson(Provenance{m_spec, m_result.engine, m_result.notes, m_checksums}));
    m_job.removeCheckpoint();
}

// The volume is complete by now: a report that cannot be written is said, and fails nothing.
void reportRun(const JobDirectory& job, const RunResult& result, const RunContext& context) {
    try {
        writeReport(job, result);
    } catch (const Error& error) {
        if (context.onMessage)
            context.onMessage(fmt::format("The report was not written: {}", error.what()));
    }
}

// What the spans alone do not tell, beside the forecast. The volume is complete whatever comes.
void logFigures(EventLog& events, const RunResult& result) noexcept {
    try {
        events.metric("wallSeconds", result.wallSeconds, "s");
        events.metric("cpuSeconds", result.cpuSeconds, "s");
        events.metric("overlapFactor", result.timeline.overlapFactor, "");
    } catch (const std::exception&) {
    }
}

// The first failure is the one to be told, also where the log cannot take its end.
void logEnd(EventLog& events, JobState state, const char* message) noexcept {
    try {
        events.state(state, message);
    } catch (const std::exception&) {
    }
}

}  // namespace

RunResult runJob(const JobDirectory& job, const RunContext& context) {
    EventLog events(job.file("events.jsonl"));
    const std::int64_t beginNs = nowNs();
    const double beginCpu = processCpuSeconds();
    try {
        events.state(JobState::running);
        RunResult result = FdkRun(job, context, events).run();
        result.wallSeconds = 1e-9 * static_cast<double>(nowNs() - beginNs);
        result.cpuSeconds = processCpuSeconds() - beginCpu;
        reportRun(job, result, context);
        logFigures(events, result);
        logEnd(events, JobState::done, "");
        return result;
    } catch (const Cancelled&) {
        logEnd(events, JobState::cancelled, "");
        throw;
    } catch (const std::exception& error) {
        logEnd(events, JobState::failed, error.what());
        throw;
    }
}

}  // namespace gantry
