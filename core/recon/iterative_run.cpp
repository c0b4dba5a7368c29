#include "core/recon/iterative_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/throw_error.h"
#include "core/io/volume/attenuation_slices.h"
#include "core/io/volume/stored_volume.h"
#include "core/project/host_space.h"
#include "core/project/joined_space.h"
#include "core/project/projection_plan.h"
#include "core/project/surroundings.h"
#include "core/recon/watched_projector.h"
#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

constexpr Index kFloat = sizeof(float);

std::size_t sizeOf(Index count) {
    return static_cast<std::size_t>(count);
}

// These slices of a volume's file in steps, as attenuation.
template <class Take>
void readSlices(const StoredVolume& volume, IndexRange slices, const std::stop_token& stop,
                const Take& take) {
    readAttenuation(volume, slices, kReadSlices, stop,
                    [&](IndexRange step, Span3<const float> voxels) {
                        take(step, std::span(voxels.data(), sizeOf(voxels.count())));
                    });
}

StoredVolume openFitting(const std::string& path, const VolumeGrid& grid, const char* field) {
    StoredVolume volume = openStoredVolume(path);
    const auto& [nX, nY, nZ] = volume.grid.voxels;
    if (volume.grid.voxels != grid.voxels)
        throw InputError(
            fmt::format("{} has {} × {} × {} voxels, and the volume that is made {} × {} × {}; "
                        "they must be the same.",
                        path, nX, nY, nZ, grid.voxels[0], grid.voxels[1], grid.voxels[2]),
            {.field = field});
    return volume;
}

// Slices go to a vector of the space instead of a file.
class VectorSink final : public VolumeSink {
  public:
    /// first: slice of the vector that is the sink's slice 0
    VectorSink(IterationSpace& space, IterationVector& volume, Index first)
        : m_space(space), m_volume(volume), m_first(first) {}

    void flush() override {}
    void discard() noexcept override {}

  private:
    void put(Index zBegin, Span3<const float> voxels, int /*threads*/) override {
        const std::scoped_lock lock(m_mutex);
        m_space.write(m_volume, m_first + zBegin, {voxels.data(), sizeOf(voxels.count())});
    }
    void complete(int /*threads*/, const std::stop_token& /*stop*/) override {}

    IterationSpace& m_space;
    IterationVector& m_volume;
    Index m_first;
    std::mutex m_mutex;
};

// Photons that are counted behind the object: the inverse of the variance of a line integral.
std::vector<float> countsOf(Span3<const float> integrals, double photons) {
    std::vector<float> counts;
    if (photons <= 0) return counts;
    counts.resize(sizeOf(integrals.count()));
    std::transform(integrals.data(), integrals.data() + integrals.count(), counts.begin(),
                   [&](float p) { return static_cast<float>(photons) * std::exp(-p); });
    return counts;
}

}  // namespace

ProjectedViews usedViews(const OpenScan& scan) {
    ProjectedViews all = projectedViews(scan.description.geometry);
    ProjectedViews used = {{}, all.columns, all.rows};
    for (Index s = 0; s < scan.source->info().views; ++s)
        used.poses.push_back(all.poses[sizeOf(scan.numberOf(s))]);
    return used;
}

IterativeRun::IterativeRun(const OpenScan& scan, const ReconstructionRequest& request,
                           const JobPlan& plan, const Backends& backends,
                           const RunObserver& observer, const IterationRanks& ranks)
    : m_scan(scan),
      m_request(request),
      m_plan(plan),
      m_backends(backends),
      m_observer(observer),
      m_span(observer.span ? observer.span : [](const TimelineSpan&) {}),
      m_lane("iterate", observer.originNs, m_span, {}),
      m_part(plan.iterations->ownPart()),
      m_isFirst(!ranks.group || ranks.group->rank() == 0),
      m_progress(plan.iterations->iterations, observer.progress) {
    m_space = makeSpace(ranks);
    takeMask();
    m_iteration = std::make_unique<Iteration>(*m_space, iterativeMethod(request.method));
}

