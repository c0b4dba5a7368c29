#include "core/pipeline/lane_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace gantry {

namespace {

// How long each stage worked in a gap on one rank, or on all.
StageTimes busyIn(const TimelineStore& store, std::optional<int> rank, const LaneGap& gap) {
    StageTimes busy{};
    for (const TimelineLane& lane : store.lanes()) {
        if (rank && lane.rank != *rank) continue;
        for (const SpanRow& row : lane.rows) {
            const StageTimes before = row.busyBefore(gap.beginNs);
            const StageTimes after = row.busyBefore(gap.endNs);
            for (std::size_t i = 0; i < busy.size(); ++i)
                busy[i] += after[i] - before[i];
        }
    }
    return busy;
}

std::optional<Stage> busiest(const StageTimes& busy, int first, int end) {
    if (first >= end) return std::nullopt;
    const auto max = std::max_element(busy.begin() + first, busy.begin() + end);
    if (*max <= 0) return std::nullopt;
    return static_cast<Stage>(max - busy.begin());
}

// The stage nearest before `stage` that runs on another lane of the rank.
std::optional<Stage> precedingStage(const TimelineStore& store, const TimelineLane& lane,
                                    Stage stage) {
    std::optional<Stage> nearest;
    for (const TimelineLane& other : store.lanes()) {
        if (other.rank != lane.rank || &other == &lane || other.firstStage >= stage) continue;
        // A lane with several stages runs them in turn, so its first spans show all of them.
        const SpanRow& row = other.rows.front();
        const Index look = std::min<Index>(row.size(), 2 * kStageCount);
        for (Index i = 0; i < look; ++i)
            if (row[i].stage < stage && (!nearest || row[i].stage > *nearest))
                nearest = row[i].stage;
    }
    return nearest;
}

// Whether the stage before delivered this batch only during the gap.
bool cameDuring(const TimelineStore& store, const TimelineLane& lane, const LaneGap& gap,
                const LaneSpan& next) {
    // The awaited span ends within the gap, so an older one need not be searched.
    constexpr Index kFurthestBack = 4096;
    const std::optional<Stage> stage = precedingStage(store, lane, next.stage);
    if (!stage) return false;
    for (const TimelineLane& other : store.lanes()) {
        if (other.rank != lane.rank || &other == &lane) continue;
        for (const SpanRow& row : other.rows) {
            const Index end = row.firstEndingAfter(next.beginNs);
            const Index begin = std::max<Index>(0, end - kFurthestBack);
            for (Index i = end - 1; i >= begin && row[i].endNs > gap.beginNs; --i)
                if (row[i].stage == *stage && row[i].batch == next.batch &&
                    row[i].slab == next.slab)
                    return true;
        }
    }
    return false;
}

// `previous` and `next` are the lane's spans around the gap, if there are any.
void conclude(const TimelineStore& store, const TimelineLane& lane, const LaneSpan* previous,
              const LaneSpan* next, LaneGap& gap) {
    if (!next) {
        gap.cause = GapCause::end;
        return;
    }
    const auto decide = [&](const StageTimes& busy) {
        const auto earlier = busiest(busy, 0, static_cast<int>(next->stage));
        const auto later = previous
                               ? busiest(busy, static_cast<int>(previous->stage) + 1, kStageCount)
                               : std::nullopt;
        // An earlier stage that delivered late although it hardly worked was itself waiting for
        // room.
        const auto worked = [&](std::optional<Stage> stage) {
            return busy[static_cast<std::size_t>(*stage)];
        };
        const bool isInput =
            earlier && (!later || (cameDuring(store, lane, gap, *next) &&
                                   (2 * worked(earlier) >= gap.endNs - gap.beginNs ||
                                    worked(earlier) >= worked(later))));
        if (isInput) gap.cause = previous ? GapCause::input : GapCause::start;
        if (!isInput && later) gap.cause = GapCause::room;
        gap.stage = isInput ? earlier : later;
    };
    decide(busyIn(store, lane.rank, gap));
    if (!gap.stage) decide(busyIn(store, std::nullopt, gap));
    if (!previous) gap.cause = GapCause::start;
}

// When the whole lane became free: a gap of the first row is one of the lane once the spans in
// other rows have ended, because no span begins in another row while the first one is free.
std::int64_t freeFrom(const TimelineLane& lane, std::int64_t ns) {
    std::int64_t from = ns;
    for (const SpanRow& row : lane.rows) {
        const Index i = row.firstEndingAfter(ns);
        if (i < row.size() && row[i].beginNs <= ns) from = std::max(from, row[i].endNs);
    }
    return from;
}

std::int64_t lastEnd(const TimelineLane& lane) {
    std::int64_t end = 0;
    for (const SpanRow& row : lane.rows)
        end = std::max(end, row.empty() ? 0 : row[row.size() - 1].endNs);
    return end;
}

// A gap in one run, with the lane's spans around it that are of the same run.
struct RunGap {
    LaneGap gap;
    const LaneSpan* previous = nullptr;
    const LaneSpan* next = nullptr;
    bool isInLastRun = true;
};

// The gaps after span i of the first row, one for each run; for i = -1 those before the first span.
std::vector<RunGap> gapsAfter(const TimelineStore& store, const TimelineLane& lane, Index i) {
    const SpanRow& first = lane.rows.front();
    const LaneSpan* previous = i < 0 ? nullptr : &first[i];
    const LaneSpan* next = i + 1 < first.size() ? &first[i + 1] : nullptr;
    const std::int64_t begin = previous ? freeFrom(lane, previous->endNs) : store.beginNs();
    const std::int64_t end = next ? next->beginNs : store.endNs();
    const std::vector<TimeRange> runs = store.runs();
    std::vector<RunGap> gaps;
    for (const TimeRange& run : runs) {
        RunGap part;
        part.gap.beginNs = std::max(begin, run.beginNs);
        part.gap.endNs = std::min(end, run.endNs);
        if (part.gap.endNs <= part.gap.beginNs) continue;
        if (previous && previous->beginNs >= run.beginNs) part.previous = previous;
        if (next && next->beginNs < run.endNs) part.next = next;
        part.isInLastRun = &run == &runs.back();
        gaps.push_back(part);
    }
    return gaps;
}

// No gap is reported while the lane may be busy there: spans are known only when they end.
std::optional<LaneGap> concluded(const TimelineStore& store, const TimelineLane& lane, RunGap part,
                                 bool isOver) {
    if (!part.next && part.isInLastRun && !isOver) return std::nullopt;
    conclude(store, lane, part.previous, part.next, part.gap);
    if (!part.next && !part.isInLastRun) part.gap.cause = GapCause::broken;
    return part.gap;
}

double idleSeconds(const TimelineStore& store, const TimelineLane& lane, double busySeconds) {
    if (lane.rows.size() == 1)
        return 1e-9 * static_cast<double>(store.workNs({store.beginNs(), store.endNs()})) -
               busySeconds;
    double idle = 1e-9 * static_cast<double>(store.workNs({lastEnd(lane), store.endNs()}));
    for (Index i = -1; i + 1 < lane.rows.front().size(); ++i)
        for (const RunGap& part : gapsAfter(store, lane, i))
            idle += part.gap.seconds();
    return idle;
}

LaneUse useOf(const TimelineStore& store, const TimelineLane& lane, bool isOver,
              std::size_t maxGaps) {
    LaneUse use{lane.rank, lane.name, 0, 0, {}};
    for (const SpanRow& row : lane.rows) {
        const StageTimes busy = row.busyBefore(store.endNs());
        use.busySeconds +=
            1e-9 * static_cast<double>(std::accumulate(busy.begin(), busy.end(), std::int64_t{0}));
    }
    use.idleSeconds = std::max(0.0, idleSeconds(store, lane, use.busySeconds));
    std::vector<Index> after = lane.rows.front().beforeLongestGaps();
    after.resize(std::min(after.size(), maxGaps));
    after.push_back(-1);
    after.push_back(lane.rows.front().size() - 1);
    for (const Index i : after)
        for (const RunGap& part : gapsAfter(store, lane, i))
            if (const auto gap = concluded(store, lane, part, isOver)) use.gaps.push_back(*gap);
    std::ranges::stable_sort(use.gaps, [](const LaneGap& a, const LaneGap& b) {
        return a.endNs - a.beginNs > b.endNs - b.beginNs;
    });
    return use;
}

}  // namespace

