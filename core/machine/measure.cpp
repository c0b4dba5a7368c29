#include "core/machine/measure.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/this_machine.h"
#include "core/filter/cpu_filter.h"
#include "core/geometry/views/mirror.h"
#include "core/machine/run_times.h"
#include "core/machine/storage_speeds.h"
#include "core/pipeline/batch.h"
#include "core/plan/plan_forecast.h"
#include "core/plan/step_devices.h"
#include "core/scan/held_views.h"
#include "core/scan/view_stages.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

double secondsOf(const std::function<void()>& work) {
    const std::int64_t begin = nowNs();
    work();
    return secondsSince(begin);
}

// The better of two runs: the first one warms up caches, tables and threads.
double bestOfTwo(const std::function<void()>& work) {
    const double first = secondsOf(work);
    constexpr double kLongEnough = 0.4;
    return first > kLongEnough ? first : std::min(first, secondsOf(work));
}

void stopHere(const std::stop_token& stop) {
    if (stop.stop_requested()) throw Cancelled();
}

constexpr Index kStoredBytes = 32'000'000;  // of a disk's speed test

double storedBytesPerSecond(const fs::path& folder, int threads) {
    constexpr Index kBytes = kStoredBytes;
    constexpr Index kPiecesInMemory = 8;  // one takes a few milliseconds
    const fs::path path = folder / fmt::format(".gantry-rate-{}.part", ::getpid());
    HostBuffer<std::byte> zeros(kBytes);
    std::fill_n(zeros.data(), kBytes, std::byte{});
    File file(path, File::Mode::create);
    // The file is removed while it is open, so that none is left even if the process is killed.
    std::error_code ignored;
    fs::remove(path, ignored);
    // Writes in the same way as a volume is stored: see core/io/volume/flat_sink.h.
    Index pieces = 1;
    const double seconds = secondsOf([&] {
        const bool isInMemory = file.takeMemory(0, kPiecesInMemory * kBytes);
        if (isInMemory) pieces = kPiecesInMemory;
        for (Index piece = 0; piece < pieces; ++piece)
            file.writeAt(piece * kBytes, zeros.span(), threads,
                         isInMemory ? File::Room::taken : File::Room::unknown);
        file.sync();
    });
    return static_cast<double>(pieces * kBytes) / seconds;
}

// A disk that has no room for the test may have room for the volume: the test is left out.
StorageRate measureStorage(const fs::path& folder, int threads) {
    if (freeDiskBytes(folder) < kStoredBytes) return {};
    try {
        return {storedBytesPerSecond(folder, threads)};
    } catch (const ResourceError& error) {
        // A quota, for example, is not seen in the free space.
        if (error.code() != ErrorCode::disk) throw;
        return {};
    }
}

StorageRate storageRate(const Question& question, const Backends& backends) {
    StorageRate rate = measureStorage(question.place, question.threads);
    rate.ofJobs = StorageSpeeds(backends.storageSpeeds).on(question.place);
    return rate;
}

// The first views of the scan, enough to measure for a fraction of a second.
Batch someViews(const OpenScan& scan, const Question& question) {
    constexpr Index kMaxPixels = 16'000'000;
    const SourceInfo& info = scan.source->info();
    Batch batch;
    batch.rows = question.rows.empty() ? IndexRanges(0, info.rows) : question.rows;
    batch.storedRows = scan.storedRows(batch.rows);
    const Index viewPixels = batch.rows.size() * scan.geometry.detector.columns;
    // Selected pixels take as long to read as the rows that they are made from, and a thread a
    // view.
    const Index fewest =
        scan.wholeDetector ? std::min<Index>(question.threads, question.batchViews) : 1;
    const Index readPixels = scan.wholeDetector ? batch.rows.size() * scan.corrections.pixels.bin *
                                                      scan.wholeDetector->stored.columns
                                                : viewPixels;
    batch.views = {0, std::clamp(kMaxPixels / readPixels, fewest, question.batchViews)};
    batch.stored =
        HostBuffer<std::byte>(batch.views.size() * batch.storedRows.size() * scan.storedRowBytes());
    batch.values = HostBuffer<float>(batch.views.size() * viewPixels);
    return batch;
}

