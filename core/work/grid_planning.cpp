#include "core/work/grid_planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/machine/rank_times.h"
#include "core/plan/host_memory.h"
#include "core/plan/performance_model.h"
#include "core/plan/plan_forecast.h"
#include "core/plan/questions.h"

namespace gantry {

namespace {
using Json = nlohmann::ordered_json;
}  // namespace

Index smallestOfAll(const PlanningCommunicator& communicator, Index own) {
    Index smallest = own;
    for (const std::string& text : communicator.gather(fmt::format("{}", own)))
        smallest = std::min<Index>(smallest, std::stoll(text));
    return std::stoll(communicator.broadcast(fmt::format("{}", smallest)));
}

// The rate of each rank when all exchange with all: the best of a few trials, as they do not begin
// the first at once. The data exceed the caches, as a run's batches and slabs do. Each rank sees
// its own free memory, so the size of a block is that of the rank with the least.
double exchangeRate(const PlanningCommunicator& communicator, Index memoryBytes,
                    const std::stop_token& stop) {
    constexpr Index kMinBytes = 4'000'000;
    constexpr Index kMaxBytes = 64'000'000;
    constexpr Index kPartOfMemory = 32;
    constexpr int kTrials = 3;
    if (!communicator.all) return 0;
    const auto size = static_cast<std::size_t>(communicator.all->size());
    const auto bytes = static_cast<std::size_t>(
        smallestOfAll(communicator, std::clamp(memoryBytes / kPartOfMemory, kMinBytes, kMaxBytes)));
    const std::size_t block = bytes / size;
    const auto memory = std::make_shared<std::vector<std::byte>>(2 * block * size);
    std::vector<std::span<const std::byte>> give;
    std::vector<std::span<std::byte>> take;
    for (std::size_t i = 0; i < size; ++i) {
        give.push_back(std::span(*memory).subspan(2 * i * block, block));
        take.push_back(std::span(*memory).subspan((2 * i + 1) * block, block));
    }
    double best = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
        const std::int64_t begin = nowNs();
        communicator.all->exchange(give, take, memory, stop);
        best = std::max(best, static_cast<double>(bytes) / std::max(1e-9, secondsSince(begin)));
    }
    return best;
}

RankPlan summaryOf(const PlannedRun& run, const std::string& host) {
    const JobPlan& plan = run.plan;
    RankPlan summary = {host, engineName(plan), plan.hostBytes, plan.budgetBytes, {}};
    summary.forecast = run.forecast;
    for (const PassPlan& pass : plan.passes)
        summary.assignments.insert(summary.assignments.end(), pass.assignments.begin(),
                                   pass.assignments.end());
    summary.devices = static_cast<int>(plan.devices.size());
    summary.filterOn = plan.hostTakes() == ViewState::filtered ? FilterOn::cpu : FilterOn::gpu;
    for (const PassPlan& pass : plan.spare)
        summary.spare.push_back(pass.assignments.front().slab);
    return summary;
}

std::vector<RankPlan> gatherPlans(const PlanningCommunicator& communicator, const PlannedRun& run) {
    std::vector<RankPlan> plans;
    const std::string own = jsonText(toJson(summaryOf(run, communicator.host)), -1);
    for (const std::string& plan : communicator.gather(own))
        plans.push_back(parseRankPlan(ownJson(plan)));
    return plans;
}

std::vector<Forecast> forecastsOf(std::span<const RankPlan> ranks) {
    std::vector<Forecast> all;
    std::transform(ranks.begin(), ranks.end(), std::back_inserter(all),
                   [](const RankPlan& rank) { return rank.forecast; });
    return all;
}