std::unique_ptr<ProjectionSpace> IterativeRun::makeSpace(const IterationRanks& ranks) {
    const IterationPlan& iterations = *m_plan.iterations;
    const ProjectedViews views = usedViews(m_scan);
    const auto count = static_cast<Index>(views.poses.size());
    const Subsets subsets(count, subsetCount(iterativeMethod(m_request.method), count));
    const bool hasCounts = m_request.method.photons > 0;
    // Each voxel's line is taken and spread once in an iteration.
    const double work = 2 * static_cast<double>(grid().count()) * static_cast<double>(count);
    const auto note = [this, work](double updates) { m_progress.add(updates, work); };
    if (ranks.group)
        m_peers = std::make_unique<RankPeers>(
            *ranks.group, iterations.parts,
            RankPeers::Options{views.columns, count, m_plan.threads,
                               [this](Index bytes, const std::function<void()>& body) {
                                   m_lane.measure(Stage::reduce, {.bytes = bytes}, body);
                               },
                               ranks.stop});
    if (iterations.place == IterationPlan::Place::device) {
        const auto spaceOn = [&](int device, SpacePeers* peers) {
            return m_backends.gpu.makeSpace(
                device, {views, m_request.volume, subsets, hasCounts, peers},
                [this, note](const TimelineSpan& span) {
                    note(static_cast<double>(span.updates));
                    m_span(span);
                },
                m_observer.originNs);
        };
        const std::vector<int>& devices = iterations.devices;
        if (devices.size() == 1) return spaceOn(devices.front(), m_peers.get());
        return joinSpaces(
            {views, m_request.volume, subsets, hasCounts},
            spaceParts(views, m_request.volume, std::ssize(devices)),
            std::max(1, m_plan.threads / static_cast<int>(devices.size())),
            [&](Index part, SpacePeers& peers) { return spaceOn(devices[sizeOf(part)], &peers); });
    }
    const EngineBackend& engine = m_backends.engine(
        iterations.place == IterationPlan::Place::host ? EngineKind::cpu : EngineKind::gpu);
    const int device = iterations.devices.empty() ? 0 : iterations.devices.front();
    return std::make_unique<HostSpace>(
        views, m_request.volume, subsets,
        HostSpaceOptions{m_plan.threads, iterations.slabSlices, hasCounts, m_peers.get()},
        [&](ProjectedViews ordered, int threads) {
            return watched(engine.makeProjector(device, std::move(ordered), threads), m_lane, note);
        });
}

IterativeRun::~IterativeRun() = default;

void IterativeRun::takeMask() {
    const std::string& mask = m_request.method.mask;
    const auto [nX, nY, nZ] = grid().voxels;
    if (mask == kNoMask) return;
    if (mask == kCylinderMask) {
        const std::vector<unsigned char> slice =
            fieldOfViewMask(m_request.volume, fieldOfView(m_scan.description.geometry));
        m_space->setMask({slice.data(), 1, nY, nX});
        return;
    }
    const StoredVolume volume = openFitting(mask, m_request.volume, "method.mask");
    HostBuffer<unsigned char> inside(grid().count());
    unsigned char* next = inside.data();
    readSlices(volume, m_part.slices, {}, [&](IndexRange, std::span<const float> values) {
        std::ranges::transform(values, std::exchange(next, next + values.size()),
                               [](float value) -> unsigned char { return value != 0 ? 1 : 0; });
    });
    m_space->setMask({inside.data(), nZ, nY, nX});
}

void IterativeRun::loadViews(const std::stop_token& stop) {
    const double photons = m_request.method.photons;
    std::mutex mutex;
    std::unique_ptr<Surroundings> around;
    if (m_request.method.isRegion) {
        around = std::make_unique<Surroundings>(
            usedViews(m_scan), m_scan.description.geometry, m_request.volume,
            iterativeMethod(m_request.method).bounds, m_plan.threads);
        eachView(
            [&](Index s, Span3<const float> view) {
                const std::scoped_lock lock(mutex);
                around->setViews({s, s + 1}, view);
            },
            stop);
        m_lane.measure(Stage::project, {}, [&] { around->make(stop); });
    }
    const auto take = [&](Index s, Span3<const float> view) {
        const std::vector<float> counts = countsOf(view, photons);
        const std::scoped_lock lock(mutex);
        const Span3<const float> used = around ? around->without(s, view, stop) : view;
        m_space->setViews(
            {s, s + 1}, used,
            {counts.data(), counts.empty() ? 0 : view.size(0), view.size(1), view.size(2)});
    };
    eachView(take, stop);
}

