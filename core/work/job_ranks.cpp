#include "core/work/job_ranks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "core/base/clock.h"
#include "core/base/json_text.h"
#include "core/base/parallel.h"
#include "core/base/this_machine.h"
#include "core/base/throw_error.h"
#include "core/base/version.h"
#include "core/job/job_lock.h"
#include "core/work/iteration_planning.h"

namespace gantry {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxMoves = 8;  // that a report lists; the log has all

// Kinds of groups: see Communicator::group().
constexpr int kGroupOfAll = 0;
constexpr int kGroupOfRow = 1;
constexpr int kGroupOfColumn = 2;

std::int64_t numberIn(const std::string& text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

void requireOneVersion(std::span<const RankProcess> processes) {
    const auto other = std::adjacent_find(
        processes.begin(), processes.end(),
        [](const RankProcess& a, const RankProcess& b) { return a.version != b.version; });
    if (other == processes.end()) return;
    const RankProcess& first = processes.front();
    const RankProcess& different = *std::next(other);
    throwError<InputError>(
        "Rank {} on {} is Gantry {}, but rank 0 on {} is Gantry {}: all ranks of a job need the "
        "same version. Install one on all machines, or give the program's whole path.",
        std::distance(processes.begin(), other) + 1, different.host, different.version, first.host,
        first.version);
}

JobRanks::JobRanks(Communicator& ranks, const std::stop_token& stop) : m_ranks(&ranks) {
    const Json own = {{"host", machineName()}, {"pid", ::getpid()}, {"version", programVersion()}};
    Json all = Json::array();
    for (const std::string& text : ranks.gather(jsonText(own, -1), {stop, {}}))
        all.push_back(ownOrderedJson(text));
    const auto moment = std::chrono::system_clock::now().time_since_epoch().count();
    const Json first = {{"run", fmt::format("{}-{}", moment, ::getpid())}, {"ranks", all}};
    const Json received = ownOrderedJson(ranks.broadcast(jsonText(first, -1), {stop, {}}));
    m_run = received.at("run");
    for (const Json& process : received.at("ranks"))
        m_processes.push_back({process.at("host"), process.at("pid"),
                               process.value("version", "of unknown version")});
    requireOneVersion(m_processes);
    m_watch = std::make_unique<RankWatch>(ranks, m_processes);
}

std::vector<std::string> JobRanks::hosts() const {
    std::vector<std::string> hosts;
    for (const RankProcess& process : m_processes)
        hosts.push_back(process.host);
    return hosts;
}

JobSpec JobRanks::agreed(JobSpec spec) {
    if (isAlone()) return spec;
    m_watch->call([&](const Communicator::Waiting& waiting) {
        const Json own = {static_cast<int>(*spec.rows), spec.extension->before,
                          spec.extension->after,        spec.extension->perColumn,
                          spec.extension->shownBefore,  spec.extension->shownAfter};
        const Json first = ownOrderedJson(m_ranks->broadcast(jsonText(own, -1), waiting));
        spec.rows = static_cast<FilterRows>(first.at(0).get<int>());
        spec.extension = {first.at(1), first.at(2), first.at(3), first.at(4), first.at(5)};
    });
    return spec;
}

JobSpec JobRanks::shareOf(JobSpec spec, const Backends& backends) {
    if (isAlone()) return spec;
    const Machine machine = machineOf(backends);
    std::vector<RankView> onThisHost;
    int number = 0;
    m_watch->call([&](const Communicator::Waiting& waiting) {
        Json all = m_ranks->gather(toJson(rankView(machine)), waiting);
        all = ownOrderedJson(m_ranks->broadcast(jsonText(all, -1), waiting));
        const auto own = static_cast<std::size_t>(rank());
        for (std::size_t i = 0; i < m_processes.size(); ++i) {
            if (i == own) number = static_cast<int>(onThisHost.size());
            if (m_processes[i].host == m_processes[own].host)
                onThisHost.push_back(parseRankView(all.at(i).get<std::string>()));
        }
    });
    spec = partOfMachine(std::move(spec), machine, onThisHost, number);
    m_share = fmt::format("Rank {} {}", rank(), describeShare(spec, onThisHost, number));
    return spec;
}

std::vector<std::string> JobRanks::shares() {
    std::vector<std::string> all;
    m_watch->call(
        [&](const Communicator::Waiting& waiting) { all = m_ranks->gather(m_share, waiting); });
    return all;
}

// Every rank reports how far the whole is without its part; until then the first rank assumes the
// value that it knows.
void JobRanks::setProgress(const PlannedRank& planned, const OpenScan& scan, const JobSpec& spec) {
    const double all =
        static_cast<double>(spec.volume.voxels[2]) * static_cast<double>(scan.geometry.views);
    std::vector<double> left(static_cast<std::size_t>(count()));
    const auto add = [&](const Assignment& part) {
        const IndexRanges& slices =
            planned.run.plan.slabs[static_cast<std::size_t>(part.slab)].slices;
        left[static_cast<std::size_t>(part.rank)] +=
            static_cast<double>(slices.size()) * static_cast<double>(part.views.size());
    };
    for (const RankPlan& rank : planned.ranks)
        std::for_each(rank.assignments.begin(), rank.assignments.end(), add);
    if (!isFirst())
        for (const PassPlan& pass : planned.run.plan.passes)
            std::for_each(pass.assignments.begin(), pass.assignments.end(), add);
    m_progressBefore.clear();
    for (int rank = 0; rank < count(); ++rank) {
        m_progressBefore.push_back(1 - left[static_cast<std::size_t>(rank)] / all);
        m_watch->setProgressOf(rank, m_progressBefore.back());
    }
}

void JobRanks::startBalancer(const JobPlan& plan, const OpenScan& scan, const JobSpec& spec) {
    for (Index i = 0; i < plan.passCount(); ++i)
        m_passOfSlab[plan.pass(i).assignments.front().slab] = i;
    std::optional<RankBalancer::First> first;
    if (isFirst()) {
        m_assigned.emplace(plan.part->plan, plan.slabs, m_plans, plan.batchesPerPass);
        const double all =
            static_cast<double>(spec.volume.voxels[2]) * static_cast<double>(scan.geometry.views);
        const auto done = [this, all](int rank) {
            const double part =
                m_watch->progressOf(rank) - m_progressBefore[static_cast<std::size_t>(rank)];
            return part * all / static_cast<double>(m_assigned->part(rank).views().size());
        };
        const auto moved = [this](const std::vector<MovedPass>& passes,
                                  const PassScheduler& scheduler,
                                  double now) { takeMoves(passes, scheduler, now); };
        first = RankBalancer::First{PassScheduler(m_assigned->run()), done, moved};
    }
    m_balancer = std::make_unique<RankBalancer>(*m_watch, rank(), std::move(first));
}

void JobRanks::takeMoves(const std::vector<MovedPass>& moved, const PassScheduler& scheduler,
                         double now) {
    m_assigned->take(moved, scheduler, m_plans);
    const std::string sentence = describe(moved, scheduler, m_assigned->grid(), m_plans, now);
    if (m_moves.size() < kMaxMoves) m_moves.push_back(sentence);
    if (m_whenMoved) m_whenMoved(sentence);
}

JobPlan JobRanks::withMoves(JobPlan plan) const {
    if (!m_assigned) return plan;
    std::vector<PassPlan> own;
    for (Index i = 0; i < plan.passCount(); ++i)
        if (m_assigned->grid()
                .slabs.ranks[static_cast<std::size_t>(plan.pass(i).assignments.front().slab)] ==
            plan.part->row())
            own.push_back(plan.pass(i));
    plan.passes = std::move(own);
    plan.part->plan = m_assigned->grid();
    return plan;
}

void JobRanks::whenMoved(std::function<void(const std::string&)> moved) {
    if (m_balancer)
        m_watch->call([&](const Communicator::Waiting&) { m_whenMoved = std::move(moved); });
}

RankGroups JobRanks::groups() const {
    RankGroups groups = {m_row.get(), m_column.get(), m_parts.get()};
    if (m_balancer)
        groups.nextPass = [this](const std::stop_token& stop) -> std::optional<Index> {
            const std::optional<Index> slab = m_balancer->next(stop);
            return slab ? std::optional(m_passOfSlab.at(*slab)) : std::nullopt;
        };
    return groups;
}

PlannedRun JobRanks::plan(const OpenScan& scan, const JobSpec& spec, const Backends& backends,
                          const SinkNeeds& sink, Purpose purpose,
                          const std::optional<FinishedSlabs>& finished,
                          std::optional<GridPlan> stored, bool reads, const std::stop_token& stop) {
    if (isAlone()) return learnAndPlan(scan, spec, backends, sink, purpose, finished, stop);
    std::vector<int> all(static_cast<std::size_t>(count()));
    std::iota(all.begin(), all.end(), 0);
    const std::unique_ptr<RankGroup> group =
        m_ranks->hasGroups() ? m_ranks->group(all, kGroupOfAll) : nullptr;
    PlanningCommunicator communicator;
    communicator.rank = rank();
    communicator.host = m_processes[static_cast<std::size_t>(rank())].host;
    communicator.all = group.get();
    communicator.gather = [this](const std::string& text) {
        std::vector<std::string> texts;
        m_watch->call(
            [&](const Communicator::Waiting& waiting) { texts = m_ranks->gather(text, waiting); });
        return texts;
    };
    communicator.broadcast = [this](const std::string& text) {
        std::string received;
        m_watch->call([&](const Communicator::Waiting& waiting) {
            received = m_ranks->broadcast(text, waiting);
        });
        return received;
    };
    const RankRequest request = {scan, spec, backends, sink, finished, std::move(stored), reads};
    if (spec.method.isIterative()) {
        PlannedRank iterations =
            planIterationsTogether(request, communicator, count(), purpose, stop);
        m_plans = std::move(iterations.ranks);
        m_parts = m_ranks->group(all, kGroupOfAll);
        return std::move(iterations.run);
    }
    PlannedRank planned = planTogether(request, communicator, stop);
    setProgress(planned, scan, spec);
    makeGroups(*planned.run.plan.part);
    m_plans = std::move(planned.ranks);
    if (planned.moves) startBalancer(planned.run.plan, scan, spec);
    return std::move(planned.run);
}

RankStorage JobRanks::storage(RankIo io) {
    if (isAlone() || io == RankIo::parallel) return {};
    m_line = m_ranks->line();
    return {rank(), count(), io, m_line.get()};
}

void JobRanks::makeGroups(const GridPart& part) {
    if (part.plan.grid.columns > 1) m_row = m_ranks->group(part.ranksOfRow(), kGroupOfRow);
    if (part.plan.isGathered()) m_column = m_ranks->group(part.ranksOfColumn(), kGroupOfColumn);
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
        m_watch->compareClocks(waiting);
    });
    m_aheadNs = clockNow().aheadNs;
    return origin - m_aheadNs;
}

RankClock::Estimate JobRanks::clockNow() const {
    return isAlone() ? RankClock::Estimate() : m_watch->clockAt(nowNs());
}

Progress JobRanks::wholeProgress(const Progress& own) {
    if (isAlone()) return own;
    m_watch->setProgress(own.fraction);
    // Ranks that iterate are as far as each other.
    if (m_parts) return own;
    double fraction = 1;
    double before = 1;
    for (int rank = 0; rank < count(); ++rank) {
        fraction += m_watch->progressOf(rank) - 1;
        before += m_progressBefore[static_cast<std::size_t>(rank)] - 1;
    }
    Progress whole = own;
    whole.fraction = std::clamp(fraction, 0.0, 1.0);
    whole.leftSeconds = whole.fraction > before
                            ? own.elapsedSeconds * (1 - whole.fraction) / (whole.fraction - before)
                            : -1;
    return whole;
}

std::exception_ptr JobRanks::failTogether(std::exception_ptr error) noexcept {
    if (isAlone()) return error;
    try {
        std::rethrow_exception(error);
    } catch (const Cancelled& cancelled) {
        try {
            // If a rank dies, its launcher stops the others, so that rank is the cause.
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
