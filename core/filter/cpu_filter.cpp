#include "core/filter/cpu_filter.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/filter/ramp_kernel.h"

namespace gantry {

CpuFilter::CpuFilter(const AlignedViews& geometry, const FilterSpec& spec,
                     const RedundancyPlan& redundancy, int threads)
    : m_views(geometry.views),
      m_columns(geometry.detector.columns),
      m_weights(geometry, redundancy),
      m_extension(redundancy.extension),
      m_measured({redundancy.padBefore, m_columns - redundancy.padAfter}),
      m_convolver(m_weights.columns(), rampResponse(paddedLength(m_weights.columns()),
                                                    geometry.detector.pitchAtAxisMm, spec)),
      m_threads(std::max(1, threads)) {
    if (!m_weights.areOwn()) {
        m_squareU = HostBuffer<float>(m_weights.columns());
        m_weights.squareU(0, m_squareU.span());
    }
    for (int worker = 0; worker < m_threads; ++worker)
        m_scratch.emplace_back(m_convolver.scratchFloats());
    if (!m_extension.any()) return;
    for (int worker = 0; worker < m_threads; ++worker)
        m_extended.emplace_back(m_convolver.lanes() * m_weights.columns());
}

void CpuFilter::apply(Span3<float> views, Index firstView, Index firstRow,
                      const std::stop_token& stop) {
    require(views.size(2) == m_columns, "the filter got rows of another length");
    require(firstView >= 0 && firstView + views.size(0) <= m_views,
            "the filter got views beyond the scan");
    weigh(firstView, views.size(0));

    const Index lanes = m_convolver.lanes();
    const Index groups = (views.size(1) + lanes - 1) / lanes;
    constexpr Index kGroupsAtOnce = 4;
    parallelFor(
        m_threads, views.size(0) * groups, kGroupsAtOnce,
        [&](Index begin, Index end, int worker) {
            for (Index i = begin; i < end; ++i)
                filterGroup(views, firstView, firstRow, i / groups, i % groups * lanes, worker);
        },
        stop);
}

// Computes the weights of views that are filtered together, except the rows' part.
void CpuFilter::weigh(Index firstView, Index count) {
    const Index floats = count * m_weights.columns();
    if (m_scale.count() < floats) {
        m_scale = HostBuffer<float>(floats);
        if (m_weights.areOwn()) m_squareU = HostBuffer<float>(floats);
    }
    parallelFor(m_threads, count, 1, [&](Index begin, Index end, int) {
        for (Index s = begin; s < end; ++s) {
            m_weights.viewScale(firstView + s, columnsOf(m_scale, s));
            if (m_weights.areOwn()) m_weights.squareU(firstView + s, columnsOf(m_squareU, s));
        }
    });
}

std::span<float> CpuFilter::columnsOf(HostBuffer<float>& table, Index s) const {
    const Index columns = m_weights.columns();
    return {table.data() + s * columns, static_cast<std::size_t>(columns)};
}

void CpuFilter::extendRows(const float* rows, Index count, float* extended) const {
    const auto columns = static_cast<std::size_t>(m_columns);
    for (Index r = 0; r < count; ++r) {
        const std::span<const float> row = {rows + r * m_columns, columns};
        float* const first = extended + r * m_weights.columns() + m_weights.columnsBefore();
        std::ranges::copy(row, first);
        const std::span<const float> measured = row.subspan(m_measured.begin, m_measured.size());
        extendRow(edgeOf(measured, false), m_extension.perColumn, m_extension.before,
                  first + m_measured.begin - 1, -1);
        extendRow(edgeOf(measured, true), m_extension.perColumn, m_extension.after,
                  first + m_measured.end, 1);
    }
}

// Filters rows [v, v + lanes) of view s, as far as they exist.
void CpuFilter::filterGroup(Span3<float> views, Index firstView, Index firstRow, Index s, Index v,
                            int worker) {
    constexpr Index kMaxLanes = 16;
    float squareV[kMaxLanes] = {};
    const Index count = std::min(m_convolver.lanes(), views.size(1) - v);
    float* scratch = m_scratch[worker].data();
    for (Index r = 0; r < count; ++r)
        squareV[r] = m_weights.squareV(firstView + s, firstRow + v + r);
    const float* const scale = columnsOf(m_scale, s).data();
    const float* const squareU = columnsOf(m_squareU, m_weights.areOwn() ? s : 0).data();
    const auto filter = [&](float* first, Index stride) {
        m_convolver.filter(
            {first, stride, static_cast<int>(count), scale, squareU, squareV, scratch});
    };
    float* const rows = views.row(s, v);
    if (!m_extension.any()) return filter(rows, m_columns);
    float* const extended = m_extended[worker].data();
    extendRows(rows, count, extended);
    filter(extended, m_weights.columns());
    for (Index r = 0; r < count; ++r)
        std::copy_n(extended + r * m_weights.columns() + m_weights.columnsBefore(), m_columns,
                    rows + r * m_columns);
}

}  // namespace gantry