// Some rows of all views, with values of a few of them.
HostBuffer<float> rowsOfAll(const OpenScan& scan, Batch& batch, Index rows) {
    const Index views = scan.stored.views;
    const Index columns = scan.stored.columns;
    HostBuffer<float> pixels(views * rows * columns);
    const Span3<float> all = {pixels.data(), views, rows, columns};
    const Span3<std::byte> some = batch.storedBlock(0, scan.storedRowBytes());
    for (Index s = 0; s < views; ++s)
        for (Index row = 0; row < rows; ++row)
            std::memcpy(all.row(s, row), some.row(s % some.size(0), row % some.size(1)),
                        static_cast<std::size_t>(scan.storedRowBytes()));
    return pixels;
}

// Seconds that the corrections of all views take for one pixel with all threads, or on the device.
double allViewsSeconds(const OpenScan& scan, Batch& batch, int threads, ViewSteps* steps,
                       const HeldViews::Pin& pin, const std::stop_token& stop) {
    constexpr int kMaxRows = 4;  // of all views: more would take much memory
    const int rows = steps ? kMaxRows : std::min(threads, kMaxRows);
    const Index views = scan.stored.views;
    const Index columns = scan.stored.columns;
    HostBuffer<float> pixels = rowsOfAll(scan, batch, rows);
    const std::shared_ptr<void> pinned =
        steps && pin ? pin(pixels.data(), pixels.sizeBytes()) : nullptr;
    const Span3<float> all = {pixels.data(), views, rows, columns};
    if (steps)
        return bestOfTwo([&] {
                   steps->correctAllViews(all, {0, rows}, stop);
               }) /
               static_cast<double>(all.count());
    const double seconds = secondsOf([&] { correctAllViews(scan.corrections, all, rows, stop); });
    return seconds / static_cast<double>(views * columns * threads);
}

// Loads and corrects a batch's views. @returns seconds of loading, and pixels corrected a second
std::pair<double, double> correctViews(const OpenScan& scan, Batch& batch, const Question& question,
                                       const EngineBackend& gpu, const std::stop_token& stop) {
    OpenScan single = scan;
    single.corrections = scan.corrections.ofSingleViews();
    HeldViews views(single, batch.views.size(), question.threads);
    std::unique_ptr<ViewSteps> ofAllViews;
    if (question.stepsOn) {
        JobPlan plan;
        plan.batchViews = batch.views.size();
        views.useDevice(gpu.makeViewSteps(*question.stepsOn, viewStepsJobOf(single, plan)), false,
                        gpu.pin);
        if (scan.corrections.needsAllViews())
            ofAllViews = gpu.makeViewSteps(*question.stepsOn, viewStepsJobOf(scan, plan));
    }
    views.begin(batch.storedRows, {});
    const double load = secondsOf([&] { views.load(batch.views, stop); });
    const double correct = bestOfTwo([&] {
        views.correct(stop);
        views.fill(batch);
    });
    double seconds = correct / static_cast<double>(batch.views.size() * batch.storedRows.size() *
                                                   scan.stored.columns);
    if (scan.corrections.needsAllViews())
        seconds += allViewsSeconds(scan, batch, question.threads, ofAllViews.get(), gpu.pin, stop);
    return {load, 1 / std::max(seconds, 1e-15)};
}

