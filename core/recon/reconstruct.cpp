#include "core/recon/reconstruct.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "core/pipeline/runner.h"
#include "core/recon/device_lanes.h"
#include "core/recon/iterative_run.h"
#include "core/recon/view_lanes.h"

namespace gantry {

namespace {

// The part of the volume that this run does not make: an interrupted run made it, or other ranks
// do.
double partDone(const RunSetup& setup) {
    Index left = 0;
    for (const PassPlan& pass : setup.plan.passes)
        for (const Assignment& part : pass.assignments)
            left += setup.slab(part.slab).slices.size() * part.views.size();
    return 1 - static_cast<double>(left) /
                   static_cast<double>(setup.request.volume.voxels[2] * setup.scan.geometry.views);
}

double updatesOf(const RunSetup& setup) {
    return static_cast<double>(setup.request.volume.count()) *
           static_cast<double>(setup.scan.geometry.views);
}

// One run: its threads, and the rings between them.
class Reconstruction {
  public:
    Reconstruction(const RunSetup& setup, const EngineBackend& backend, VolumeSink& sink,
                   const RunObserver& observer);

    InvalidPixels run(const std::stop_token& stop);

  private:
    void makeLanes();
    void spawnLanes(Runner& runner);
    void report(Index pass);
    [[nodiscard]] bool isGathered() const { return m_setup.groups.column != nullptr; }
    [[nodiscard]] bool hostPrepares() const { return m_setup.plan.handedOver != ViewState::stored; }
    [[nodiscard]] InvalidPixels invalidIn(Index pass) const {
        return m_views.countsInvalid() ? m_views.invalidIn(pass) : m_devices->invalidIn(pass);
    }

