#include "core/scan/stack/filter_stack.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/filter/cpu_filter.h"
#include "core/prep/rectify.h"

namespace gantry {

void filterStack(const ViewStack& stack, const ScanGeometry& declared, const FilterSpec& filter,
                 int threads, FilteredStack& out, const std::stop_token& stop) {
    out.redundancy = planRedundancy(declared);
    out.geometry = alignedViews(declared, out.redundancy, viewsLeftOut(declared.views(), stack));
    const Span3<const float> in = stack.span();
    const Index viewPixels = stack.rows * out.geometry.detector.columns;
    if (out.pixels.count() < in.size(0) * viewPixels)
        out.pixels = HostBuffer<float>(in.size(0) * viewPixels);
    const Span3<float> views = {out.pixels.data(), in.size(0), stack.rows,
                                out.geometry.detector.columns};
    const Rectifier rectifier(declared);
    parallelFor(
        threads, in.size(0), 1,
        [&](Index begin, Index end, int) {
            for (Index s = begin; s < end; ++s) {
                const Span3<float> view = views.slices({s, s + 1});
                if (rectifier.isIdentity())
                    std::copy_n(in.row(s, 0), stack.rows * stack.columns, view.data());
                else
                    rectifier.apply(in.slices({s, s + 1}), 0,
                                    {view.data(), 1, stack.rows, stack.columns}, 0);
                padRowsInPlace(out.redundancy, view);
            }
        },
        stop);
    makeCpuFilter(out.geometry, filter, out.redundancy, threads)->apply(views, 0, 0, stop);
}

}  // namespace gantry
