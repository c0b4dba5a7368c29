#include "core/project/projection_plan.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"

namespace gantry {

namespace {

constexpr Index kFewViews = 32;  // fewer at a time would not be worth a volume in memory

}  // namespace

ProjectionPlan planProjection(const Projector& projector, const ProjectedViews& views,
                              const VolumeGrid& grid, Index workingViews, Index memoryBytes,
                              Index deviceBytes) {
    const Index count = std::ssize(views.poses);
    const Index slices = grid.voxels[2];
    const Index viewBytes = views.columns * views.rows * Index{sizeof(float)};
    const auto planOf = [&](Index slab, Index batch) {
        // Slices are read as stored, and converted.
        const Index reading = 2 * std::min(slab, kReadSlices) * grid.voxels[0] * grid.voxels[1] *
                              Index{sizeof(float)};
        const Index projecting = deviceBytes > 0 ? 0 : projector.bytesNeeded(grid, slab);
        return ProjectionPlan{slab, batch,
                              projecting + reading + (batch + workingViews) * viewBytes};
    };
    const auto fitsDevice = [&](Index slab) {
        return deviceBytes == 0 || projector.bytesNeeded(grid, slab) <= deviceBytes;
    };
    if (!fitsDevice(1))
        throwError<ResourceError>(
            "Projecting a slice of {} × {} voxels into views of {} × {} pixels needs {} of the "
            "GPU's memory, and {} may be used. Use --engine cpu.",
            grid.voxels[0], grid.voxels[1], views.columns, views.rows,
            formatBytes(projector.bytesNeeded(grid, 1)), formatBytes(deviceBytes));
    const auto viewsBeside = [&](Index slab) {
        return std::min(count, (memoryBytes - planOf(slab, 0).bytes) / viewBytes);
    };
    if (const Index batch = viewsBeside(slices);
        fitsDevice(slices) && batch >= std::min(count, kFewViews))
        return planOf(slices, batch);
    const Index half = memoryBytes / 2 / viewBytes - workingViews;
    ProjectionPlan plan = planOf(1, std::clamp<Index>(half, 1, count));
    if (plan.bytes > memoryBytes) plan = planOf(1, 1);
    if (plan.bytes > memoryBytes)
        throwError<ResourceError>(
            "Projecting {} × {} × {} voxels into views of {} × {} pixels needs {} at least, and "
            "{} may be used. Allow more (--memory), or use fewer threads (--threads).",
            grid.voxels[0], grid.voxels[1], slices, views.columns, views.rows,
            formatBytes(plan.bytes), formatBytes(memoryBytes));
    Index end = slices + 1;  // slabs of so many slices are too large, or than the volume
    while (end - plan.slabSlices > 1) {
        const Index slab = plan.slabSlices + (end - plan.slabSlices) / 2;
        if (const ProjectionPlan larger = planOf(slab, plan.batchViews);
            larger.bytes <= memoryBytes && fitsDevice(slab))
            plan = larger;
        else
            end = slab;
    }
    return plan;
}

}  // namespace gantry
