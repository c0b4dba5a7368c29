#include "app/bench/run_bench.h"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "app/bench/bench_folder.h"
#include "core/base/parallel.h"
#include "core/job/event_log.h"
#include "core/machine/measure.h"
#include "core/simulate/simulate_scan.h"
#include "core/work/job_forecast.h"
#include "core/work/run_job.h"
#include "core/work/volume_store.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// A job on a scan that has just been simulated.
JobSpec prepareJob(const BenchProblem& problem, const fs::path& folder, const BenchContext& context,
                   double share) {
    SimulationSpec spec;
    spec.geometry = problem.geometry();
    SimulationContext simulation;
    simulation.threads = availableThreads();
    simulation.stop = context.stop;
    simulation.onProgress = [&](double fraction) {
        if (context.onProgress) context.onProgress(share * fraction);
    };
    const SimulationResult scan = simulateScan(spec, folder / "scan", false, simulation);
    JobSpec job;
    job.scan = readScanFile(scan.scanFile);
    job.volume = problem.grid();
    job.engine = Engine::cpu;
    job.output.path = folder / "volume.mha";
    return job;
}

}  // namespace

RunFigures benchRun(const BenchProblem& problem, const fs::path& folder, const Backends& backends,
                    const BenchContext& context) {
    constexpr double kSimulationShare = 0.5;
    const BenchFolder place(folder);
    const JobSpec spec = prepareJob(problem, place.path(), context, kSimulationShare);
    const JobDirectory job = JobDirectory::create(jobFolderFor(spec.output.path), spec);
    const RunContext run = {
        backends, context.stop, [&](const Progress& progress) {
            if (context.onProgress)
                context.onProgress(kSimulationShare + (1 - kSimulationShare) * progress.fraction);
        }};
    const JobResult result = runJob(job, run);
    const double updates =
        static_cast<double>(spec.volume.count()) * static_cast<double>(problem.nP);
    return {problem,
            availableThreads(),
            result.wallSeconds,
            result.cpuSeconds,
            result.timeline.overlapFactor,
            updates / result.wallSeconds / static_cast<double>(1 << 30)};
}

MachineFigures benchMachine(const BenchProblem& problem, const fs::path& folder,
                            const Backends& backends, const BenchContext& context) {
    const BenchFolder place(folder);
    const JobSpec spec = prepareJob(problem, place.path(), context, 1);
    const OpenScan scan = openScan(spec.scan, context.stop);
    const Machine machine = machineOf(backends);
    Facts facts;
    learn(facts, scan, spec, sinkNeedsOf(spec), machine, backends, Purpose::forecast, {},
          context.stop);
    return {forecastJob(scan, spec, machine, facts).rates,
            measureDevices(scan, spec, backends.gpu, context.stop)};
}

namespace {

// Timeline lanes that alternate: each span of a lane lasts about as long as one of the others.
void writeSpans(const fs::path& events, Index count) {
    constexpr std::array kLanes = {
        std::pair("load", Stage::load), std::pair("filter", Stage::filter),
        std::pair("back-project", Stage::backproject), std::pair("store", Stage::store)};
    constexpr std::int64_t kLongestNs = 100'000;
    EventLog log(events);
    log.state(JobState::running);
    std::minstd_rand random(1);
    std::array<std::int64_t, kLanes.size()> end{};
    for (Index i = 0; i < count; ++i) {
        const std::size_t lane = static_cast<std::size_t>(i) % kLanes.size();
        TimelineSpan span;
        span.lane = kLanes[lane].first;
        span.stage = kLanes[lane].second;
        span.beginNs = end[lane] + static_cast<std::int64_t>(random()) % (kLongestNs / 4);
        span.endNs = span.beginNs + 1 + static_cast<std::int64_t>(random()) % kLongestNs;
        span.batch = i / std::ssize(kLanes);
        span.bytes = 1 << 20;
        end[lane] = span.endNs;
        log.span(span);
    }
    log.state(JobState::done);
}

}  // namespace

struct BenchJob::Place {
    explicit Place(const fs::path& parent) : folder(parent) {}
    BenchFolder folder;
};

BenchJob::BenchJob(const BenchProblem& problem, const fs::path& parent, Index spans,
                   const std::stop_token& stop)
    : m_place(std::make_unique<Place>(parent)) {
    const JobSpec spec = prepareJob(problem, m_place->folder.path(), {stop, {}}, 1);
    m_scan = spec.scan.path;
    m_folder = jobFolderFor(spec.output.path);
    const JobDirectory job = JobDirectory::create(m_folder, spec);
    writeSpans(job.file("events.jsonl"), spans);
}

BenchJob::~BenchJob() = default;

}  // namespace gantry
