#include "core/prep/rings.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/prep/mirrored_index.h"

namespace gantry {

namespace {

// A finite float and the number of its view as one integer, which sorts by value and then by view.
std::uint64_t sortKey(float value, Index view) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t ordered = bits & 0x80000000U ? ~bits : bits | 0x80000000U;
    return static_cast<std::uint64_t>(ordered) << 32 | static_cast<std::uint32_t>(view);
}

float valueOf(std::uint64_t key) {
    const auto ordered = static_cast<std::uint32_t>(key >> 32);
    return std::bit_cast<float>(ordered & 0x80000000U ? ordered & 0x7fffffffU : ~ordered);
}

// Calls out(u, median of the row's values around u).
template <class Out>
void runMedian(const float* row, Index n, Index width, std::vector<float>& window, Out&& out) {
    const Index half = width / 2;
    window.clear();
    for (Index i = -half; i <= half; ++i)
        window.push_back(row[mirroredIndex(i, n)]);
    std::ranges::sort(window);
    for (Index u = 0; u < n; ++u) {
        out(u, window[static_cast<std::size_t>(half)]);
        const float gone = row[mirroredIndex(u - half, n)];
        const float come = row[mirroredIndex(u + half + 1, n)];
        if (gone == come) continue;
        auto at = std::ranges::lower_bound(window, gone);
        for (; at + 1 != window.end() && come > *(at + 1); ++at)
            *at = *(at + 1);
        for (; at != window.begin() && come < *(at - 1); --at)
            *at = *(at - 1);
        *at = come;
    }
}

}  // namespace

std::string_view name(RingMethod method) {
    return kRingMethods[static_cast<std::size_t>(method)];
}

RingRemover::RingRemover(const RingSpec& spec, Index views, Index columns)
    : m_spec(spec), m_views(views), m_columns(columns) {
    switch (spec.method) {
        case RingMethod::none:
            break;
        case RingMethod::sorting:
            m_sorted = HostBuffer<float>(views * columns);
            m_order = HostBuffer<std::int32_t>(views * columns);
            m_keys = HostBuffer<std::uint64_t>(views);
            m_window.reserve(static_cast<std::size_t>(spec.widthPx));
            break;
        case RingMethod::wavelets:
            m_wavelets.emplace(views, columns, spec.levels, spec.dampCycles);
            break;
        case RingMethod::smoothedMean:
            m_mean = HostBuffer<double>(columns);
            break;
    }
}

Index RingRemover::workspaceBytes(const RingSpec& spec, Index views, Index columns) {
    switch (spec.method) {
        case RingMethod::none:
            return 0;
        case RingMethod::sorting:
            return views * columns * Index{sizeof(float) + sizeof(std::int32_t)} +
                   views * Index{sizeof(std::uint64_t)} + spec.widthPx * Index{sizeof(float)};
        case RingMethod::wavelets:
            return StripeWavelets::workspaceBytes(views, columns, spec.levels);
        case RingMethod::smoothedMean:
            return columns * Index{sizeof(double)};
    }
    throw InternalError("a ring removal without a workspace");
}

void RingRemover::apply(Span3<float> views, Index row) {
    require(views.size(0) == m_views && views.size(2) == m_columns,
            "a sinogram has another size than the ring removal was made for");
    switch (m_spec.method) {
        case RingMethod::none:
            return;
        case RingMethod::sorting:
            return removeBySorting(views, row);
        case RingMethod::wavelets:
            return m_wavelets->apply(views, row);
        case RingMethod::smoothedMean:
            return removeSmoothedMean(views, row);
    }
}

void RingRemover::sortColumns(Span3<float> views, Index row) {
    for (Index u = 0; u < m_columns; ++u) {
        for (Index s = 0; s < m_views; ++s)
            m_keys[s] = sortKey(views(s, row, u), s);
        std::ranges::sort(m_keys.span());
        for (Index rank = 0; rank < m_views; ++rank) {
            m_sorted[rank * m_columns + u] = valueOf(m_keys[rank]);
            m_order[rank * m_columns + u] = static_cast<std::int32_t>(m_keys[rank] & 0xffffffffU);
        }
    }
}

void RingRemover::removeBySorting(Span3<float> views, Index row) {
    sortColumns(views, row);
    for (Index rank = 0; rank < m_views; ++rank) {
        const std::int32_t* view = m_order.data() + rank * m_columns;
        runMedian(m_sorted.data() + rank * m_columns, m_columns, m_spec.widthPx, m_window,
                  [&](Index u, float median) { views(view[u], row, u) = median; });
    }
}

void RingRemover::removeSmoothedMean(Span3<float> views, Index row) {
    std::ranges::fill(m_mean.span(), 0.0);
    for (Index s = 0; s < m_views; ++s)
        for (Index u = 0; u < m_columns; ++u)
            m_mean[u] += static_cast<double>(views(s, row, u)) / static_cast<double>(m_views);
    const Index half = m_spec.widthPx / 2;
    double sum = 0;
    for (Index i = -half; i <= half; ++i)
        sum += m_mean[mirroredIndex(i, m_columns)];
    for (Index u = 0; u < m_columns; ++u) {
        const auto stripe =
            static_cast<float>(m_mean[u] - sum / static_cast<double>(m_spec.widthPx));
        for (Index s = 0; s < m_views; ++s)
            views(s, row, u) -= stripe;
        sum += m_mean[mirroredIndex(u + half + 1, m_columns)] -
               m_mean[mirroredIndex(u - half, m_columns)];
    }
}

void removeRings(Span3<float> views, const RingSpec& spec, int threads,
                 const std::stop_token& stop) {
    if (spec.method == RingMethod::none) return;
    std::vector<std::optional<RingRemover>> removers(static_cast<std::size_t>(threads));
    parallelFor(
        threads, views.size(1), 1,
        [&](Index begin, Index end, int worker) {
            auto& remover = removers[static_cast<std::size_t>(worker)];
            if (!remover) remover.emplace(spec, views.size(0), views.size(2));
            for (Index row = begin; row < end; ++row)
                remover->apply(views, row);
        },
        stop);
}

}  // namespace gantry
