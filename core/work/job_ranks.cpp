#include "core/work/job_ranks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/parallel.h"
#include "core/job/index_ranges_json.h"
#include "core/job/job_lock.h"

namespace gantry {

namespace {

using Json = nlohmann::ordered_json;

// What a rank tells of itself before slabs are dealt.
struct RankFacts {
    RankShare share;

    [[nodiscard]] std::string text() const {
        return jsonText(Json{{"speed", share.speed}, {"mostSlices", share.mostSlices}}, -1);
    }
    static RankFacts parse(const std::string& text) {
        const Json json = ownOrderedJson(text);
        return {{json.at("speed"), json.at("mostSlices")}};
    }
};

std::string textOf(const RankSlabs& dealt) {
    Json slabs = Json::array();
    for (const IndexRanges& slab : dealt.slabs)
        slabs.push_back(toJson(slab));
    return jsonText(Json{{"slabs", slabs}, {"ranks", dealt.ranks}}, -1);
}

RankSlabs parseRankSlabs(const std::string& text) {
    const Json json = ownOrderedJson(text);
    RankSlabs dealt;
    for (const Json& slab : json.at("slabs"))
        dealt.slabs.push_back(parseIndexRanges(nlohmann::json(slab)).value());
    dealt.ranks = json.at("ranks").get<std::vector<int>>();
    return dealt;
}

// What a rank's own plan of the whole volume shows. A speed that was not measured counts as that of
// the others.
RankFacts factsOf(const PlannedRun& planned, const OpenScan& scan, const JobSpec& spec) {
    RankFacts facts;
    for (const SlabPlan& slab : planned.plan.slabs)
        facts.share.mostSlices = std::max(facts.share.mostSlices, slab.slices.size());
    const double seconds = planned.forecast.backproject;
    if (seconds > 0)
        facts.share.speed = static_cast<double>(spec.volume.count()) *
                            static_cast<double>(scan.geometry.views) / seconds;
    return facts;
}

std::vector<RankShare> sharesOf(const std::vector<std::string>& texts) {
    std::vector<RankShare> shares;
    shares.reserve(texts.size());
    for (const std::string& text : texts)
        shares.push_back(RankFacts::parse(text).share);
    return shares;
}

Index slicesLeft(const RankSlabs& dealt, const std::set<Index>& done, int rank) {
    Index slices = 0;
    for (std::size_t i = 0; i < dealt.slabs.size(); ++i)
        if (dealt.ranks[i] == rank && !done.contains(static_cast<Index>(i)))
            slices += dealt.slabs[i].size();
    return slices;
}

std::int64_t numberIn(const std::string& text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

JobRanks::JobRanks(Communicator& ranks, const std::stop_token& stop) : m_ranks(&ranks) {
    const Json own = {{"host", machineName()}, {"pid", ::getpid()}};
    Json all = Json::array();
    for (const std::string& text : ranks.gather(jsonText(own, -1), {stop, {}}))
        all.push_back(ownOrderedJson(text));
    const auto moment = std::chrono::system_clock::now().time_since_epoch().count();
    const Json first = {{"run", fmt::format("{}-{}", moment, ::getpid())}, {"ranks", all}};
    const Json told = ownOrderedJson(ranks.broadcast(jsonText(first, -1), {stop, {}}));
    m_run = told.at("run");
    m_onThisHost = 0;
    for (const Json& process : told.at("ranks")) {
        m_processes.push_back({process.at("host"), process.at("pid")});
        if (m_processes.back().host != own.at("host")) continue;
        if (static_cast<int>(m_processes.size()) <= ranks.rank()) ++m_numberOnHost;
        ++m_onThisHost;
    }
    m_watch = std::make_unique<RankWatch>(ranks, m_processes);
}

JobSpec JobRanks::shareOf(JobSpec spec, const Backends& backends) const {
    if (isAlone()) return spec;
    const Index ranks = m_onThisHost;
    const Machine machine = machineOf(backends);
    const int threads = spec.threads > 0 ? spec.threads : machine.threads;
    spec.threads = std::max(1, threads / m_onThisHost);
    spec.memoryBytes = (spec.memoryBytes > 0 ? spec.memoryBytes : machine.freeBytes) / ranks;
    std::vector<int> gpus = spec.devices;
    if (gpus.empty())
        for (const DeviceFacts& device : machine.gpu.devices)
            gpus.push_back(device.number);
    if (gpus.empty()) return spec;
    // Every n-th one, or where there are fewer GPUs than ranks a part of one.
    const auto count = static_cast<int>(gpus.size());
    spec.devices.clear();
    for (int i = m_numberOnHost; i < count; i += m_onThisHost)
        spec.devices.push_back(gpus[static_cast<std::size_t>(i)]);
    if (!spec.devices.empty()) return spec;
    const int shared = m_numberOnHost % count;
    const Index ofOneGpu = (m_onThisHost + count - 1) / count;
    spec.devices = {gpus[static_cast<std::size_t>(shared)]};
    const DeviceFacts* device = nullptr;
    for (const DeviceFacts& one : machine.gpu.devices)
        if (one.number == spec.devices.front()) device = &one;
    if (device) spec.deviceMemoryBytes = std::max<Index>(1, device->freeBytes / ofOneGpu);
    return spec;
}

PlannedRun JobRanks::plan(const OpenScan& scan, const JobSpec& spec, const Backends& backends,
                          const SinkNeeds& sink, Purpose purpose,
                          const std::optional<FinishedSlabs>& finished,
                          const std::stop_token& stop) {
    if (isAlone()) return learnAndPlan(scan, spec, backends, sink, purpose, finished, stop);
    // Shares follow from what each rank measures.
    const PlannedRun whole =
        learnAndPlan(scan, spec, backends, sink, Purpose::forecast, finished, stop);
    RankSlabs slabs;
    m_watch->call([&](const Communicator::Waiting& waiting) {
        const std::vector<RankShare> shares =
            sharesOf(m_ranks->gather(factsOf(whole, scan, spec).text(), waiting));
        std::string dealt;
        if (isFirst())
            dealt = textOf(finished ? dealLeftOvers(*finished, shares)
                                    : dealToRanks(spec.volume.voxels[2], shares));
        slabs = parseRankSlabs(m_ranks->broadcast(dealt, waiting));
    });
    const std::set<Index> done = finished ? finished->done : std::set<Index>();
    for (int rank = 0; rank < count(); ++rank)
        m_watch->setProgressOf(rank, 1 - static_cast<double>(slicesLeft(slabs, done, rank)) /
                                             static_cast<double>(spec.volume.voxels[2]));
    return learnAndPlan(scan, spec, backends, sink, purpose, slabsForRank(slabs, done, rank()),
                        stop);
}

void JobRanks::barrier() {
    m_watch->call([this](const Communicator::Waiting& waiting) { m_ranks->barrier(waiting); });
}

void JobRanks::inTurn(const std::function<void()>& open) {
    if (isAlone() || isFirst()) open();
    if (isAlone()) return;
    barrier();
    if (!isFirst()) open();
    barrier();
}

void JobRanks::work(const std::function<void(const std::stop_token&)>& work,
                    const std::stop_token& stop) {
    if (isAlone()) {
        work(stop);
        return;
    }
    try {
        m_watch->run(work, stop);
    } catch (...) {
        std::rethrow_exception(failTogether(std::current_exception()));
    }
}

void JobRanks::waitForAll() {
    if (!isAlone()) barrier();
}

std::int64_t JobRanks::sharedOrigin(std::int64_t originNs) {
    if (isAlone()) return originNs;
    std::int64_t origin = 0;
    m_watch->call([&](const Communicator::Waiting& waiting) {
        origin = numberIn(m_ranks->broadcast(fmt::format("{}", originNs), waiting));
        // Processes of one machine have one clock.
        if (m_processes[0].host != m_processes[static_cast<std::size_t>(rank())].host)
            origin -= m_watch->firstIsAheadNs(waiting);
    });
    return origin;
}

double JobRanks::wholeFraction(double own) {
    if (isAlone()) return own;
    m_watch->setProgress(own);
    double whole = 1;
    for (int rank = 0; rank < count(); ++rank)
        whole += m_watch->progressOf(rank) - 1;
    return std::clamp(whole, 0.0, 1.0);
}

std::exception_ptr JobRanks::failTogether(std::exception_ptr error) noexcept {
    if (isAlone()) return error;
    try {
        std::rethrow_exception(error);
    } catch (const Cancelled& cancelled) {
        try {
            // Where a rank dies, its launcher stops the others.
            const std::string gone = m_watch->whoIsGone();
            if (!gone.empty()) error = std::make_exception_ptr(ResourceError(gone));
        } catch (const std::exception&) {
        }
        m_watch->tellFailure(cancelled);
    } catch (const std::exception& failure) {
        m_watch->tellFailure(failure);
    }
    return error;
}

}  // namespace gantry