namespace {

// Defaults for the first run of such ranks. On the CPU all stages and exchanges share cores and
// memory; measured on two ranks: see the manual's page on clusters.
constexpr double kBesideWork = 0.5;
constexpr double kWorkFactor = 1.2;
constexpr double kBesideSeconds = 0.3;  // files are opened and made, ranks wait for each other

Json toJson(const ExchangeRates& rates) {
    return {rates.gatherBytes, rates.reduceBytes};
}

ExchangeRates parseExchange(const auto& json) {
    return {json.at(0), json.at(1)};
}

std::string textOf(const RankFacts& facts) {
    return jsonText(Json{{"host", facts.host},
                         {"speed", facts.share.speed},
                         {"maxSlices", facts.share.maxSlices},
                         {"layer", facts.share.layer},
                         {"chunkSlices", facts.chunkSlices},
                         {"minSlices", facts.minSlices},
                         {"columnSlices", facts.columnSlices},
                         {"isOnCpu", facts.isOnCpu},
                         {"devices",
                          {facts.devices.count, facts.devices.hostBytes, facts.devices.deviceBytes,
                           facts.devices.multiprocessors, facts.devices.computeCapability}},
                         {"loadBytes", facts.loadBytes},
                         {"filterPixels", facts.filterPixels},
                         {"linkBytes", facts.linkBytes},
                         {"storeBytes", facts.storeBytes},
                         {"exchange", toJson(facts.exchange)}},
                    -1);
}

RankFacts parseRankFacts(const std::string& text) {
    const Json json = ownOrderedJson(text);
    RankFacts facts;
    facts.host = json.at("host");
    facts.share = {json.at("speed"), json.at("maxSlices"), json.at("layer")};
    facts.chunkSlices = json.at("chunkSlices");
    facts.minSlices = json.at("minSlices");
    facts.columnSlices = json.at("columnSlices");
    facts.isOnCpu = json.at("isOnCpu");
    const Json& devices = json.at("devices");
    facts.devices = {devices.at(0), devices.at(1), devices.at(2), devices.at(3), devices.at(4)};
    facts.loadBytes = json.at("loadBytes");
    facts.filterPixels = json.at("filterPixels");
    facts.linkBytes = json.at("linkBytes");
    facts.storeBytes = json.at("storeBytes");
    facts.exchange = parseExchange(json.at("exchange"));
    return facts;
}

// The combined rate of two stages that run one after the other.
double together(double a, double b) {
    return a > 0 && b > 0 ? 1 / (1 / a + 1 / b) : 0;
}

RankFacts::Devices devicesOf(const JobPlan& plan, const Machine& machine) {
    RankFacts::Devices all;
    all.hostBytes = all.deviceBytes = static_cast<double>(std::max<Index>(1, plan.budgetBytes));
    all.multiprocessors = plan.threads;
    if (plan.engine == EngineKind::cpu) return all;
    all.count = static_cast<double>(plan.devices.size());
    all.deviceBytes = all.multiprocessors = 0;
    all.computeCapability = std::numeric_limits<double>::max();
    for (const DevicePlan& device : plan.devices) {
        all.deviceBytes += static_cast<double>(device.budgetBytes);
        for (const DeviceFacts& facts : machine.gpu.devices) {
            if (facts.number != device.device) continue;
            all.multiprocessors += std::max(1, facts.multiprocessors);
            all.computeCapability = std::min(all.computeCapability, facts.computeCapability);
        }
    }
    return all;
}

// The rate of the filter where the rank would run it if it worked alone.
double filterRate(const JobPlan& plan, const MachineRates& rates) {
    if (plan.handedOver == ViewState::filtered)
        return together(rates.preparePixels, rates.filterPixels);
    double onDevices = 0;
    for (const DeviceRates& device : rates.devices)
        onDevices += device.filterPixels;
    return plan.handedOver == ViewState::stored ? onDevices
                                                : together(rates.preparePixels, onDevices);
}

// Kernels that work by whole columns of voxels have a cost for each column, however short.
Index minSlicesOf(const JobPlan& plan) {
    if (plan.engine == EngineKind::gpu) return 256;
    return plan.devices.front().kernel.kernel.name == kReferenceKernel ? 8 : 64;
}

RankFacts factsOf(const PlannedRun& whole, const RankRequest& request,
                  const PlanningCommunicator& communicator, const std::stop_token& stop) {
    const Machine machine = machineOf(request.backends);
    const PlanInputs inputs = {request.scan, request.spec, machine, whole.facts, request.sink};
    const MachineRates rates = ratesOf(inputs, whole.plan);
    RankFacts facts;
    facts.host = communicator.host;
    facts.isOnCpu = whole.plan.engine == EngineKind::cpu;
    facts.chunkSlices = whole.plan.chunkSlices;
    facts.minSlices = minSlicesOf(whole.plan);
    if (facts.isOnCpu)
        if (const auto* kernel = whole.facts.find<KernelFacts>(cpuKernelQuestion(whole.plan)))
            facts.columnSlices = kernel->choice.columnSlices;
    facts.devices = devicesOf(whole.plan, machine);
    for (const SlabPlan& slab : whole.plan.slabs)
        facts.share.maxSlices = std::max(facts.share.maxSlices, slab.slices.size());
    for (const DevicePlan& device : whole.plan.devices)
        facts.share.layer = std::max(facts.share.layer, device.kernel.kernel.layerSlices);
    // A speed that was not measured is assumed to equal the others'.
    if (const double seconds = whole.forecast.backproject; seconds > 0)
        facts.share.speed = static_cast<double>(request.spec.volume.count()) *
                            static_cast<double>(request.scan.geometry.views) / seconds;
    facts.loadBytes = request.reads ? rates.loadBytes : 0;
    facts.filterPixels = filterRate(whole.plan, rates);
    facts.storeBytes = rates.storeBytes;
    for (const DeviceRates& device : rates.devices)
        facts.linkBytes += device.uploadBytes;
    const double alone = exchangeRate(communicator, whole.plan.budgetBytes, stop);
    const double inRun = facts.isOnCpu ? kBesideWork * alone : alone;
    facts.exchange = {inRun, inRun};
    return facts;
}

// Replaces measured rates by those that such ranks have reached in an earlier run.
void useEarlierRates(const RankTimes& earlier, std::vector<RankFacts>& ranks) {
    for (RankFacts& rank : ranks) {
        ExchangeRates& rates = rank.exchange;
        if (rates.gatherBytes <= 0) continue;  // no groups are possible
        rates.gatherBytes = earlier.exchangeBytes(Stage::gather).value_or(rates.gatherBytes);
        rates.reduceBytes = earlier.exchangeBytes(Stage::reduce).value_or(rates.reduceBytes);
    }
}

RankTimes earlierTimes(const RankRequest& request, const std::vector<RankFacts>& ranks,
                       const JobPlan& plan) {
    std::vector<std::string> hosts;
    std::transform(ranks.begin(), ranks.end(), std::back_inserter(hosts),
                   [](const RankFacts& rank) { return rank.host; });
    return {request.backends.runTimes, ranksKind(hosts, plan)};
}

// A job's constraints on the grid of these ranks. It may have been created for other ranks.
GridWishes wishesOf(const JobSpec& spec, Index ranks) {
    GridWishes wishes;
    wishes.exchange = spec.exchange;
    if (spec.gridRows > 0 && ranks % spec.gridRows == 0) wishes.rows = spec.gridRows;
    return wishes;
}

bool agrees(const GridPlan& plan, const GridWishes& wishes) {
    return (!wishes.exchange || plan.grid.rows == 1 || *wishes.exchange == plan.grid.exchange) &&
           (!wishes.rows || *wishes.rows == plan.grid.rows);
}

// The part of the first rank: it plans from what all ranks have reported.
class Scheduler {
  public:
    /// whole: the first rank's plan if it worked alone
    Scheduler(const RankRequest& request, const JobPlan& whole,
              const std::vector<std::string>& facts)
        : m_request(request),
          m_work{request.scan.geometry, request.spec.volume, request.finished},
          m_problem{request.scan.geometry, request.spec.volume,
                    sizeBytes(request.scan.stored.pixelType),
                    request.sink.outputBytes / request.spec.volume.count()},
          m_wishes(wishesOf(request.spec, std::ssize(facts))),
          m_weights(parseRankWeights(request.spec.weights)) {
        for (const std::string& text : facts)
            m_ranks.push_back(parseRankFacts(text));
        m_earlier.emplace(earlierTimes(request, m_ranks, whole));
        useEarlierRates(*m_earlier, m_ranks);
    }