// Rates of the CPU's stages before back-projection, as far as the CPU has them. Rates known from
// earlier jobs are not measured again.
HostRates measureHost(const OpenScan& scan, const FilterSpec& spec, const Question& question,
                      const Backends& backends, const std::stop_token& stop) {
    const RunTimes earlier(backends.runTimes);
    const std::optional<double> loaded = earlier.rateOf(Stage::load, loadKind(scan, question));
    const std::optional<double> prepared =
        earlier.rateOf(Stage::prepare, prepareKind(scan, question));
    const bool isCorrected = scan.corrections.changesPixels();
    const std::optional<double> corrected =
        isCorrected ? earlier.rateOf(Stage::correct, correctKind(scan, question)) : std::nullopt;
    HostRates rates;
    rates.loadBytes = loaded.value_or(0);
    const ViewState takes = question.hostTakes;
    if (takes != ViewState::stored) rates.preparePixels = prepared.value_or(0);
    rates.correctPixels = corrected.value_or(0);
    const bool isViewMeasured = loaded && (corrected || !isCorrected);
    if (isViewMeasured &&
        (takes == ViewState::stored || (takes == ViewState::prepared && prepared)))
        return rates;
    Batch batch = someViews(scan, question);
    // A run's slots are pinned, too.
    if (question.stepsOn && backends.gpu.pin) {
        batch.storedPinned = backends.gpu.pin(batch.stored.data(), batch.stored.sizeBytes());
        batch.pinned = backends.gpu.pin(batch.values.data(), batch.values.sizeBytes());
    }
    const Index columns = scan.geometry.detector.columns;
    const auto pixels = static_cast<double>(batch.views.size() * batch.rows.size() * columns);
    double loadSeconds = 0;
    if (isCorrected && !isViewMeasured) {
        double rate = 0;
        std::tie(loadSeconds, rate) = correctViews(scan, batch, question, backends.gpu, stop);
        if (!corrected) rates.correctPixels = rate;
    } else {
        loadSeconds = secondsOf([&] { loadViews(scan, batch, question.threads, stop); });
    }
    if (!loaded) rates.loadBytes = static_cast<double>(batch.stored.count()) / loadSeconds;
    stopHere(stop);
    if (takes == ViewState::stored) return rates;
    ViewPreparer preparer(scan, question.threads);
    if (question.stepsOn && !scan.rectifier.isIdentity()) {
        JobPlan plan;
        plan.batchViews = batch.views.size();
        preparer.useDevice(
            backends.gpu.makeViewSteps(*question.stepsOn, resampleJobOf(scan, plan)));
    }
    const auto prepare = [&] { (void)preparer.prepare(batch, stop); };
    if (prepared)
        prepare();
    else
        rates.preparePixels = pixels / bestOfTwo(prepare);
    stopHere(stop);
    if (takes == ViewState::prepared) return rates;
    CpuFilter filter(scan.geometry, spec, scan.redundancy, question.threads);
    rates.filterPixels = pixels / bestOfTwo([&] { filterViews(filter, batch, columns, stop); });
    return rates;
}

std::vector<std::string> namesOf(const JobPlan& plan) {
    std::vector<std::string> names;
    for (const DevicePlan& device : plan.devices)
        names.push_back(device.name);
    return names;
}

// The time that an earlier run on these devices took beyond its forecast, if there was one.
std::optional<double> knownBeside(const std::vector<Question>& questions,
                                  const Backends& backends) {
    std::vector<std::string> names;
    for (const Question& question : questions)
        for (const DeviceFacts& device : backends.gpu.info.devices)
            if (question.about == Question::About::kernel && question.engine == EngineKind::gpu &&
                question.device == device.number)
                names.push_back(device.name);
    return names.empty() ? std::nullopt : RunTimes(backends.runTimes).besideSeconds(names);
}

// The first use of a device takes part of a second, so all are started at once.
std::vector<Answer> touch(const std::vector<Question>& questions, const Backends& backends) {
    std::vector<Answer> answers(questions.size());
    const auto count = std::ssize(questions);
    const std::optional<double> beside = knownBeside(questions, backends);
    parallelFor(static_cast<int>(count), count, 1, [&](Index begin, Index, int) {
        const Question& question = questions[begin];
        Answer& answer = answers[begin];
        if (question.about != Question::About::kernel) return;
        try {
            KernelFacts facts;
            facts.startSeconds = secondsOf([&] {
                facts.whyNoFilter = backends.engine(question.engine).whyNoFilter(question.device);
            });
            if (beside && question.engine == EngineKind::gpu) facts.startSeconds = *beside;
            answer = std::move(facts);
        } catch (const ResourceError& error) {
            answer = DeviceFailure{error.message(), error.details()};
        }
    });
    return answers;
}

