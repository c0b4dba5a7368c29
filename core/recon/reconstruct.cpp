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
#include "core/geometry/validate.h"
#include "core/pipeline/runner.h"
#include "core/recon/chunk_lane.h"
#include "core/recon/cpu_lane.h"
#include "core/recon/device_lanes.h"
#include "core/recon/device_plan.h"
#include "core/recon/job_forecast.h"
#include "core/recon/planned_job.h"
#include "core/recon/provenance.h"
#include "core/recon/report.h"
#include "core/recon/run_log.h"
#include "core/recon/run_progress.h"
#include "core/recon/view_lanes.h"
#include "core/recon/volume_store.h"

namespace gantry {

namespace {

// One run of one job: its lanes, and what comes before and after them.
class FdkRun {
  public:
    FdkRun(const JobDirectory& job, const RunContext& context, EventLog& events, JobEvents before);

    RunResult run();

  private:
    void describeRun();
    void makeLanes();
    void spawnLanes(Runner& runner);
    void runLanes();
    void finish();
    void completeVolume();

    [[nodiscard]] bool isOnDevices() const { return !m_job.plan.devices.empty(); }
    [[nodiscard]] GateProgress gated(Index pass) const;
    void note(const std::string& text);
    void logOnce(const std::string& text);
    void tell(const Progress& progress);
    void take(const TimelineSpan& span);

    const JobDirectory& m_directory;
    const JobSpec& m_spec;
    const RunContext& m_context;
    EventLog& m_events;
    OpenScan m_scan;
    std::optional<Checkpoint> m_checkpoint;
    PlannedJob m_job;
    GateProgress m_before;  ///< gated by an interrupted run
    RunProgress m_progress;
    std::vector<FileChecksum> m_checksums;
    std::vector<std::string> m_logged;  ///< by earlier runs of the job
    std::vector<TimelineSpan> m_spans;  ///< of all runs
    std::mutex m_spanMutex;
    RunResult m_result;