void IterativeRun::eachView(const TakeView& take, const std::stop_token& stop) {
    const SourceInfo& info = m_scan.source->info();
    const auto onProgress = [this](double share) { m_progress.share(share); };
    const IndexRange rows = m_part.rows;
    const Index bytes = info.views * rows.size() * m_scan.storedRowBytes();
    m_lane.measure(Stage::load, {.bytes = bytes}, [&] {
        if (m_scan.corrections.needsAllViews()) {
            const ViewStack stack = loadViewStack(m_scan, {.maxViews = info.views, .rows = rows},
                                                  m_plan.threads, onProgress, stop);
            for (Index s = 0; s < info.views; ++s)
                take(s, stack.span().slices({s, s + 1}));
            return;
        }
        std::vector<Index> all(sizeOf(info.views));
        std::iota(all.begin(), all.end(), Index{0});
        visitViews(
            m_scan, all, rows, m_plan.threads,
            [&](std::size_t i, Span3<const float> view) { take(static_cast<Index>(i), view); },
            onProgress, stop);
    });
}

void IterativeRun::takeStartFile(const std::stop_token& stop) {
    const StoredVolume volume =
        openFitting(m_request.method.start, m_request.volume, "method.start");
    readSlices(volume, m_part.slices, stop, [&](IndexRange step, std::span<const float> values) {
        if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
            throw InputError(
                fmt::format("{} has voxels that are NaN or infinite in slices {} to {}: "
                            "iterations cannot begin from it.",
                            m_request.method.start, step.begin, step.end - 1),
                {.field = "method.start"});
        m_space->write(m_iteration->volume(), step.begin, values);
    });
}

InvalidPixels IterativeRun::makeStartByFdk(const std::stop_token& stop) {
    ReconstructionRequest request = m_request;
    request.method = {};
    request.volume = grid();
    RunObserver observer;
    observer.span = m_observer.span;
    observer.originNs = m_observer.originNs;
    observer.progress = [this](const Progress& progress) { m_progress.share(progress.fraction); };
    VectorSink sink(*m_space, m_iteration->volume(), m_part.slices.begin);
    InvalidPixels invalid =
        reconstruct(m_scan, request, *m_plan.iterations->start, m_backends, sink, observer, stop);
    for (const auto count : kInvalidCounts) {
        auto all = static_cast<double>(invalid.*count);
        add({&all, 1});
        invalid.*count = m_isFirst ? static_cast<Index>(all) : 0;
    }
    return invalid;
}

InvalidPixels IterativeRun::start(const std::stop_token& stop) {
    m_progress.begin(0);
    InvalidPixels invalid;
    if (m_request.method.startsFromFile())
        takeStartFile(stop);
    else if (m_request.method.start == kStartFdk)
        invalid = makeStartByFdk(stop);
    m_progress.next(0);
    loadViews(stop);
    m_iteration->begin(stop);
    return invalid;
}

void IterativeRun::resume(const Saved& saved, const std::stop_token& stop) {
    m_progress.begin(saved.iteration);
    loadViews(stop);
    HostBuffer<float> values;
    forEachPart(saved.offset, [&](IterationVector& vector, Index part, Index at) {
        if (stop.stop_requested()) throw Cancelled();
        if (values.count() != vector.partCount()) values = HostBuffer<float>(vector.partCount());
        saved.file.readAt(at, std::as_writable_bytes(values.span()));
        m_space->write(vector, part, values.span());
    });
    m_iteration->resume(saved.numbers, stop);
}

IterationReport IterativeRun::step(const std::stop_token& stop) {
    m_progress.next(report().iteration + 1);
    return m_iteration->step(stop);
}

const IterationReport& IterativeRun::report() const {
    return m_iteration->report();
}

StateNumbers IterativeRun::numbers() const {
    return m_iteration->numbers();
}

// A slice, or a view with all rows of the detector.
Index IterativeRun::partBytes(const IterationVector& vector) const {
    const SourceInfo& info = m_scan.source->info();
    const bool isView = vector.kind() == VectorKind::views;
    return (isView ? info.rows * info.columns : vector.partCount()) * kFloat;
}

