#include "core/engine/kernel.h"

#include "core/geometry/views/aligned_views.h"
#include "core/geometry/views/parallel_views.h"

namespace gantry {

bool takesViews(const Kernel& kernel, const AlignedViews& views) {
    if (kernel.isForParallel && !areParallel(views.matrices)) return false;
    return kernel.takesAnyViews || views.areAligned();
}

}  // namespace gantry
