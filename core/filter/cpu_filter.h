#pragma once

#include <memory>

#include "core/filter/filter_spec.h"
#include "core/filter/projection_filter.h"
#include "core/filter/redundancy.h"
#include "core/geometry/views/aligned_views.h"

namespace gantry {

/// Makes the filter for `threads` CPU threads. @throws InputError when the cut-off is out of range
[[nodiscard]] std::unique_ptr<ProjectionFilter> makeCpuFilter(const AlignedViews& geometry,
                                                              const FilterSpec& spec,
                                                              const RedundancyPlan& redundancy,
                                                              int threads);

}  // namespace gantry
