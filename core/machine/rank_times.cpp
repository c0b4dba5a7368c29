#include "core/machine/rank_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/this_machine.h"
#include "core/machine/storage_speeds.h"
#include "core/plan/plan_forecast.h"

namespace gantry {

namespace {

constexpr const char* kBesideOfRanks = "besideSeconds";
constexpr const char* kFactor = "overForecast";
constexpr const char* kExchanged = "exchangeBytesPerSecond";

nlohmann::json keyOf(const std::string& ranks, std::string_view of) {
    return {{"machine", machineName()}, {"ranks", ranks}, {"of", of}};
}

std::string workOf(const RankGrid& grid) {
    return fmt::format("work of {} × {} by {}", grid.rows, grid.columns, name(grid.exchange));
}

}  // namespace

RankTimes::RankTimes(std::filesystem::path file, std::string ranks)
    : m_kept(std::move(file), "gantryRunTimes", "runs"), m_ranks(std::move(ranks)) {}

std::optional<double> RankTimes::besideSeconds() const {
    return m_kept.findPositive(keyOf(m_ranks, "start and end"), kBesideOfRanks);
}

void RankTimes::keepBeside(double seconds) const noexcept {
    m_kept.keep(keyOf(m_ranks, "start and end"), {{kBesideOfRanks, seconds}});
}

std::optional<double> RankTimes::workFactor(const RankGrid& grid) const {
    return m_kept.findPositive(keyOf(m_ranks, workOf(grid)), kFactor);
}

void RankTimes::keepWorkFactor(const RankGrid& grid, double factor) const noexcept {
    // The factor is clamped, because another program may have slowed the run or the trials before
    // it.
    m_kept.keep(keyOf(m_ranks, workOf(grid)), {{kFactor, std::clamp(factor, 0.9, 1.5)}});
}

std::optional<double> RankTimes::exchangeBytes(Stage stage) const {
    return m_kept.findPositive(keyOf(m_ranks, name(stage)), kExchanged);
}

void RankTimes::keepExchange(Stage stage, double bytesPerSecond) const noexcept {
    m_kept.keep(keyOf(m_ranks, name(stage)), {{kExchanged, bytesPerSecond}});
}

std::string ranksKind(const std::vector<std::string>& hosts, const JobPlan& first) {
    const std::set<std::string> machines(hosts.begin(), hosts.end());
    std::string text = fmt::format("{} ranks of {} threads with {} on", hosts.size(), first.threads,
                                   first.engine == EngineKind::cpu ? "the CPU" : "GPUs");
    for (const std::string& machine : machines)
        text += " " + machine;
    return text;
}

std::optional<double> exchangeRateOf(std::span<const TimelineSpan> spans, Stage stage,
                                     const RankGrid& grid) {
    constexpr double kMinSeconds = 0.02;
    // Rows sum, columns gather; all their ranks make the same exchanges in the same order.
    std::map<std::pair<Index, Index>, const TimelineSpan*> shortest;
    std::map<int, Index> count;
    for (const TimelineSpan& span : spans) {
        if (span.stage != stage) continue;
        const Index group =
            stage == Stage::reduce ? span.rank / grid.columns : span.rank % grid.columns;
        const TimelineSpan*& known = shortest[{group, count[span.rank]++}];
        if (!known || span.endNs - span.beginNs < known->endNs - known->beginNs) known = &span;
    }
    double bytes = 0;
    double seconds = 0;
    for (const auto& [exchange, span] : shortest) {
        bytes += static_cast<double>(span->bytes);
        seconds += 1e-9 * static_cast<double>(span->endNs - span->beginNs);
    }
    if (seconds < kMinSeconds || bytes <= 0) return std::nullopt;
    return bytes / seconds;
}

double workSecondsOf(std::span<const TimelineSpan> spans) {
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = 0;
    for (const TimelineSpan& span : spans) {
        begin = std::min(begin, span.beginNs);
        end = std::max(end, span.endNs);
    }
    return end > begin ? 1e-9 * static_cast<double>(end - begin) : 0;
}

namespace {

std::vector<TimelineSpan> spansOf(std::span<const TimelineSpan> spans, int rank) {
    std::vector<TimelineSpan> own;
    std::ranges::copy_if(spans, std::back_inserter(own),
                         [rank](const TimelineSpan& span) { return span.rank == rank; });
    return own;
}

// The measured time of an update over the predicted one; 1 where it is not known.
double slowerThanPredicted(const Forecast& predicted, const PlanInputs& inputs, const JobPlan& plan,
                           std::span<const TimelineSpan> own) {
    const StageTotal made =
        summarise({own.begin(), own.end()}).stages[static_cast<std::size_t>(Stage::backproject)];
    const double updates = workload(inputs.acquisition.geometry, inputs.request.volume, plan,
                                    sizeBytes(inputs.acquisition.stored.pixelType), 0)
                               .updates;
    const double seconds = laneSecondsOf(predicted, Stage::backproject);
    if (made.updates <= 0 || made.seconds <= 0 || updates <= 0 || seconds <= 0) return 1;
    return made.seconds / static_cast<double>(made.updates) / (seconds / updates);
}

}  // namespace

double forecastByReached(const PlanInputs& inputs, const JobPlan& plan,
                         std::span<const TimelineSpan> spans) {
    const GridPart& part = plan.part.value();
    const RankGrid& grid = part.plan.grid;
    const std::vector<TimelineSpan> own = spansOf(spans, part.rank);
    const MachineRates before = ratesOf(inputs, plan);
    const Forecast predicted = forecast(inputs, plan, before);
    MachineRates reached = before;
    reached.storeBytes = storageRateOf(own, inputs.sink.outputBytes, inputs.request.volume.count())
                             .value_or(before.storeBytes);
    reached.exchange = {
        exchangeRateOf(spans, Stage::gather, grid).value_or(before.exchange.gatherBytes),
        exchangeRateOf(spans, Stage::reduce, grid).value_or(before.exchange.reduceBytes)};
    // The CPU's kernel is tried before each run.
    for (DeviceRates& device : reached.devices)
        device.updates /= slowerThanPredicted(predicted, inputs, plan, own);
    const double again = forecast(inputs, plan, reached).wall;
    return predicted.wall > 0 && again > 0 ? again / predicted.wall : 1;
}

void keepRankTimes(const PlanInputs& inputs, const PlannedRun& run,
                   const std::vector<std::string>& hosts, double forecastSeconds,
                   std::span<const TimelineSpan> spans, double wallSeconds,
                   const Backends& backends) {
    constexpr double kMinSeconds = 0.5;  // a shorter time is not reliable
    const RankTimes times(backends.runTimes, ranksKind(hosts, run.plan));
    const RankGrid& grid = run.plan.part->plan.grid;
    const double work = workSecondsOf(spans);
    times.keepBeside(std::max(1e-3, wallSeconds - work - run.planSeconds));
    // The rates that the run reached are kept separately, and must not count twice.
    const double again = forecastSeconds * forecastByReached(inputs, run.plan, spans);
    if (again > kMinSeconds) times.keepWorkFactor(grid, work / again);
    for (const Stage stage : {Stage::gather, Stage::reduce})
        if (const auto rate = exchangeRateOf(spans, stage, grid)) times.keepExchange(stage, *rate);
}

}  // namespace gantry
