#include "core/pipeline/timeline_store.h"

#include <algorithm>
#include <tuple>

namespace gantry {

namespace {

constexpr std::size_t kMaxLanes = 1024;
constexpr std::size_t kMaxRows = 8;

bool beginsBefore(const LaneSpan& a, const LaneSpan& b) {
    return a.beginNs < b.beginNs;
}

LaneSpan toLaneSpan(const TimelineSpan& span) {
    return {span.beginNs, span.endNs, span.slab, span.batch, span.bytes, span.updates, span.stage};
}

// Takes the spans that end after `ns` out of the rows.
std::vector<LaneSpan> takeTail(std::vector<SpanRow>& rows, std::int64_t ns) {
    std::vector<LaneSpan> tail;
    for (SpanRow& row : rows) {
        const Index first = row.firstEndingAfter(ns);
        for (Index i = first; i < row.size(); ++i)
            tail.push_back(row[i]);
        row.truncate(first);
    }
    std::ranges::stable_sort(tail, beginsBefore);
    return tail;
}

// Puts each span into the first row that is free when it begins. Where more spans overlap than
// there are rows, which does not happen in runs of Gantry, the hidden part is cut off.
void insert(std::vector<SpanRow>& rows, std::vector<LaneSpan> spans) {
    std::ranges::stable_sort(spans, beginsBefore);
    const std::vector<LaneSpan> tail = takeTail(rows, spans.front().beginNs);
    std::vector<LaneSpan> all(spans.size() + tail.size());
    std::merge(tail.begin(), tail.end(), spans.begin(), spans.end(), all.begin(), beginsBefore);
    std::vector<std::int64_t> ends;
    ends.reserve(rows.size());
    for (const SpanRow& row : rows)
        ends.push_back(row.empty() ? 0 : row[row.size() - 1].endNs);
    std::vector<std::vector<LaneSpan>> added(rows.size());
    for (LaneSpan span : all) {
        auto free =
            std::ranges::find_if(ends, [&](std::int64_t end) { return end <= span.beginNs; });
        if (free == ends.end() && ends.size() < kMaxRows) {
            free = ends.insert(ends.end(), 0);
            added.emplace_back();
        } else if (free == ends.end()) {
            free = std::ranges::min_element(ends);
            if (span.endNs <= *free) continue;
            span.beginNs = *free;
        }
        *free = span.endNs;
        added[free - ends.begin()].push_back(span);
    }
    rows.resize(added.size());
    for (std::size_t i = 0; i < added.size(); ++i)
        rows[i].append(added[i]);
}

}  // namespace

void TimelineStore::append(std::span<const TimelineSpan> spans) {
    std::vector<std::vector<LaneSpan>> news(m_lanes.size());
    std::size_t lane = 0;
    for (const TimelineSpan& span : spans) {
        const bool sameLane = lane < m_lanes.size() && m_lanes[lane].rank == span.rank &&
                              m_lanes[lane].name == span.lane;
        const bool mayBeNew = m_lanes.size() < kMaxLanes;
        if (!sameLane && !mayBeNew) {
            const auto found = m_laneOf.find({span.rank, span.lane});
            lane = found == m_laneOf.end() ? m_lanes.size() : found->second;
        } else if (!sameLane && isPlausible(span)) {
            const auto [at, isNew] = m_laneOf.try_emplace({span.rank, span.lane}, m_lanes.size());
            lane = at->second;
            if (isNew) {
                m_lanes.push_back({span.rank, span.lane, span.stage, {}, {}});
                news.emplace_back();
            }
        }
        if (lane == m_lanes.size() || !isPlausible(span)) {
            ++m_leftOut;
            continue;
        }
        m_beginNs = m_spanCount == 0 ? span.beginNs : std::min(m_beginNs, span.beginNs);
        m_endNs = std::max(m_endNs, span.endNs);
        ++m_spanCount;
        m_lanes[lane].totals[static_cast<std::size_t>(span.stage)] += StageTotal{
            1e-9 * static_cast<double>(span.endNs - span.beginNs), 1, span.bytes, span.updates};
        m_lanes[lane].firstStage = std::min(m_lanes[lane].firstStage, span.stage);
        news[lane].push_back(toLaneSpan(span));
    }
    for (std::size_t i = 0; i < news.size(); ++i)
        if (!news[i].empty()) insert(m_lanes[i].rows, std::move(news[i]));
    sortLanes();
}

void TimelineStore::sortLanes() {
    const auto before = [](const TimelineLane& a, const TimelineLane& b) {
        return std::tie(a.rank, a.firstStage, a.name) < std::tie(b.rank, b.firstStage, b.name);
    };
    if (std::ranges::is_sorted(m_lanes, before)) return;
    std::ranges::sort(m_lanes, before);
    for (std::size_t i = 0; i < m_lanes.size(); ++i)
        m_laneOf[{m_lanes[i].rank, m_lanes[i].name}] = i;
}

std::vector<TimeRange> TimelineStore::runs() const {
    if (!m_work.runs().empty()) return m_work.runs();
    if (empty()) return {};
    return {{m_beginNs, m_endNs}};
}

std::int64_t TimelineStore::beginNs() const {
    const std::vector<TimeRange> all = runs();
    return all.empty() ? 0 : all.front().beginNs;
}

std::int64_t TimelineStore::endNs() const {
    const std::vector<TimeRange> all = runs();
    return all.empty() ? 0 : all.back().endNs;
}

std::int64_t TimelineStore::workNs(const TimeRange& range) const {
    std::int64_t sum = 0;
    for (const TimeRange& run : runs())
        sum += std::max<std::int64_t>(
            0, std::min(run.endNs, range.endNs) - std::max(run.beginNs, range.beginNs));
    return sum;
}

TimelineSummary TimelineStore::summary() const {
    StageTotals totals{};
    for (const TimelineLane& lane : m_lanes)
        addLane(totals, lane.totals);
    return summarise(totals, 1e-9 * static_cast<double>(workNs({beginNs(), endNs()})));
}

TimelineSummary TimelineStore::summary(std::int64_t beginNs, std::int64_t endNs) const {
    StageTotals totals{};
    for (const TimelineLane& lane : m_lanes) {
        StageTotals ofLane{};
        for (const SpanRow& row : lane.rows)
            row.addTotals(beginNs, endNs, ofLane);
        addLane(totals, ofLane);
    }
    return summarise(totals, 1e-9 * static_cast<double>(workNs({beginNs, endNs})));
}

std::vector<TimelineSpan> TimelineStore::spans() const {
    std::vector<TimelineSpan> result;
    for (const TimelineLane& lane : m_lanes)
        for (const SpanRow& row : lane.rows)
            for (Index i = 0; i < row.size(); ++i) {
                const LaneSpan& span = row[i];
                result.push_back({lane.rank, lane.name, span.stage, span.beginNs, span.endNs,
                                  span.slab, span.batch, span.bytes, span.updates});
            }
    return result;
}

}  // namespace gantry