std::vector<LaneUse> laneUse(const TimelineStore& store, bool isOver) {
    // Every gap is compared with all lanes, so the more lanes there are, the fewer gaps each gets.
    constexpr std::size_t kMaxOfAll = 4096;
    const std::size_t max = std::max<std::size_t>(
        1, std::min(SpanRow::kMaxGaps, kMaxOfAll / std::max<std::size_t>(1, store.lanes().size())));
    std::vector<LaneUse> uses;
    for (const TimelineLane& lane : store.lanes())
        uses.push_back(useOf(store, lane, isOver, max));
    return uses;
}

std::optional<LaneGap> gapAt(const TimelineStore& store, const TimelineLane& lane, std::int64_t ns,
                             bool isOver) {
    if (ns < store.beginNs() || ns >= store.endNs()) return std::nullopt;
    const SpanRow& first = lane.rows.front();
    const Index next = first.firstEndingAfter(ns);
    for (const RunGap& part : gapsAfter(store, lane, next - 1))
        if (ns >= part.gap.beginNs && ns < part.gap.endNs)
            return concluded(store, lane, part, isOver);
    return std::nullopt;
}

std::string describe(const LaneGap& gap) {
    const std::string length = formatSpanTime(gap.seconds());
    const std::string stage = gap.stage ? std::string(name(*gap.stage)) : std::string();
    switch (gap.cause) {
        case GapCause::start:
            return gap.stage ? fmt::format("waited {} for its first batch from {}", length, stage)
                             : fmt::format("began {} after the run", length);
        case GapCause::input:
            return fmt::format("waited {} for {}", length, stage);
        case GapCause::room:
            return fmt::format("waited {} for {} to make room", length, stage);
        case GapCause::end:
            return fmt::format("was done {} before the run's end", length);
        case GapCause::broken:
            return fmt::format("idle {} before the job was interrupted", length);
        case GapCause::unknown:
            break;
    }
    return fmt::format("idle {} while no stage before or after it worked", length);
}

}  // namespace gantry