    // Devices may be copying what the slots of the first two hold: they end before these.
    ViewLanes m_views;
    const std::string m_engine;
    VolumeStore m_store;  ///< after all else that a request can be refused for
    ChunkLane m_chunks;
    std::optional<CpuLane> m_cpu;
    std::optional<DeviceLanes> m_devices;
};

OpenScan openChecked(const JobSpec& spec, const std::stop_token& stop) {
    // The grid first: its sizes go into sums of memory before anything else looks at them.
    throwOnError(validate(spec.scan.geometry), spec.scan.path.string());
    throwOnError(validate(spec.volume, spec.scan.geometry), spec.scan.path.string());
    return openScan(spec.scan, stop);
}

PlannedJob planned(const OpenScan& scan, const JobSpec& spec, const RunContext& context,
                   const std::optional<Checkpoint>& checkpoint) {
    JobPlan plan = planRun(scan, spec, context.backends, checkpoint, context.stop);
    std::vector<PassPlan> passes = passesOf(plan);
    return {scan, spec, std::move(plan), std::move(passes)};
}

std::vector<IndexRange> slicesOf(const JobPlan& plan) {
    std::vector<IndexRange> slices;
    for (const SlabPlan& slab : plan.slabs)
        slices.push_back(slab.slices);
    return slices;
}

// The part of the volume that an interrupted run has made.
double partDone(const PlannedJob& job) {
    if (job.passes.empty()) return 1;
    return static_cast<double>(job.slab(job.plan.firstSlab).slices.begin) /
           static_cast<double>(job.spec.volume.voxels[2]);
}

// What makes the volume, with what made the slabs of an interrupted run where that was another.
std::string engineOf(const JobPlan& plan, const RunContext& context,
                     const std::optional<Checkpoint>& checkpoint) {
    std::string now = plan.devices.empty() ? context.backends.cpuName : engineName(plan);
    if (!checkpoint || checkpoint->slabsDone == 0 || checkpoint->engine.empty()) return now;
    const std::string& before = checkpoint->engine;
    return before == now || before.ends_with(", then " + now)
               ? before
               : fmt::format("{}, then {}", before, now);
}

double updatesOf(const PlannedJob& job) {
    return static_cast<double>(job.spec.volume.count()) *
           static_cast<double>(job.scan.geometry.views);
}

FdkRun::FdkRun(const JobDirectory& job, const RunContext& context, EventLog& events,
               JobEvents before)
    : m_directory(job),
      m_spec(job.spec()),
      m_context(context),
      m_events(events),
      m_scan(openChecked(m_spec, context.stop)),
      m_checkpoint(job.readCheckpoint()),
      m_job(planned(m_scan, m_spec, context, m_checkpoint)),
      m_before(m_checkpoint ? m_checkpoint->gated : GateProgress{}),
      m_progress(partDone(m_job), updatesOf(m_job),
                 [this](const Progress& progress) { tell(progress); }),
      m_logged(std::move(before.logs)),
      m_spans(std::move(before.spans)),
      m_views(m_job, m_before),
      m_engine(engineOf(m_job.plan, context, m_checkpoint)),
      m_store(job, slicesOf(m_job.plan), m_checkpoint, inputState(m_scan.files), m_engine),
      m_chunks(m_job, m_store) {
    m_checkpoint.reset();
    m_result.engine = m_engine;
    m_result.leftOut = m_scan.leftOut;
    m_result.slabs = static_cast<Index>(m_job.plan.slabs.size());
    m_result.slabsResumed = m_job.plan.firstSlab;
    m_result.forecastHostBytes = m_job.plan.hostBytes;
}

void FdkRun::note(const std::string& text) {
    m_result.notes.push_back(text);
    logOnce(text);
}

void FdkRun::logOnce(const std::string& text) {
    if (std::find(m_logged.begin(), m_logged.end(), "info: " + text) == m_logged.end())
        m_events.log("info", text);
}

void FdkRun::tell(const Progress& progress) {
    Progress ofJob = progress;
    ofJob.elapsedSeconds = m_events.work().seconds();
    m_events.progress(ofJob);
    if (m_context.onProgress) m_context.onProgress(ofJob);
}

void FdkRun::take(const TimelineSpan& span) {
    m_events.span(span);
    const std::scoped_lock lock(m_spanMutex);
    m_spans.push_back(span);
}

void FdkRun::describeRun() {
    logOnce(fmt::format("Engine: {}.", m_engine));
    if (m_job.plan.firstSlab > 0)
        m_events.log("info", fmt::format("Continues from {} of {} finished slabs.",
                                         m_job.plan.firstSlab, m_job.plan.slabs.size()));
    note(m_scan.redundancy.reason);
    if (!m_scan.leftOut.empty()) note(leftOutText(m_scan.leftOut, m_spec.scan.geometry.views));
    if (!m_scan.rectifier.isIdentity())
        note("The detector's roll, tilt and slant were corrected by resampling each view.");
    for (const std::string& text : m_job.plan.notes)
        note(text);
    if (!isOnDevices()) return;
    note(m_job.plan.handedOver == ViewState::filtered ? "Views were filtered on the CPU."
         : m_job.plan.handedOver == ViewState::stored
             ? "Views were prepared and filtered on the GPU."
             : "Views were filtered on the GPU.");
    const std::vector<DevicePlan>& devices = m_job.plan.devices;
    if (std::any_of(devices.begin(), devices.end(),
                    [](const DevicePlan& device) { return isFastKernel(device.kernel.kernel); }))
        note(
            "Texture hardware interpolated, with fractions of 8 bits: the relative error is about "
            "1e-4 on smooth data and 4e-3 on noise.");
}

// Gated up to and with that pass.
GateProgress FdkRun::gated(Index pass) const {
    if (m_job.plan.handedOver != ViewState::stored || !isOnDevices()) return m_views.gated(pass);
    GateProgress all = m_before;
    for (Index i = 0; i <= pass; ++i) {
        all.counts += m_devices->gatedIn(i);
        all.countedRows = std::max(all.countedRows, m_job.pass(i).rows.end);
    }
    return all;
}

void FdkRun::makeLanes() {
    const GpuBackend& gpu = m_context.backends.gpu;
    const Pin pin = isOnDevices() ? gpu.pin : Pin();
    m_views.makeSlots(pin);
    m_chunks.makeSlots(pin);
    if (isOnDevices())
        m_devices.emplace(
            m_job, gpu, m_before.countedRows, m_views, m_chunks, m_progress,
            [this](const TimelineSpan& span) { take(span); }, m_events.originNs());
    else
        m_cpu.emplace(m_job, makeBackProjector(m_spec, m_context.backends), m_views, m_chunks,
                      m_progress);
}

std::string storeLaneName(const JobPlan& plan, int number) {
    return plan.storeLanes == 1 ? "store" : fmt::format("store {}", number);
}

// The stages in their order (DESIGN.md section 4).
void FdkRun::spawnLanes(Runner& runner) {
    const BatchOutlet ready = isOnDevices() ? m_devices->outlet() : m_cpu->filtered();
    const bool hostPrepares = !isOnDevices() || m_job.plan.handedOver != ViewState::stored;
    const BatchOutlet loaded = hostPrepares ? m_views.loaded() : ready;
    runner.spawn("load", [this, loaded](Lane& lane) { m_views.load(lane, loaded); });
    if (hostPrepares)
        runner.spawn("filter", [this, ready](Lane& lane) { m_views.prepare(lane, ready); });
    if (isOnDevices())
        m_devices->spawn(runner);
    else
        runner.spawn("back-project", [this](Lane& lane) { m_cpu->backproject(lane); });
    for (int i = 1; i <= m_job.plan.storeLanes; ++i)
        runner.spawn(storeLaneName(m_job.plan, i), [this](Lane& lane) {
            m_chunks.store(lane, [this](Index pass) { return gated(pass); });
        });
    if (m_spec.checksumInput)
        runner.spawn("checksum", [this](Lane& lane) {
            m_checksums = checksumFiles(m_scan.files, lane.stop(), m_job.plan.threads);
        });
}

void FdkRun::runLanes() {
    makeLanes();
    m_progress.start();
    Runner runner(
        m_events.originNs(), [this](const TimelineSpan& span) { take(span); }, m_context.stop);
    spawnLanes(runner);
    runner.wait();
    m_result.gate = (m_job.passes.empty() ? m_before : gated(m_job.passCount() - 1)).counts;
    // All slabs are read and released, with which devices told their last spans.
    m_devices.reset();
}

RunResult FdkRun::run() {
    describeRun();
    keepTrials(m_directory.folder(), m_scan, m_spec, m_job.plan);
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
    if (const std::string text = describe(m_result.gate); !text.empty()) note(text);
    const VolumeSummary& summary = m_store.summary();
    m_result.smallest = summary.smallest();
    m_result.largest = summary.largest();
    m_result.centralSlices = summary.centralSlices();
    writePreview(m_directory, summary);
    m_events.preview("preview.mha");
    completeVolume();
    m_result.timeline = summarise(m_spans);
    writeFileAtomically(
        provenancePath(m_spec.output.path),
        toJson(Provenance{m_spec, m_result.engine, m_result.notes, m_checksums, m_scan.leftOut}));
    m_directory.removeCheckpoint();
}

// The end of the store, which may take a while.
void FdkRun::completeVolume() {
    if (m_spec.output.type != PixelType::float32 && !m_spec.output.range)
        m_events.log(
            "info",
            "All slabs are finished; their voxels are being scaled to the volume's own range.");
    const SpanSink sink = [this](const TimelineSpan& span) { take(span); };
    Lane lane(storeLaneName(m_job.plan, 1), m_events.originNs(), sink, m_context.stop);
    lane.measure(Stage::store, {}, [&] { m_store.finish(m_job.plan.threads, lane.stop()); });
}

// The volume is complete by now: a report that cannot be written is logged, and fails nothing, even
// where the log cannot be written either.
void reportRun(const JobDirectory& job, const RunResult& result, EventLog& events) noexcept {
    std::string failure;
    try {
        writeReport(job, result);
    } catch (const std::exception& error) {
        failure = messageOf(error);
    }
    try {
        if (!failure.empty())
            events.log("warning", fmt::format("The report was not written: {}", failure));
    } catch (const std::exception&) {
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

// The one time of the job that all tell, and its speed.
void takeTimes(RunResult& result, const JobSpec& spec, EventLog& events) {
    const WorkTime work = events.work();
    result.wallSeconds = work.seconds();
    result.pausedSeconds = work.pausedSeconds();
    result.timeline = summarise(result.timeline.stages, result.wallSeconds);
    const Index views = spec.scan.geometry.views - static_cast<Index>(result.leftOut.size());
    const double updates = static_cast<double>(spec.volume.count()) * static_cast<double>(views);
    result.gups = updates / result.wallSeconds / static_cast<double>(1 << 30);
    events.progress({1, result.wallSeconds, 0, result.gups});
}

// The first failure is the one to be told, also where the log cannot take its end.
void logEnd(EventLog& events, JobState state, const std::exception* failure = nullptr) noexcept {
    try {
        if (failure)
            events.state(state, messageOf(*failure), detailsOf(*failure));
        else
            events.state(state);
    } catch (const std::exception&) {
    }
}

}  // namespace

RunResult runJob(const JobDirectory& job, const RunContext& context) {
    const std::filesystem::path log = job.file("events.jsonl");
    JobEvents before = pathExists(log) ? readEvents(log) : JobEvents();
    EventLog events(log, before);
    const double beginCpu = processCpuSeconds();
    try {
        events.state(JobState::running);
        logBegin(events, before);
        RunResult result = FdkRun(job, context, events, std::move(before)).run();
        logEndOfWork(events, "Finished in");
        takeTimes(result, job.spec(), events);
        result.cpuSeconds = processCpuSeconds() - beginCpu;
        reportRun(job, result, events);
        logFigures(events, result);
        logEnd(events, JobState::done);
        return result;
    } catch (const Cancelled&) {
        logEndOfWork(events, "Cancelled after");
        logEnd(events, JobState::cancelled);
        throw;
    } catch (const std::exception& error) {
        logEndOfWork(events, "Failed after");
        logEnd(events, JobState::failed, &error);
        throw;
    }
}

}  // namespace gantry