// touched: the answer about starting the device
Answer tryKernel(const DeviceJob& job, const Question& question, const Answer& touched,
                 const EngineBackend& backend) {
    if (std::holds_alternative<DeviceFailure>(touched)) return touched;
    try {
        KernelFacts facts = std::get<KernelFacts>(touched);
        facts.choice = backend.chooseKernel(question.device, job, question.fast);
        return facts;
    } catch (const ResourceError& error) {
        return DeviceFailure{error.message(), error.details()};
    }
}

// The timeline lane on which a GPU back-projects: see EngineBackend::makeEngine.
std::string laneOf(const DevicePlan& device) {
    return fmt::format("GPU {}", device.device);
}

}  // namespace

Machine machineOf(const Backends& backends) {
    return {availableThreads(), availableMemoryBytes(), backends.cpu.info, backends.gpu.info,
            backends.whyNoGpu};
}

Facts measure(const std::vector<Question>& questions, const OpenScan& scan,
              const ReconstructionRequest& request, const Backends& backends,
              const std::stop_token& stop) {
    Facts facts;
    const std::vector<Answer> touched = touch(questions, backends);
    for (std::size_t i = 0; i < questions.size(); ++i) {
        stopHere(stop);
        const Question& question = questions[i];
        const EngineBackend& backend = backends.engine(question.engine);
        const DeviceJob job = trialJobOf(scan, request, question);
        switch (question.about) {
            case Question::About::kernel:
                facts.add(question, tryKernel(job, question, touched[i], backend));
                break;
            case Question::About::device:
                facts.add(question, backend.measure(question.device, job));
                break;
            case Question::About::host:
                facts.add(question, measureHost(scan, request.filter, question, backends, stop));
                break;
            case Question::About::storage:
                facts.add(question, storageRate(question, backends));
                break;
        }
    }
    return facts;
}

void learn(Facts& known, const OpenScan& scan, const ReconstructionRequest& request,
           const SinkNeeds& sink, const Machine& machine, const Backends& backends, Purpose purpose,
           const std::optional<FinishedSlabs>& finished, const std::stop_token& stop,
           const GridPart* part) {
    const PlanInputs inputs = {scan, request, machine, known, sink, part};
    while (true) {
        const std::vector<Question> open = questions(inputs, purpose, finished);
        if (open.empty()) return;
        const Facts measured = measure(open, scan, request, backends, stop);
        for (const Facts::Fact& fact : measured.all())
            known.add(fact.question, fact.answer);
    }
}

PlannedRun learnAndPlan(const OpenScan& scan, const ReconstructionRequest& request,
                        const Backends& backends, const SinkNeeds& sink, Purpose purpose,
                        const std::optional<FinishedSlabs>& finished, const std::stop_token& stop,
                        const GridPart* part) {
    const Machine machine = machineOf(backends);
    Facts facts;
    learn(facts, scan, request, sink, machine, backends, purpose, finished, stop, part);
    const PlanInputs inputs = {scan, request, machine, facts, sink, part};
    PlannedRun result;
    result.plan = planJob(inputs, finished);
    result.forecast = forecast(inputs, result.plan);
    result.facts = std::move(facts);
    return result;
}

PlannedRun planPart(const OpenScan& scan, const ReconstructionRequest& request,
                    const Backends& backends, const SinkNeeds& sink, const GridPart& part,
                    const FinishedSlabs& finished, const Facts& facts) {
    const Machine machine = machineOf(backends);
    const PlanInputs inputs = {scan, request, machine, facts, sink, &part};
    PlannedRun result;
    result.plan = planJob(inputs, finished);
    result.forecast = forecast(inputs, result.plan);
    result.facts = facts;
    return result;
}