// Calls move(vector, part, place) for the slices that this rank has, and for the first of its rows
// of each view. offset: of the whole state
template <class Move>
void IterativeRun::forEachPart(Index offset, const Move& move) {
    const Index rowBytes = m_scan.source->info().columns * kFloat;
    for (const NamedVector& named : m_iteration->state()) {
        IterationVector& vector = *named.vector;
        const bool areViews = vector.kind() == VectorKind::views;
        const IndexRange parts = areViews ? IndexRange{0, vector.parts()} : m_part.slices;
        const Index first = areViews ? m_part.rows.begin * rowBytes : 0;
        for (Index part = parts.begin; part < parts.end; ++part)
            move(vector, part, offset + part * partBytes(vector) + first);
        offset += vector.parts() * partBytes(vector);
    }
}

Index IterativeRun::stateBytes() {
    Index bytes = 0;
    for (const NamedVector& named : m_iteration->state())
        bytes += named.vector->parts() * partBytes(*named.vector);
    return bytes;
}

void IterativeRun::save(File& file, Index offset) {
    const Index columns = m_scan.source->info().columns;
    HostBuffer<float> values;
    forEachPart(offset, [&](const IterationVector& vector, Index part, Index at) {
        if (values.count() != vector.partCount()) values = HostBuffer<float>(vector.partCount());
        m_space->readHeld(vector, part, values.span());
        std::span<const float> own = values.span();
        // Rows that several ranks have are the same on each.
        Index skipped = 0;
        if (vector.kind() == VectorKind::views) {
            skipped = (m_part.ownRows.begin - m_part.rows.begin) * columns;
            own = own.subspan(sizeOf(skipped), sizeOf(m_part.ownRows.size() * columns));
        }
        file.writeAt(at + skipped * kFloat, std::as_bytes(own));
    });
}

void IterativeRun::read(Index zBegin, Span3<float> out) {
    m_space->readHeld(m_iteration->volume(), zBegin, {out.data(), sizeOf(out.count())});
}

void IterativeRun::readTogether(Index zBegin, Span3<float> out) {
    m_space->read(m_iteration->volume(), zBegin, {out.data(), sizeOf(out.count())});
}

void IterativeRun::add(std::span<double> numbers) {
    if (m_peers) m_peers->add(numbers);
}

InvalidPixels reconstructIteratively(const OpenScan& scan, const ReconstructionRequest& request,
                                     const JobPlan& plan, const Backends& backends,
                                     VolumeSink& sink, const RunObserver& observer,
                                     const IterationRanks& ranks, const std::stop_token& stop) {
    IterativeRun run(scan, request, plan, backends, observer, ranks);
    const InvalidPixels invalid = run.start(stop);
    while (run.report().stop == StopReason::none)
        run.step(stop);
    storeVolume(run, plan, request.volume, sink, stop);
    return invalid;
}

void storeVolume(IterativeRun& run, const JobPlan& plan, const VolumeGrid& grid, VolumeSink& sink,
                 const std::stop_token& stop) {
    const Index nX = grid.voxels[0];
    const Index nY = grid.voxels[1];
    const auto [begin, end] = run.slices();
    HostBuffer<float> voxels(std::min(end - begin, plan.chunkSlices) * nX * nY);
    for (Index z = begin; z < end; z += plan.chunkSlices) {
        if (stop.stop_requested()) throw Cancelled();
        const Span3<float> part(voxels.data(), std::min(plan.chunkSlices, end - z), nY, nX);
        run.read(z, part);
        sink.write(z, part, plan.threads);
    }
}

std::string endText(const IterationReport& report, bool isAsked) {
    const std::string after = fmt::format("Ended after iteration {}", report.iteration);
    std::string residual = fmt::format("; the residual is {:.3g} of the views.", report.residual);
    if (report.strength > 0)
        residual += fmt::format(" The weight of total variation was {:.2g}.", report.strength);
    switch (report.stop) {
        case StopReason::none:
            return after + (isAsked ? ", as it was asked to" : "") + residual;
        case StopReason::iterations:
            return after + ", the last one" + residual;
        case StopReason::chiSquare:
            return after + ", as the residual is no more than the noise" + residual;
        case StopReason::change:
            return fmt::format("{}, which changed the volume by {:.2g} of it{}", after,
                               report.change, residual);
    }
    return after + residual;
}

}  // namespace gantry
