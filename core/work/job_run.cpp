#include "core/work/job_run.h"
#include "core/io/volume/output_names.h"
#include "core/job/job_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/geometry/check/validate.h"
#include "core/job/forecast_file.h"
#include "core/job/plan_file.h"
#include "core/machine/rank_times.h"
#include "core/pipeline/runner.h"
#include "core/report/report.h"
#include "core/scan/corrected_scan.h"
#include "core/scan/inspect/find_extension.h"
#include "core/scan/inspect/scan_notes.h"
#include "core/work/iteration_planning.h"
#include "core/work/iterative_job.h"
#include "core/work/run_log.h"
#include "core/work/slow_ranks.h"

namespace gantry {

namespace {

// The scan that was opened to settle the job, or else opened now.
OpenScan openChecked(SettledSpec& settled, const JobSpec& spec, const std::stop_token& stop) {
    // The grid is checked first, because its sizes enter sums of memory.
    throwOnError(validate(spec.scan.geometry), spec.scan.path.string());
    throwOnError(validate(spec.volume, spec.geometry()), spec.scan.path.string());
    if (settled.scan) return *std::exchange(settled.scan, std::nullopt);
    return withExtension(
        selected(openScan(spec.scan, stop, BadViews::refuse, *spec.rows), spec.corrections.pixels),
        *spec.extension);
}

std::optional<FinishedSlabs> finishedOf(const std::optional<Checkpoint>& checkpoint) {
    if (!checkpoint) return std::nullopt;
    return FinishedSlabs{checkpoint->slabs.slabs, checkpoint->allDone()};
}

std::vector<IndexRanges> slicesOf(const JobPlan& plan) {
    std::vector<IndexRanges> slices;
    for (const SlabPlan& slab : plan.slabs)
        slices.push_back(slab.slices);
    return slices;
}

// Formats that one process alone can write have one rank that writes for all.
RankIo possibleIo(const JobSpec& spec) {
    const bool isPossible = spec.rankIo != RankIo::parallel || takesSeveralWriters(spec.output);
    return isPossible ? spec.rankIo : RankIo::single;
}

Settling settlingOf(const JobRanks& ranks) {
    if (ranks.isAlone()) return Settling::byTrial;
    return ranks.isFirst() ? Settling::byViews : Settling::byRules;
}

const JobSpec& fitFor(const JobRanks& ranks, const JobSpec& spec) {
    requireSharable(spec, ranks.count());
    return spec;
}

// Iterations resume from a state of their own.
std::optional<Checkpoint> checkpointOf(const JobDirectory& job) {
    return job.spec().method.isIterative() ? std::nullopt : job.readCheckpoint();
}

constexpr const char* kNotKept = "How fast this run was is not kept for later forecasts";

}  // namespace

JobRun::JobRun(const JobDirectory& job, const RunContext& context, JobRanks& ranks,
               EventLog& events, JobEvents before)
    : m_directory(job),
      m_context(context),
      m_ranks(ranks),
      m_checkpoint(checkpointOf(job)),
      m_settled(settled(fitFor(ranks, job.spec()), m_checkpoint, context.backends,
                        settlingOf(ranks), context.stop)),
      m_spec(ranks.shareOf(ranks.agreed(m_settled.spec), context.backends)),
      m_events(events),
      m_scan(openChecked(m_settled, m_spec, context.stop)),
      m_storage(ranks.storage(possibleIo(m_spec))),
      m_corrected(corrected(m_scan, m_spec.corrections, m_spec.threads, context.stop)),
      m_planned(ranks.plan(m_corrected, m_spec, context.backends, m_storage.needs(m_scan, m_spec),
                           context.purpose, finishedOf(m_checkpoint), readGridPlan(job.folder()),
                           m_storage.reads(), context.stop)),
      m_logged(std::move(before.logs)),
      m_spans(std::move(before.spans)),
      m_iterations(std::move(before.iterations)),
      m_earlierSpans(m_spans.size()),
      m_beginNs(nowNs() - events.originNs()),
      m_engine(engineOf(m_plan, m_checkpoint)) {
    // A job that was made elsewhere, or whose scan has moved since.
    if (ranks.isFirst()) requireInputsSpared(m_spec, job.folder());
    ranks.inTurn([&] {
        m_store.emplace(job, slicesOf(m_plan), m_checkpoint, inputState(m_scan.files), m_engine,
                        recordedChoices(m_spec), storeShare());
    });
    m_store->expect(slicesWrittenHere());
    if (ranks.isFirst() && !m_plan.iterations && JobPreview::isWorthIt(m_spec))
        m_preview.emplace(
            JobPreview::Job{m_directory, m_events, m_corrected, m_plan, m_store->summary(),
                            m_checkpoint ? m_checkpoint->allDone() : std::set<Index>()});
    m_result.engine = m_engine;
    m_result.leftOut = m_scan.leftOut;
    m_result.slabs = static_cast<Index>(m_plan.iterations ? m_plan.iterations->parts.size()
                                                          : m_plan.slabs.size());
    m_result.slabsResumed =
        m_checkpoint ? static_cast<Index>(m_checkpoint->allDone().size()) : Index{0};
    m_result.forecastHostBytes = m_plan.hostBytes;
    if (m_checkpoint && ranks.isFirst()) m_result.invalidPixels = m_checkpoint->allInvalid();
    m_checkpoint.reset();
}

StoreShare JobRun::storeShare() const {
    StoreShare share = {m_ranks.rank(), m_ranks.run(), m_plan.sharerCount()};
    share.opens = m_ranks.rank() == m_storage.writer();
    share.isServed = m_storage.line != nullptr;
    if (!m_storage.writes())
        share.through = [this] { return writeThrough(m_storage, m_context.stop); };
    return share;
}

// The slices are known beforehand only if nobody else writes between them.
std::vector<IndexRange> JobRun::slicesWrittenHere() const {
    std::vector<IndexRange> slices;
    if (!m_storage.writes() || m_plan.columnCount() > 1) return slices;
    if (m_storage.line) return {{0, m_spec.volume.voxels[2]}};
    for (const PassPlan& pass : m_plan.passes)
        for (const Assignment& part : pass.assignments)
            for (const IndexRange& range :
                 m_plan.slabs[static_cast<std::size_t>(part.slab)].slices.parts())
                slices.push_back(range);
    return slices;
}

void JobRun::note(const std::string& text) {
    m_result.notes.push_back(text);
    logOnce(text);
}

void JobRun::logOnce(const std::string& text) {
    if (std::find(m_logged.begin(), m_logged.end(), "info: " + text) == m_logged.end())
        m_events.log("info", text);
}

void JobRun::report(const Progress& progress) {
    Progress ofJob = m_ranks.wholeProgress(progress);
    if (!m_ranks.isFirst()) return;
    ofJob.elapsedSeconds = m_events.work().seconds();
    m_events.progress(ofJob);
    if (m_preview) m_preview->take(ofJob);
    if (m_context.onProgress) m_context.onProgress(ofJob);
}

void JobRun::take(const TimelineSpan& span) {
    TimelineSpan ofRank = span;
    ofRank.rank = m_ranks.rank();
    const std::int64_t drifted = m_ranks.driftedNs();
    ofRank.beginNs = std::max<std::int64_t>(0, ofRank.beginNs + drifted);
    ofRank.endNs = std::max(ofRank.beginNs, ofRank.endNs + drifted);
    m_events.span(ofRank);
    if (m_preview) m_preview->take(ofRank);
    const std::scoped_lock lock(m_spanMutex);
    m_spans.push_back(std::move(ofRank));
}

void JobRun::describeRun() {
    logOnce(fmt::format("Engine: {}.", m_engine));
    if (m_plan.part) note(describe(m_plan.part->plan));
    if (m_storage.line) note(describe(m_storage));
    if (m_result.slabsResumed > 0)
        m_events.log("info", fmt::format("Continues from {} of {} finished slabs.",
                                         m_result.slabsResumed, m_plan.slabs.size()));
    for (const std::string& text : notesOf(m_corrected, m_plan))
        note(text);
    if (!m_settled.reason.empty()) note(m_settled.reason);
}

// Keeps the plan, and its forecast unless a better one is stored. If the files cannot be written
// they are missing, but the job does not fail.
void JobRun::keepPlan() {
    const Forecast& predicted = m_planned.forecast;
    try {
        writePlan(m_directory.folder(), m_ranks.withMoves(m_plan), m_ranks.plans());
        const bool isBetter = predicted.wall > 0 || !readForecast(m_directory.folder());
        if (isBetter && predicted.backproject > 0) writeForecast(m_directory.folder(), predicted);
    } catch (const Error&) {
    }
}

// Without the slabs that other ranks make from gathered views.
std::vector<Index> JobRun::ownOf(std::vector<Index> slabs) const {
    if (m_plan.sharerCount() == 1) return slabs;
    std::erase_if(slabs, [&part = *m_plan.part](Index slab) {
        return part.plan.slabs.ranks[static_cast<std::size_t>(slab)] != part.row();
    });
    return slabs;
}

RunObserver JobRun::observer() {
    return {[this](const TimelineSpan& span) { take(span); },
            [this](const Progress& progress) { report(progress); },
            [this](const std::vector<Index>& slabs, const InvalidPixels& invalid) {
                m_store->keepSlabs(slabs, invalid);
                if (m_preview && m_plan.columnCount() == 1) m_preview->take(ownOf(slabs));
            },
            m_events.originNs()};
}

void JobRun::iterate(const OpenScan& scan, const RunObserver& observer,
                     const std::stop_token& stop) {
    IterativeJob job({m_directory, m_events, scan, m_spec, m_plan, inputState(m_scan.files),
                      m_ranks.groups().parts},
                     std::move(m_iterations));
    const InvalidPixels invalid = job.run(m_context.backends, *m_store, observer, stop);
    m_result.invalidPixels += invalid;
    m_result.iterations = job.iterations();
    if (m_ranks.isFirst()) note(job.ending());
    // The first rank completes the volume once it knows that each has stored its slices.
    if (!m_ranks.isAlone()) m_store->keepSlabs({m_ranks.rank()}, invalid);
}

// At the same time the pictures are compared with what is claimed of them, checksums are computed,
// and ranks that read or write through this one are served.
void JobRun::reconstructSlabs() {
    const RunObserver observer = this->observer();
    const OpenScan scan =
        corrected(readThrough(m_scan, m_storage, m_context.stop), m_spec.corrections);
    std::vector<std::string> checked;
    std::stop_source haveAllDone;
    Runner runner(m_events.originNs(), observer.span, m_context.stop);
    runner.spawn("run", [&](Lane& lane) {
        if (m_plan.iterations)
            iterate(scan, observer, lane.stop());
        else
            m_result.invalidPixels +=
                reconstruct(scan, m_spec, m_plan, m_context.backends, *m_store, observer,
                            lane.stop(), m_ranks.groups());
        if (m_preview) m_preview->end();
        m_ranks.waitForAll();
        haveAllDone.request_stop();
    });
    spawnStorage(runner, m_storage, m_scan, m_store->file(), m_spec.volume, m_plan.threads,
                 haveAllDone.get_token());
    if (m_preview)
        runner.spawn("preview",
                     [&](Lane& lane) { m_preview->make(m_context.backends.cpu, lane.stop()); });
    if (m_spec.checksumInput && m_ranks.isFirst())
        runner.spawn("checksum", [&](Lane& lane) {
            m_checksums = checksumFiles(m_scan.files, lane.stop(), m_plan.threads);
        });
    // One thread: it holds one view, and ends before all but the shortest runs.
    if (m_ranks.isFirst())
        runner.spawn("checks", [&](Lane& lane) {
            checked = scanNotes(corrected(m_scan, m_spec.corrections.measured()), m_spec.volume, 1,
                                lane.stop());
            for (const std::string& text : checked)
                logOnce(text);
        });
    runner.wait();
    m_result.notes.insert(m_result.notes.end(), checked.begin(), checked.end());
}

JobResult JobRun::run() {
    if (!m_ranks.isAlone()) logOnce(m_ranks.share());
    if (m_ranks.isFirst()) {
        describeRun();
        keepPlan();
        m_ranks.whenMoved([this](const std::string& sentence) {
            m_events.log("info", sentence);
            keepPlan();
        });
    }
    try {
        reconstructSlabs();
        // The other ranks have ended their work.
        if (m_ranks.isFirst() && !m_ranks.isAlone()) m_result.invalidPixels += m_store->takeRanks();
        if (m_ranks.rank() == m_storage.writer()) completeVolume();
        keepSpeeds();
        m_ranks.waitForAll();
        if (m_ranks.isFirst()) finish();
        keepRunTimes();
    } catch (...) {
        m_store->discard();
        throw;
    }
    return std::move(m_result);
}

void JobRun::finish() {
    if (!m_ranks.isAlone()) m_spans = readEvents(m_directory.file("events.jsonl")).spans;
    m_result.notes.insert(m_result.notes.end(), m_ranks.moves().begin(), m_ranks.moves().end());
    if (m_plan.part)
        for (const std::string& text :
             slowRanks(m_spans, m_beginNs, m_plan.part->plan, m_ranks.hosts()))
            note(text);
    if (const std::string text = describe(m_result.invalidPixels); !text.empty()) note(text);
    if (const std::string text = m_scan.asInFiles().missing->note(); !text.empty()) note(text);
    const VolumeSummary& summary = m_store->summary();
    m_result.smallest = summary.smallest();
    m_result.largest = summary.largest();
    m_result.centralSlices = summary.centralSlices();
    writePreview(m_directory, summary.previewGrid(), summary.preview());
    m_events.preview("preview.mha");
    m_result.timeline = summarise(m_spans);
    writeFileAtomically(provenancePath(m_spec.output.path),
                        toJson(Provenance{m_spec, m_engine, m_result.notes, m_checksums,
                                          m_scan.leftOut, m_result.iterations}));
    m_directory.removeCheckpoint();
}

// Each of several ranks keeps how fast it stored while the others did.
void JobRun::keepSpeeds() {
    if (m_plan.iterations) return;
    const SinkNeeds sink = m_storage.needs(m_scan, m_spec);
    tryAfterTheEnd(m_events, kNotKept, [&] {
        gantry::keepSpeeds(m_planned, m_corrected, m_spec, sink,
                           std::span(m_spans).subspan(m_earlierSpans), m_context.backends);
    });
}

// Only a full run without measuring is kept: measuring takes time, and a resumed run is only a
// part.
void JobRun::keepRunTimes() {
    if (m_earlierSpans > 0 || !m_ranks.isFirst() || m_plan.iterations) return;
    const double seconds = m_events.work().seconds();
    tryAfterTheEnd(m_events, kNotKept, [&] {
        if (!m_ranks.isAlone()) {
            const Machine machine = machineOf(m_context.backends);
            const PlanInputs inputs = {m_corrected, m_spec, machine, m_planned.facts,
                                       m_storage.needs(m_scan, m_spec)};
            const auto count = static_cast<std::size_t>(m_plan.part->plan.grid.ranks());
            const auto working = std::span(m_ranks.plans()).first(count);
            keepRankTimes(inputs, m_planned, m_ranks.hosts(), slowestForecast(working), m_spans,
                          seconds, m_context.backends);
        } else if (m_context.purpose == Purpose::run)
            gantry::keepRunTimes(m_planned, m_corrected, m_spec, m_storage.needs(m_scan, m_spec),
                                 m_spans, seconds, m_context.backends);
    });
}

// Completing the store may take a while.
void JobRun::completeVolume() {
    if (m_spec.output.type != PixelType::float32 && !m_spec.output.range)
        m_events.log(
            "info",
            "All slabs are finished; their voxels are being scaled to the volume's own range.");
    const SpanSink sink = [this](const TimelineSpan& span) { take(span); };
    Lane lane(storeLaneName(m_plan, 1), m_events.originNs(), sink, m_context.stop);
    lane.measure(Stage::store, {}, [&] { m_store->finish(m_plan.threads, lane.stop()); });
}

}  // namespace gantry