    // The next plan to try; nothing if it would equal the one before.
    [[nodiscard]] std::optional<GridPlan> next() {
        constexpr double kThinner = 0.7;
        if (std::exchange(m_isFirst, false))
            if (std::optional<GridPlan> stored = m_request.stored;
                stored && fits(*stored, m_work, std::ssize(m_ranks)) && agrees(*stored, m_wishes)) {
                stored->why = "as in the plan that the job's folder has";
                m_isStored = true;
                return stored;
            }
        m_isStored = false;
        while (m_share > 1e-6) {
            GridPlan plan = planGrid(m_work, m_problem, m_ranks, m_wishes, m_weights, m_share);
            m_share *= kThinner;
            if (m_before && plan == *m_before) {
                // Slabs of one slice cannot be thinner, and those of an interrupted run are kept.
                const auto thickest = std::max_element(
                    plan.slabs.slabs.begin(), plan.slabs.slabs.end(),
                    [](const auto& a, const auto& b) { return a.size() < b.size(); });
                if (m_request.finished || thickest->size() == 1) return std::nullopt;
                continue;
            }
            m_before = plan;
            return plan;
        }
        return std::nullopt;
    }

    /// What is sent together with a plan.
    [[nodiscard]] ExchangeRates exchange() const { return exchangeOf(m_ranks); }
    [[nodiscard]] const RankTimes& earlier() const { return *m_earlier; }