namespace {

// Keeps how fast the devices' kernels were.
void keepKernelSpeeds(const PlannedRun& run, const OpenScan& scan,
                      const ReconstructionRequest& request, std::span<const TimelineSpan> spans,
                      const Backends& backends) {
    constexpr double kMinSeconds = 0.01;
    const EngineBackend& backend = backends.engine(run.plan.engine);
    if (!backend.keepSpeed) return;
    const std::optional<Index> mirror = mirroredSlices(scan.geometry, request.volume);
    for (const DevicePlan& device : run.plan.devices) {
        double updates = 0;  // as many as it would have made at its full speed
        double seconds = 0;
        for (const TimelineSpan& span : spans) {
            if (span.stage != Stage::backproject || span.lane != laneOf(device)) continue;
            const IndexRanges& slices = run.plan.slabs[span.slab].slices;
            updates += static_cast<double>(span.updates) /
                       partOfSpeed(device.kernel.kernel, slices, request.volume, mirror);
            seconds += 1e-9 * static_cast<double>(span.endNs - span.beginNs);
        }
        if (seconds < kMinSeconds) continue;
        const KernelChoice found = {device.kernel.kernel, updates / seconds};
        for (const auto& [question, answer] : run.facts.all()) {
            const auto* known = std::get_if<KernelFacts>(&answer);
            if (known && question.engine == run.plan.engine && question.device == device.device &&
                known->choice.kernel == found.kernel)
                backend.keepSpeed(device.device, trialJobOf(scan, request, question), question.fast,
                                  found);
        }
    }
}

}  // namespace

void keepRunTimes(const PlannedRun& run, const OpenScan& scan, const ReconstructionRequest& request,
                  const SinkNeeds& sink, std::span<const TimelineSpan> spans, double wallSeconds,
                  const Backends& backends) {
    // a trial reads only a few views, and more slowly than a run
    constexpr double kMinSeconds = 0.02;
    const JobPlan& plan = run.plan;
    if (plan.engine != EngineKind::gpu || plan.part) return;
    const Machine machine = machineOf(backends);
    const PlanInputs inputs = {scan, request, machine, run.facts, sink};
    const RunTimes earlier(backends.runTimes);
    const MachineRates reached = reachedRates(inputs, plan, spans);
    const TimelineSummary whole = summarise({spans.begin(), spans.end()});
    const double counted = forecast(workOnDevices(inputs, plan), plan.handedOver, reached).wall;
    earlier.keepBeside(namesOf(plan), std::max(1e-3, wallSeconds - counted));
    const auto secondsOf = [&](Stage stage) {
        return whole.stages[static_cast<std::size_t>(stage)].seconds;
    };
    const Question host = hostQuestion(inputs, plan);
    const SharedSteps shared = sharedSteps(plan);
    if (secondsOf(Stage::correct) > kMinSeconds)
        earlier.keepRate(Stage::correct, correctKind(scan, host),
                         reached.correctPixels / shared.correct);
    if (secondsOf(Stage::load) > kMinSeconds)
        earlier.keepRate(Stage::load, loadKind(scan, host), reached.loadBytes);
    if (plan.handedOver == ViewState::prepared && secondsOf(Stage::prepare) > kMinSeconds)
        earlier.keepRate(Stage::prepare, prepareKind(scan, host),
                         reached.preparePixels / shared.prepare);
}

void keepSpeeds(const PlannedRun& run, const OpenScan& scan, const ReconstructionRequest& request,
                const SinkNeeds& sink, std::span<const TimelineSpan> spans,
                const Backends& backends) {
    keepKernelSpeeds(run, scan, request, spans, backends);
    if (sink.folder.empty()) return;
    const auto rate = storageRateOf(spans, sink.outputBytes, request.volume.count());
    if (!rate) return;
    const Machine machine = machineOf(backends);
    const PlanInputs inputs = {scan, request, machine, run.facts, sink};
    StorageSpeeds(backends.storageSpeeds).keep(sink.folder, storageKind(inputs, run.plan), *rate);
}

}  // namespace gantry