    const RunSetup& m_setup;
    const EngineBackend& m_backend;
    const RunObserver& m_observer;
    const SpanSink m_span;
    RunProgress m_progress;
    std::mutex m_reportMutex;
    // Devices may be copying from these slots, so m_devices is destroyed first.
    ViewLanes m_views;
    std::optional<GatherLane> m_gather;
    ChunkLane m_chunks;
    std::optional<DeviceLanes> m_devices;
};

Reconstruction::Reconstruction(const RunSetup& setup, const EngineBackend& backend,
                               VolumeSink& sink, const RunObserver& observer)
    : m_setup(setup),
      m_backend(backend),
      m_observer(observer),
      m_span(observer.span ? observer.span : [](const TimelineSpan&) {}),
      m_progress(
          partDone(setup), updatesOf(setup),
          observer.progress ? observer.progress : [](const Progress&) {}),
      m_views(setup, backend, m_span, observer.originNs),
      m_chunks(setup, sink) {}

void Reconstruction::makeLanes() {
    const GiveBack toViews = [this](Batch batch) { m_views.giveBack(std::move(batch)); };
    if (isGathered()) m_gather.emplace(m_setup, toViews, [this](Index pass) { report(pass); });
    const GiveBack toGather = [this](Batch batch) { m_gather->giveBackWhole(std::move(batch)); };
    m_devices.emplace(m_setup, m_backend, isGathered() ? toGather : toViews, m_chunks, m_progress,
                      m_span, m_observer.originNs);
}

void Reconstruction::report(Index pass) {
    if (!m_observer.slabsStored) return;
    const std::scoped_lock lock(m_reportMutex);
    m_observer.slabsStored(m_setup.pass(pass).slabsOfAll(), invalidIn(pass));
}

void Reconstruction::spawnLanes(Runner& runner) {
    // Slots are given out one by one while the devices start.
    const Pin pin = m_backend.pin;
    const bool isCopied = !isGathered() || m_setup.plan.filteredFrom;
    runner.spawn("", [this, pin, isCopied](Lane&) { m_views.makeSlots(isCopied ? pin : Pin()); });
    runner.spawn("", [this, pin](Lane&) { m_chunks.makeSlots(pin); });
    const BatchOutlet whole = m_devices->outlet();
    const BatchOutlet ready = isGathered() ? m_gather->filtered() : whole;
    const BatchOutlet loaded = hostPrepares() ? m_views.loaded() : ready;
    runner.spawn("load", [this, loaded](Lane& lane) { m_views.load(lane, loaded); });
    if (hostPrepares())
        runner.spawn("filter", [this, ready](Lane& lane) { m_views.prepare(lane, ready); });
    if (isGathered()) {
        runner.spawn("", [this, pin](Lane&) { m_gather->makeSlots(pin); });
        runner.spawn("gather", [this, whole](Lane& lane) { m_gather->gather(lane, whole); });
    }
    m_devices->spawn(runner);
    if (m_chunks.isSummed()) runner.spawn("reduce", [this](Lane& lane) { m_chunks.sum(lane); });
    for (int i = 1; i <= m_setup.plan.storeLanes; ++i)
        runner.spawn(storeLaneName(m_setup.plan, i), [this](Lane& lane) {
            m_chunks.store(lane, [this](Index pass) { report(pass); });
        });
}

InvalidPixels Reconstruction::run(const std::stop_token& stop) {
    makeLanes();
    m_progress.start();
    Runner runner(m_observer.originNs, m_span, stop);
    spawnLanes(runner);
    runner.wait();
    InvalidPixels invalid;
    for (Index pass = 0; pass < m_setup.passCount(); ++pass)
        invalid += invalidIn(pass);
    // All slabs are read and released, so the devices have reported their last spans.
    m_devices.reset();
    return invalid;
}

}  // namespace

InvalidPixels reconstruct(const OpenScan& scan, const ReconstructionRequest& request,
                          const JobPlan& plan, const Backends& backends, VolumeSink& sink,
                          const RunObserver& observer, const std::stop_token& stop,
                          const RankGroups& groups) {
    if (plan.iterations)
        return reconstructIteratively(scan, request, plan, backends, sink, observer,
                                      {groups.parts, stop}, stop);
    const RunSetup setup = {scan, request, plan, groups};
    return Reconstruction(setup, backends.engine(plan.engine), sink, observer).run(stop);
}

std::vector<std::string> notesOf(const OpenScan& scan, const JobPlan& plan) {
    std::vector<std::string> notes = {plan.iterations ? plan.iterations->sentence
                                                      : scan.redundancy.reason};
    if (!scan.leftOut.empty())
        notes.push_back(leftOutText(scan.leftOut, scan.description.geometry.views()));
    if (scan.corrections.any()) notes.push_back(describe(scan.corrections));
    if (scan.modules)
        notes.insert(notes.end(), scan.modules->notes.begin(), scan.modules->notes.end());
    if (scan.air) notes.insert(notes.end(), scan.air->notes.begin(), scan.air->notes.end());
    notes.insert(notes.end(), plan.notes.begin(), plan.notes.end());
    if (plan.engine == EngineKind::cpu) return notes;
    if (scan.corrections.changesPixels())
        notes.push_back(fmt::format("Views were corrected on the {}{}.",
                                    plan.areStepsOnDevice ? "GPU" : "CPU",
                                    plan.areViewsHeldThere ? ", which held all of them" : ""));
    if (plan.areRowsResampledThere) notes.emplace_back("Views were resampled on the GPU.");
    const ViewState taken = plan.hostTakes();
    notes.push_back(fmt::format("Views were {}filtered on the {}{}.",
                                taken == ViewState::stored ? "prepared and " : "",
                                taken == ViewState::filtered ? "CPU" : "GPU",
                                plan.filteredFrom ? ", and gathered from there" : ""));
    if (std::ranges::any_of(plan.devices,
                            [](const DevicePlan& device) { return device.kernel.kernel.isFast; }))
        notes.emplace_back(
            "Texture hardware interpolated, or half floats were added: the relative error is about "
            "1e-4 to 3e-4 on smooth data and up to 4e-3 on noise.");
    return notes;
}

std::string storeLaneName(const JobPlan& plan, int number) {
    return plan.storeLanes == 1 ? "store" : fmt::format("store {}", number);
}

}  // namespace gantry