    // Whether passes may move: only between ranks that make the same number of slabs in one. A
    // slab's voxels are the same on every rank with the same engine; with another engine they
    // differ by rounding, and a stored plan must keep them.
    [[nodiscard]] bool moves(const GridPlan& plan, const std::vector<RankPlan>& ranks) const {
        const auto working = std::span(ranks).first(static_cast<std::size_t>(plan.grid.ranks()));
        const auto isLikeFirst = [&](const RankPlan& rank) {
            return rank.devices == ranks.front().devices &&
                   (!m_isStored || rank.engine == ranks.front().engine);
        };
        return plan.moves && m_weights.by == RankWeights::By::speed &&
               std::all_of(working.begin(), working.end(), isLikeFirst);
    }

  private:
    const RankRequest& m_request;
    GridWork m_work;
    ClusterProblem m_problem;
    GridWishes m_wishes;
    RankWeights m_weights;
    std::vector<RankFacts> m_ranks;
    std::optional<RankTimes> m_earlier;
    bool m_isFirst = true;
    bool m_isStored = false;
    double m_share = 1;
    std::optional<GridPlan> m_before;
};

PlannedRun planOwn(const RankRequest& request, GridPart part, const Facts& facts) {
    JobSpec own = request.spec;
    // A rank that the grid leaves out is a row by itself that has no slabs.
    if (part.isIdle()) {
        part.plan.grid = {};
        part.plan.moves = false;
    }
    const bool isGathered = part.plan.isGathered();
    // Only one device a rank exchanges data, so that all ranks know the order.
    if ((isGathered || part.plan.grid.columns > 1) && own.devices.size() > 1)
        own.devices = {own.devices.front()};
    const std::set<Index> done = request.finished ? request.finished->done : std::set<Index>();
    if (part.plan.moves)
        for (Index i = 0; i < std::ssize(part.plan.slabs.slabs); ++i)
            if (!done.contains(i) &&
                part.plan.slabs.ranks[static_cast<std::size_t>(i)] != part.row())
                part.spare.insert(i);
    const FinishedSlabs finished =
        isGathered ? FinishedSlabs{part.plan.slabs.slabs, done} : slabsForRank(part, done);
    return planPart(request.scan, own, request.backends, request.sink, part, finished, facts);
}

ResourceError shortfallOf(const RankPlan& plan, Index rank) {
    const ResourceError own = hostShortfall({plan.hostBytes, plan.budgetBytes});
    return ResourceError(fmt::format("Rank {} on {} has too small a part of the memory. {}", rank,
                                     plan.host, own.message()),
                         own.details());
}

// The grid's plan of the first rank, as sent to all.
std::string textOf(const GridPlan& plan, const ExchangeRates& exchange) {
    return jsonText(Json{{"grid", toJson(plan)}, {"exchange", toJson(exchange)}}, -1);
}

// Completes the plan of the whole run on the first rank, with the time that planning took.
void completeFirst(PlannedRank& planned, std::int64_t beginNs, const RankTimes& earlier) {
    PlannedRun& run = planned.run;
    const auto working = std::span<const RankPlan>(planned.ranks)
                             .first(static_cast<std::size_t>(run.plan.part->plan.grid.ranks()));
    run.forecast = ofAllRanks(forecastsOf(working));
    run.planSeconds = secondsSince(beginNs);
    const double usual = run.plan.engine == EngineKind::cpu ? kWorkFactor : 1;
    if (run.forecast.wall > 0)
        run.forecast.wall =
            run.forecast.wall * earlier.workFactor(run.plan.part->plan.grid).value_or(usual) +
            run.planSeconds + earlier.besideSeconds().value_or(kBesideSeconds);
    run.plan.part->plan.filterOn.clear();
    for (const RankPlan& rank : working)
        run.plan.part->plan.filterOn.push_back(rank.filterOn);
}

}  // namespace

