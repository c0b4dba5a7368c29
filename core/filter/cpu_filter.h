#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/base/types.h"
#include "core/filter/fdk_weights.h"
#include "core/filter/filter_spec.h"
#include "core/filter/redundancy.h"
#include "core/filter/row_convolver.h"
#include "core/geometry/views/aligned_views.h"

namespace gantry {

/// Converts line integrals to filtered views: FDK and redundancy weights, then the windowed ramp
/// along u, with every constant of FDK folded in, so that a back-projector only adds (1/z)²·interp2
/// (resources/help/architecture.md). Where the object passes the detector's edges rows are extended
/// before (RedundancyPlan::extension). Not thread-safe; one instance per caller.
/// Tests: tests/core/filter/cpu_filter_test.cpp, tests/core/filter/own_weights_test.cpp
class CpuFilter {
  public:
    /// Works on up to `threads` threads. @throws InputError when the cut-off is out of range
    CpuFilter(const AlignedViews& geometry, const FilterSpec& spec,
              const RedundancyPlan& redundancy, int threads);

    /// views: line integrals, in place; [s][v][u], u fastest, all columns of the detector.
    /// The first is view `firstView` of the scan, and row 0 is detector row `firstRow`.
    /// @throws Cancelled
    void apply(Span3<float> views, Index firstView, Index firstRow, const std::stop_token& stop);

  private:
    void weigh(Index firstView, Index count);
    [[nodiscard]] std::span<float> columnsOf(HostBuffer<float>& table, Index s) const;
    void filterGroup(Span3<float> views, Index firstView, Index firstRow, Index s, Index v,
                     int worker);
    /// Copies rows to the scratch of extended ones, with what is estimated beyond their edges.
    void extendRows(const float* rows, Index count, float* extended) const;

    Index m_views;
    Index m_columns;
    FdkWeights m_weights;
    RowExtension m_extension;
    IndexRange m_measured;  ///< columns that are not padding
    RowConvolver m_convolver;
    int m_threads;
    HostBuffer<float> m_scale;    ///< [s][u] of the current views
    HostBuffer<float> m_squareU;  ///< the same, or [u] if all views share it
    std::vector<HostBuffer<float>> m_scratch;
    std::vector<HostBuffer<float>> m_extended;  ///< [lane][u], one a thread; none if rows are not
};

}  // namespace gantry
