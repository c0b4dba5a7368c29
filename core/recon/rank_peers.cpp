#include "core/recon/rank_peers.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"

namespace gantry {

namespace {

std::span<std::byte> bytesOf(float* values, Index count) {
    return std::as_writable_bytes(std::span(values, static_cast<std::size_t>(count)));
}

}  // namespace

RankPeers::RankPeers(RankGroup& group, std::vector<SpacePart> parts, Options options)
    : SpacePeers(parts[static_cast<std::size_t>(group.rank())], parts.back().slices.end),
      m_group(group),
      m_parts(std::move(parts)),
      m_own(static_cast<std::size_t>(group.rank())),
      m_options(std::move(options)),
      m_viewsAtOnce(exchangedViews(m_parts, m_options.columns, m_options.views)) {
    require(std::ssize(m_parts) == group.size(), "a rank for each part");
}

// Counted from the first row of this part.
IndexRange RankPeers::sharedRows(std::size_t other) const {
    const IndexRange& own = part().rows;
    const IndexRange& theirs = m_parts[other].rows;
    const IndexRange both = {std::max(own.begin, theirs.begin), std::min(own.end, theirs.end)};
    return both.empty() || other == m_own
               ? IndexRange()
               : IndexRange{both.begin - own.begin, both.end - own.begin};
}

IndexRange RankPeers::sharedRows() const {
    return sharedRowsOf(m_parts, m_own);
}

std::shared_ptr<RankPeers::Floats> RankPeers::room(Index floats) {
    if (!m_room || m_room->count() < floats) {
        m_room.reset();
        m_room = std::make_shared<Floats>(floats);
    }
    return m_room;
}

void RankPeers::exchange(const std::vector<std::span<const std::byte>>& give,
                         const std::vector<std::span<std::byte>>& take) {
    m_group.exchange(give, take, m_room, m_options.stop);
}

void RankPeers::addRays(Span3<float> rays, Index firstRow) {
    for (Index s = 0; s < rays.size(0); s += m_viewsAtOnce)
        addViews(rays.slices({s, std::min(s + m_viewsAtOnce, rays.size(0))}), firstRow);
}

void RankPeers::addViews(Span3<float> rays, Index firstRow) {
    const Index views = rays.size(0);
    const Index columns = rays.size(2);
    // Rays given to and taken from each other rank: [s][v of the shared rows][u].
    std::vector<IndexRange> shared;
    Index rows = 0;
    for (std::size_t other = 0; other < m_parts.size(); ++other) {
        IndexRange both = sharedRows(other);
        if (!both.empty()) both = {both.begin - firstRow, both.end - firstRow};
        shared.push_back(both);
        rows += shared.back().size();
    }
    float* next = room(2 * rows * views * columns)->data();
    std::vector<float*> given(m_parts.size());
    std::vector<float*> taken(m_parts.size());
    std::vector<std::span<const std::byte>> give(m_parts.size());
    std::vector<std::span<std::byte>> take(m_parts.size());
    for (std::size_t other = 0; other < m_parts.size(); ++other) {
        const Index count = shared[other].size() * views * columns;
        given[other] = next;
        taken[other] = next + count;
        give[other] = bytesOf(given[other], count);
        take[other] = bytesOf(taken[other], count);
        next += 2 * count;
    }
    const auto forEachView = [&](const std::function<void(Index s)>& work) {
        parallelFor(m_options.threads, views, 1, [&](Index s, Index, int) { work(s); });
    };
    forEachView([&](Index s) {
        for (std::size_t other = 0; other < m_parts.size(); ++other)
            std::copy_n(rays.row(s, shared[other].begin), shared[other].size() * columns,
                        given[other] + s * shared[other].size() * columns);
    });
    m_options.measure(rows * views * columns * Index{sizeof(float)}, [&] { exchange(give, take); });
    // Sums in the order of the ranks are the same on each of them.
    forEachView([&](Index s) {
        std::vector<float> sums(static_cast<std::size_t>(columns));
        for (Index v = 0; v < rays.size(1); ++v) {
            float* row = rays.row(s, v);
            std::fill(sums.begin(), sums.end(), 0.0F);
            for (std::size_t rank = 0; rank < m_parts.size(); ++rank) {
                const IndexRange& both = shared[rank];
                if (rank != m_own && !both.contains(v)) continue;
                const float* values =
                    rank == m_own ? row
                                  : taken[rank] + (s * both.size() + v - both.begin) * columns;
                for (Index u = 0; u < columns; ++u)
                    sums[static_cast<std::size_t>(u)] += values[u];
            }
            std::copy(sums.begin(), sums.end(), row);
        }
    });
}

// The numbers of all ranks, one rank after the other.
std::vector<double> RankPeers::gathered(std::span<const double> numbers) {
    constexpr Index kFloats = sizeof(double) / sizeof(float);
    const auto count = std::ssize(numbers);
    const auto ranks = std::ssize(m_parts);
    const std::shared_ptr<Floats> held = room((ranks + 1) * count * kFloats);
    auto* all = reinterpret_cast<double*>(held->data());
    double* own = all + ranks * count;
    std::copy(numbers.begin(), numbers.end(), own);
    std::vector<std::span<const std::byte>> give(m_parts.size());
    std::vector<std::span<std::byte>> take(m_parts.size());
    for (std::size_t rank = 0; rank < m_parts.size(); ++rank) {
        give[rank] = std::as_bytes(std::span(own, numbers.size()));
        take[rank] = std::as_writable_bytes(
            std::span(all + static_cast<Index>(rank) * count, numbers.size()));
    }
    exchange(give, take);
    std::copy_n(own, count, all + static_cast<Index>(m_own) * count);
    return {all, all + ranks * count};
}

void RankPeers::add(std::span<double> numbers) {
    const std::vector<double> all = gathered(numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = 0;
        for (std::size_t rank = 0; rank < m_parts.size(); ++rank)
            numbers[i] += all[rank * numbers.size() + i];
    }
}

double RankPeers::largest(double own) {
    const std::vector<double> all = gathered({&own, 1});
    return *std::max_element(all.begin(), all.end());
}

void RankPeers::pass(Towards towards, std::span<const float> give, std::span<float> take) {
    const bool isUp = towards == Towards::above;
    const std::size_t next = isUp ? m_own + 1 : m_own - 1;
    const std::size_t before = isUp ? m_own - 1 : m_own + 1;
    const auto count = static_cast<Index>(give.size());
    const std::shared_ptr<Floats> held = room(2 * count);
    std::copy(give.begin(), give.end(), held->data());
    std::vector<std::span<const std::byte>> given(m_parts.size());
    std::vector<std::span<std::byte>> taken(m_parts.size());
    if (isUp ? hasAbove() : hasBelow()) given[next] = bytesOf(held->data(), count);
    const bool takes = isUp ? hasBelow() : hasAbove();
    if (takes) taken[before] = bytesOf(held->data() + count, count);
    exchange(given, taken);
    if (takes) std::copy_n(held->data() + count, count, take.begin());
}

void RankPeers::share(Index z, std::span<float> slice) {
    const auto owner = std::ranges::find_if(
        m_parts, [&](const SpacePart& part) { return part.slices.contains(z); });
    const auto from = static_cast<std::size_t>(owner - m_parts.begin());
    const auto count = static_cast<Index>(slice.size());
    const std::shared_ptr<Floats> held = room(count);
    std::vector<std::span<const std::byte>> given(m_parts.size());
    std::vector<std::span<std::byte>> taken(m_parts.size());
    if (from == m_own) {
        std::copy(slice.begin(), slice.end(), held->data());
        for (std::size_t rank = 0; rank < m_parts.size(); ++rank)
            if (rank != m_own) given[rank] = bytesOf(held->data(), count);
    } else {
        taken[from] = bytesOf(held->data(), count);
    }
    exchange(given, taken);
    if (from != m_own) std::copy_n(held->data(), count, slice.begin());
}

}  // namespace gantry