PlannedRank planTogether(const RankRequest& request, const PlanningCommunicator& communicator,
                         const std::stop_token& stop) {
    const std::int64_t begin = nowNs();
    const PlannedRun whole = learnAndPlan(request.scan, request.spec, request.backends,
                                          request.sink, Purpose::forecast, request.finished, stop);
    const RankFacts facts = factsOf(whole, request, communicator, stop);
    const std::vector<std::string> gathered = communicator.gather(textOf(facts));
    std::optional<Scheduler> scheduler;
    if (communicator.rank == 0) scheduler.emplace(request, whole.plan, gathered);
    PlannedRank planned;
    std::optional<GridPlan> next;
    if (scheduler) next = scheduler->next();
    while (true) {
        const nlohmann::json text = ownJson(
            communicator.broadcast(next ? textOf(*next, scheduler->exchange()) : std::string()));
        const GridPart part = {parseGridPlan(text.at("grid")).value(),
                               communicator.rank,
                               {},
                               parseExchange(text.at("exchange"))};
        planned.run = planOwn(request, part, whole.facts);
        planned.ranks = gatherPlans(communicator, planned.run);
        const auto fits = [](const RankPlan& plan) { return plan.hostBytes <= plan.budgetBytes; };
        const auto tooBig = std::find_if_not(planned.ranks.begin(), planned.ranks.end(), fits);
        if (scheduler && tooBig != planned.ranks.end()) {
            next = scheduler->next();
            if (!next && !request.finished)
                throw shortfallOf(*tooBig, tooBig - planned.ranks.begin());
        } else {
            next.reset();
        }
        // An interrupted run keeps its slabs.
        const bool moves = !next && scheduler && scheduler->moves(part.plan, planned.ranks);
        const std::string verdict = communicator.broadcast(next ? "again" : moves ? "move" : "go");
        planned.moves = verdict == "move" && !part.isIdle();
        if (verdict == "again") continue;
        if (scheduler) completeFirst(planned, begin, scheduler->earlier());
        return planned;
    }
}

}  // namespace gantry
