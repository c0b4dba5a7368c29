#include "core/prep/rings.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/geometry/vec3.h"
#include "core/prep/mirrored_index.h"
#include "core/prep/wavelet_scales.h"

namespace gantry {

namespace {

// Ranks of a column, padded so that registers end with it.
Index paddedRanks(Index views) {
    constexpr Index kWidestRegister = 16;
    return (views + kWidestRegister - 1) / kWidestRegister * kWidestRegister;
}

// For the running median, and then for the views of some columns.
Index sortingScratchFloats(const PrepLanes& lanes, Index width, Index views, Index columns) {
    return std::max((columns + 2 * width) * lanes.lanes, views * kSortedColumns);
}

constexpr Index kTaps = kWaveletTaps;

constexpr float lowTap(Index j) {
    return static_cast<float>(kWaveletLow[j]);
}
constexpr float highTap(Index j) {
    return (j % 2 == 0 ? 1.0f : -1.0f) * lowTap(kTaps - 1 - j);
}

// Scratch for a row with its mirrored ends, or two sums of it.
Index scratchFloats(Index columns) {
    return 2 * (columns + 2 * kTaps);
}

// Adds an input row times `factor` to an output row.
void addScaled(const float* from, Index n, float factor, float* to) {
    for (Index i = 0; i < n; ++i)
        to[i] += factor * from[i];
}

// Adds to a row what a band of half as many values adds to it: samples 2k and 2k + 1 take part in
// the same five of them.
template <float tap(Index)>
void addUpsampled(const float* band, Index n, float* to) {
    const auto sumAt = [&](Index k, Index first) {
        float sum = 0;
        for (Index j = 0; j < kTaps / 2; ++j)
            sum += tap(2 * j + first) * band[k + j];
        return sum;
    };
    for (Index k = 0; k < n / 2; ++k) {
        to[2 * k] += sumAt(k, 1);
        to[2 * k + 1] += sumAt(k, 0);
    }
    if (n % 2 == 1) to[n - 1] += sumAt(n / 2, 1);
}

}  // namespace

std::string_view name(RingMethod method) {
    return kRingMethods[static_cast<std::size_t>(method)];
}

RingRemover::RingRemover(const PrepLanes& lanes, const RingSpec& spec, Index views, Index columns)
    : m_lanes(&lanes), m_spec(spec), m_views(views), m_columns(columns) {
    switch (spec.method) {
        case RingMethod::none:
            break;
        case RingMethod::sorting:
            m_sorted = HostBuffer<float>(paddedRanks(views) * columns);
            m_order = HostBuffer<std::int32_t>(paddedRanks(views) * columns);
            m_keys = HostBuffer<double>(views * kSortedColumns);
            m_scratch =
                HostBuffer<float>(sortingScratchFloats(lanes, spec.widthPx, views, columns));
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
            return paddedRanks(views) * columns * Index{sizeof(float) + sizeof(std::int32_t)} +
                   views * kSortedColumns * Index{sizeof(double)} +
                   sortingScratchFloats(*supportedPrepLanes().back(), spec.widthPx, views,
                                        columns) *
                       Index{sizeof(float)};
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

void RingRemover::removeBySorting(Span3<float> views, Index row) {
    const Index ranks = paddedRanks(m_views);
    for (Index u = 0; u < m_columns; u += kSortedColumns)
        m_lanes->sortColumns(
            {.first = views.row(0, row) + u,
             .stride = views.size(1) * m_columns,
             .views = static_cast<int>(m_views),
             .columns = static_cast<int>(std::min<Index>(m_columns - u, kSortedColumns)),
             .sorted = m_sorted.data() + u * ranks,
             .order = m_order.data() + u * ranks,
             .rankStride = ranks,
             .keys = m_keys.data()});
    for (Index rank = 0; rank < m_views; rank += m_lanes->lanes)
        m_lanes->takeMedians({.first = m_sorted.data() + rank,
                              .rankStride = ranks,
                              .columns = static_cast<int>(m_columns),
                              .width = static_cast<int>(m_spec.widthPx),
                              .scratch = m_scratch.data()});
    returnToViews(views, row);
}

// Some columns at a time: of neighbouring views, whole rows of pixels lie between the values.
void RingRemover::returnToViews(Span3<float> views, Index row) {
    const Index ranks = paddedRanks(m_views);
    float* block = m_scratch.data();  // [s][u]
    for (Index begin = 0; begin < m_columns; begin += kSortedColumns) {
        const Index columns = std::min<Index>(m_columns - begin, kSortedColumns);
        for (Index u = 0; u < columns; ++u) {
            const float* medians = m_sorted.data() + (begin + u) * ranks;
            const std::int32_t* view = m_order.data() + (begin + u) * ranks;
            for (Index rank = 0; rank < m_views; ++rank)
                block[view[rank] * kSortedColumns + u] = medians[rank];
        }
        for (Index s = 0; s < m_views; ++s)
            std::copy_n(block + s * kSortedColumns, columns, views.row(s, row) + begin);
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
    std::vector<std::optional<RingRemover>> removers(threads);
    parallelFor(
        threads, views.size(1), 1,
        [&](Index begin, Index end, int worker) {
            auto& remover = removers[worker];
            if (!remover) remover.emplace(spec, views.size(0), views.size(2));
            for (Index row = begin; row < end; ++row)
                remover->apply(views, row);
        },
        stop);
}

StripeWavelets::StripeWavelets(Index views, Index columns, Index levels, double dampCycles)
    : m_dampCycles(dampCycles),
      m_lines(waveletHalf(views) * columns),
      m_line(scratchFloats(columns)) {
    for (Index level = waveletLevels(views, columns, levels); level > 0; --level) {
        views = waveletHalf(views);
        columns = waveletHalf(columns);
        m_levels.push_back({views, columns, HostBuffer<float>(views * columns),
                            HostBuffer<float>(views * columns)});
    }
}

Index StripeWavelets::workspaceBytes(Index views, Index columns, Index levels) {
    Index floats = waveletHalf(views) * columns + scratchFloats(columns);
    for (Index level = waveletLevels(views, columns, levels); level > 0; --level) {
        views = waveletHalf(views);
        columns = waveletHalf(columns);
        floats += 2 * views * columns;
    }
    return floats * Index{sizeof(float)};
}

void StripeWavelets::analyse(const Rows& from, Level& to) {
    for (Index s = 0; s < to.views; ++s) {
        float* line = m_line.data() + kTaps;
        std::fill_n(line, from.length, 0.0f);
        for (Index j = 0; j < kTaps; ++j)
            addScaled(from.row(mirroredIndex(2 * s + 1 - j, from.count)), from.length, lowTap(j),
                      line);
        for (Index i = 1; i <= kTaps; ++i) {
            line[-i] = line[mirroredIndex(-i, from.length)];
            line[from.length - 1 + i] = line[mirroredIndex(from.length - 1 + i, from.length)];
        }
        float* smooth = to.smooth.data() + s * to.columns;
        float* stripes = to.stripes.data() + s * to.columns;
        for (Index u = 0; u < to.columns; ++u) {
            float low = 0;
            float high = 0;
            for (Index j = 0; j < kTaps; ++j) {
                low += lowTap(j) * line[2 * u + 1 - j];
                high += highTap(j) * line[2 * u + 1 - j];
            }
            smooth[u] = low;
            stripes[u] = high;
        }
    }
}

// Keeps the part of the band that the damping removes: a Gaussian of the lowest few frequencies
// along the views, too few for a fast transform to pay off.
void StripeWavelets::keepSlow(Level& level) {
    const Index n = level.views;
    float* cosines = m_line.data();
    float* sines = cosines + level.columns;
    std::fill_n(m_lines.data(), n * level.columns, 0.0f);
    const std::vector<double> gains = slowGains(n, m_dampCycles);
    for (Index k = 0; k < std::ssize(gains); ++k) {
        const double scale = gains[k];
        const auto angle = [&](Index s) {
            return 2 * kPi * static_cast<double>(k * s % n) / static_cast<double>(n);
        };
        std::fill_n(cosines, 2 * level.columns, 0.0f);
        for (Index s = 0; s < n; ++s) {
            const float* band = level.stripes.data() + s * level.columns;
            addScaled(band, level.columns, static_cast<float>(std::cos(angle(s)) * scale), cosines);
            addScaled(band, level.columns, static_cast<float>(std::sin(angle(s)) * scale), sines);
        }
        for (Index s = 0; s < n; ++s) {
            float* slow = m_lines.data() + s * level.columns;
            addScaled(cosines, level.columns, static_cast<float>(std::cos(angle(s))), slow);
            addScaled(sines, level.columns, static_cast<float>(std::sin(angle(s))), slow);
        }
    }
    std::copy_n(m_lines.data(), n * level.columns, level.stripes.data());
}

void StripeWavelets::synthesise(const Level& from, bool hasSmooth, const Rows& to,
                                bool isSubtracted) {
    for (Index s = 0; s < from.views; ++s) {
        float* line = m_lines.data() + s * to.length;
        std::fill_n(line, to.length, 0.0f);
        if (hasSmooth) addUpsampled<lowTap>(from.smooth.data() + s * from.columns, to.length, line);
        addUpsampled<highTap>(from.stripes.data() + s * from.columns, to.length, line);
    }
    const float sign = isSubtracted ? -1.0f : 1.0f;
    for (Index s = 0; s < to.count; ++s) {
        if (!isSubtracted) std::fill_n(to.row(s), to.length, 0.0f);
        const Index last = std::min(from.views - 1, (s + kTaps - 2) / 2);
        for (Index k = s / 2; k <= last; ++k)
            addScaled(m_lines.data() + k * to.length, to.length, sign * lowTap(2 * k + 1 - s),
                      to.row(s));
    }
}

void StripeWavelets::apply(Span3<float> views, Index row) {
    const Rows sinogram = {views.row(0, row), views.size(0), views.size(2),
                           views.size(1) * views.size(2)};
    const auto smoothOf = [](Level& level) {
        return Rows{level.smooth.data(), level.views, level.columns, level.columns};
    };
    for (std::size_t i = 0; i < m_levels.size(); ++i) {
        analyse(i == 0 ? sinogram : smoothOf(m_levels[i - 1]), m_levels[i]);
        keepSlow(m_levels[i]);
    }
    for (std::size_t i = m_levels.size(); i-- > 0;)
        synthesise(m_levels[i], i + 1 < m_levels.size(),
                   i == 0 ? sinogram : smoothOf(m_levels[i - 1]), i == 0);
}

}  // namespace gantry
