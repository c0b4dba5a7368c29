#include "core/pipeline/span_row.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gantry {

namespace {

constexpr std::size_t kPieceSpans = 1024;  // in every piece but the last
constexpr std::size_t kGroupSpans = 16;    // between two stored sums of busy time

void add(StageTimes& times, const LaneSpan& span) {
    times[static_cast<std::size_t>(span.stage)] += span.endNs - span.beginNs;
}

// Selects the `max` longest gaps, given as pairs of length and index of the span before.
// @returns the indices, that of the longest gap first
std::vector<Index> longestFirst(std::vector<std::pair<Index, Index>> gaps, std::size_t max) {
    const std::size_t count = std::min(max, gaps.size());
    std::partial_sort(gaps.begin(), gaps.begin() + static_cast<Index>(count), gaps.end(),
                      [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Index> result;
    for (std::size_t i = 0; i < count; ++i)
        result.push_back(gaps[i].second);
    return result;
}

}  // namespace

// Consecutive spans, which never change, and sums over them.
struct SpanRow::Piece {
    explicit Piece(std::vector<LaneSpan> content) : spans(std::move(content)) {
        StageTimes busy{};
        std::vector<std::pair<Index, Index>> gaps;
        for (std::size_t i = 0; i < spans.size(); ++i) {
            const LaneSpan& span = spans[i];
            if (i % kGroupSpans == 0) busyBefore.push_back(busy);
            add(busy, span);
            totals[static_cast<std::size_t>(span.stage)] += StageTotal{
                1e-9 * static_cast<double>(span.endNs - span.beginNs), 1, span.bytes, span.updates};
            if (i + 1 < spans.size() && spans[i + 1].beginNs > span.endNs)
                gaps.emplace_back(spans[i + 1].beginNs - span.endNs, static_cast<Index>(i));
        }
        busyBefore.push_back(busy);
        beforeGaps = longestFirst(std::move(gaps), kMaxGaps);
    }
    std::vector<LaneSpan> spans;
    std::vector<StageTimes> busyBefore;  // busy times before every kGroupSpans-th span, and in all
    StageTotals totals{};
    std::vector<Index> beforeGaps;  // beforeLongestGaps() within the piece
};

void SpanRow::addPiece(std::vector<LaneSpan> spans) {
    Placed placed{nullptr, {}, spans.front().beginNs, spans.back().endNs};
    if (!m_pieces.empty()) {
        placed.busyBefore = m_pieces.back().busyBefore;
        const StageTimes& busy = m_pieces.back().piece->busyBefore.back();
        for (std::size_t i = 0; i < busy.size(); ++i)
            placed.busyBefore[i] += busy[i];
    }
    m_size += std::ssize(spans);
    placed.piece = std::make_shared<const Piece>(std::move(spans));
    m_pieces.push_back(std::move(placed));
}

void SpanRow::append(std::span<const LaneSpan> spans) {
    if (spans.empty()) return;
    std::vector<LaneSpan> open;
    if (!m_pieces.empty() && m_pieces.back().piece->spans.size() < kPieceSpans) {
        // Copies of the row may share the last piece, so it is replaced instead of changed.
        open = m_pieces.back().piece->spans;
        m_size -= std::ssize(open);
        m_pieces.pop_back();
    }
    while (!spans.empty()) {
        const std::size_t count = std::min(kPieceSpans - open.size(), spans.size());
        open.insert(open.end(), spans.begin(), spans.begin() + static_cast<Index>(count));
        spans = spans.subspan(count);
        addPiece(std::exchange(open, {}));
    }
}

void SpanRow::truncate(Index count) {
    const Index pieces = count / static_cast<Index>(kPieceSpans);
    const Index rest = count % static_cast<Index>(kPieceSpans);
    if (count >= m_size) return;
    std::vector<LaneSpan> open(m_pieces[pieces].piece->spans);
    open.resize(rest);
    m_pieces.resize(pieces);
    m_size = count - rest;
    if (!open.empty()) addPiece(std::move(open));
}

const LaneSpan& SpanRow::operator[](Index i) const {
    const auto at = static_cast<std::size_t>(i);
    return m_pieces[at / kPieceSpans].piece->spans[at % kPieceSpans];
}

Index SpanRow::firstEndingAfter(std::int64_t ns) const {
    const auto found = std::partition_point(m_pieces.begin(), m_pieces.end(),
                                            [&](const Placed& at) { return at.endNs <= ns; });
    if (found == m_pieces.end()) return m_size;
    const auto& spans = found->piece->spans;
    const auto span = std::partition_point(spans.begin(), spans.end(),
                                           [&](const LaneSpan& at) { return at.endNs <= ns; });
    return (found - m_pieces.begin()) * static_cast<Index>(kPieceSpans) + (span - spans.begin());
}

StageTimes SpanRow::busyBefore(std::int64_t ns) const {
    const auto after = std::partition_point(m_pieces.begin(), m_pieces.end(),
                                            [&](const Placed& at) { return at.beginNs < ns; });
    if (after == m_pieces.begin()) return {};
    const Placed& placed = *std::prev(after);
    const Piece& piece = *placed.piece;
    const auto begun = std::partition_point(piece.spans.begin(), piece.spans.end(),
                                            [&](const LaneSpan& at) { return at.beginNs < ns; });
    const auto count = static_cast<std::size_t>(begun - piece.spans.begin());
    const std::size_t group =
        count == piece.spans.size() ? piece.busyBefore.size() - 1 : count / kGroupSpans;
    StageTimes busy = placed.busyBefore;
    for (std::size_t i = 0; i < busy.size(); ++i)
        busy[i] += piece.busyBefore[group][i];
    for (std::size_t i = group * kGroupSpans; i < count; ++i)
        add(busy, piece.spans[i]);
    const LaneSpan& last = *std::prev(begun);
    if (last.endNs > ns) busy[static_cast<std::size_t>(last.stage)] -= last.endNs - ns;
    return busy;
}

void SpanRow::addTotals(std::int64_t beginNs, std::int64_t endNs, StageTotals& totals) const {
    for (const Placed& placed : m_pieces) {
        if (placed.endNs <= beginNs) continue;
        if (placed.beginNs >= endNs) break;
        if (placed.beginNs >= beginNs && placed.endNs <= endNs) {
            for (std::size_t i = 0; i < totals.size(); ++i)
                totals[i] += placed.piece->totals[i];
            continue;
        }
        for (const LaneSpan& span : placed.piece->spans) {
            const std::int64_t inside =
                std::min(span.endNs, endNs) - std::max(span.beginNs, beginNs);
            if (inside <= 0) continue;
            const double share =
                static_cast<double>(inside) / static_cast<double>(span.endNs - span.beginNs);
            const auto part = [&](Index all) {
                return static_cast<Index>(std::llround(share * static_cast<double>(all)));
            };
            totals[static_cast<std::size_t>(span.stage)] += StageTotal{
                1e-9 * static_cast<double>(inside), 1, part(span.bytes), part(span.updates)};
        }
    }
}

Index SpanRow::gapAfter(Index i) const {
    return (*this)[i + 1].beginNs - (*this)[i].endNs;
}

std::vector<Index> SpanRow::beforeLongestGaps() const {
    std::vector<std::pair<Index, Index>> gaps;
    Index first = 0;
    for (const Placed& placed : m_pieces) {
        for (const Index i : placed.piece->beforeGaps)
            gaps.emplace_back(gapAfter(first + i), first + i);
        first += std::ssize(placed.piece->spans);
        if (first < m_size && gapAfter(first - 1) > 0)
            gaps.emplace_back(gapAfter(first - 1), first - 1);
    }
    return longestFirst(std::move(gaps), kMaxGaps);
}

}  // namespace gantry
