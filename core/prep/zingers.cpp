#include "core/prep/zingers.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/prep/mirrored_index.h"

namespace gantry {

ZingerRemover::ZingerRemover(const ZingerSpec& spec, Index columns)
    : m_threshold(static_cast<float>(std::log(spec.ratio))),
      m_half(spec.widthPx / 2),
      m_columns(columns),
      m_kept(spec.widthPx * (columns + spec.widthPx - 1)),
      m_darker(columns),
      m_square(static_cast<std::size_t>(spec.widthPx * spec.widthPx)) {}

Index ZingerRemover::workspaceBytes(const ZingerSpec& spec, Index columns) {
    return (spec.widthPx * (columns + spec.widthPx - 1) + spec.widthPx * spec.widthPx) *
               Index{sizeof(float)} +
           columns * Index{sizeof(std::int32_t)};
}

float* ZingerRemover::keptRow(Index row) {
    return m_kept.data() + row % (2 * m_half + 1) * (m_columns + 2 * m_half) + m_half;
}

void ZingerRemover::keep(Span3<float> view, Index row) {
    float* kept = keptRow(row);
    std::copy_n(view.row(0, row), m_columns, kept);
    for (Index i = 1; i <= m_half; ++i) {
        kept[-i] = kept[mirroredIndex(-i, m_columns)];
        kept[m_columns - 1 + i] = kept[mirroredIndex(m_columns - 1 + i, m_columns)];
    }
}

// The median of an odd number of values is above a limit when more than half of them are.
void ZingerRemover::countDarker(Index row, Index rows) {
    std::ranges::fill(m_darker.span(), 0);
    const float* own = keptRow(row);
    for (Index v = row - m_half; v <= row + m_half; ++v)
        for (Index shift = -m_half; shift <= m_half; ++shift) {
            const float* other = keptRow(mirroredIndex(v, rows)) + shift;
            for (Index u = 0; u < m_columns; ++u)
                m_darker[u] += static_cast<std::int32_t>(other[u] - own[u] > m_threshold);
        }
}

float ZingerRemover::medianAround(Index row, Index rows, Index u) {
    auto next = m_square.begin();
    for (Index v = row - m_half; v <= row + m_half; ++v) {
        const float* kept = keptRow(mirroredIndex(v, rows));
        next = std::copy(kept + u - m_half, kept + u + m_half + 1, next);
    }
    const auto middle = m_square.begin() + std::ssize(m_square) / 2;
    std::nth_element(m_square.begin(), middle, m_square.end());
    return *middle;
}

void ZingerRemover::apply(Span3<float> view,
                          const std::function<void(Index row, Index replaced)>& onRow) {
    const Index rows = view.size(1);
    require(view.size(2) == m_columns, "a view has other columns than the removal was made for");
    const auto majority = static_cast<std::int32_t>(m_square.size() / 2);
    for (Index row = 0; row < std::min(m_half, rows); ++row)
        keep(view, row);
    for (Index row = 0; row < rows; ++row) {
        if (row + m_half < rows) keep(view, row + m_half);
        countDarker(row, rows);
        Index replaced = 0;
        for (Index u = 0; u < m_columns; ++u) {
            if (m_darker[u] <= majority) continue;
            view(0, row, u) = medianAround(row, rows, u);
            ++replaced;
        }
        if (replaced > 0) onRow(row, replaced);
    }
}

}  // namespace gantry
