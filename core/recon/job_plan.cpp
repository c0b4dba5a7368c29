#include "core/recon/job_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/system_memory.h"
#include "core/geometry/footprint.h"
#include "core/plan/memory_budget.h"
#include "core/recon/volume_summary.h"

namespace gantry {

namespace {

constexpr Index kRingSlots = 3;   // one being filled, one filtered, one back-projected
constexpr Index kChunkSlots = 3;  // one being copied from the slab, one waiting, one written
constexpr Index kChunkBytes = 8'000'000;
constexpr Index kLeastChunks = 16;  // so that copying and writing overlap in a small volume too
constexpr Index kProgramBytes = 40'000'000;  // code, libraries, thread stacks, FFT tables

int threadsOf(const JobSpec& spec) {
    return spec.threads > 0 ? spec.threads : availableThreads();
}

// The part of free memory that a job takes when it is not told: the rest stays for the desktop and
// the page cache, which writing needs.
constexpr double kShareOfFreeMemory = 0.7;

Index budgetOf(const JobSpec& spec) {
    if (spec.memoryBytes > 0) return spec.memoryBytes;
    return static_cast<Index>(kShareOfFreeMemory * static_cast<double>(availableMemoryBytes()));
}

// What a run holds whatever slab it is at.
Index fixedBytes(const OpenScan& scan, const JobPlan& plan, const VolumeGrid& grid) {
    const SourceInfo& info = scan.source->info();
    const Index viewPixels = info.rows * info.columns;
    const Index sliceBytes = grid.voxels[0] * grid.voxels[1] * Index{sizeof(float)};
    const Index calibration = viewPixels * Index{2 * sizeof(float) + 1};  // dark, flat, bad pixels
    // A compressed or tiled image is decoded whole before its rows are taken; a turned detector's
    // rows are unfolded from real ones.
    const Index decoded = viewPixels * sizeBytes(info.pixelType);
    const Index unfolded = scan.rectifier.isIdentity() ? 0 : viewPixels * Index{sizeof(float)};
    constexpr Index kFilterBytesPerColumn = 256;  // two transforms of 16 rows
    const Index filter = kFilterBytesPerColumn * scan.geometry.detector.columns;
    // The summary itself, and its copy for the checkpoint.
    return kProgramBytes + plan.chunkSlots * plan.chunkSlices * sliceBytes + calibration +
           plan.threads * (decoded + unfolded + filter) + 2 * VolumeSummary::bytesNeeded(grid);
}

// The batches under way in the pass over one slab.
Index passBytes(const OpenScan& scan, const JobPlan& plan, const SlabPlan& slab) {
    const SourceInfo& info = scan.source->info();
    const Index storedRows = slab.rows.empty() || scan.rectifier.isIdentity()
                                 ? slab.rows.size()
                                 : scan.rectifier.sourceRows(slab.rows).size();
    return plan.ringSlots * plan.batchViews *
           (storedRows * info.columns * sizeBytes(info.pixelType) +
            slab.rows.size() * scan.geometry.detector.columns * Index{sizeof(float)});
}

}  // namespace

std::unique_ptr<BackProjector> makeBackProjector(const JobSpec& spec, const Backends& backends) {
    if (spec.engine == Engine::gpu)
        throw InputError(fmt::format("engine: gpu: {}; use --engine cpu", backends.whyNoGpu));
    const auto& make =
        spec.cpuKernel == CpuKernel::reference ? backends.reference : backends.cpuColumns;
    return make(threadsOf(spec));
}

JobPlan planJob(const OpenScan& scan, const JobSpec& spec, const BackProjector& backProjector,
                const std::optional<Checkpoint>& checkpoint) {
    const ScanGeometry& geometry = scan.geometry;
    const VolumeGrid& grid = spec.volume;
    JobPlan plan;
    plan.threads = threadsOf(spec);
    plan.batchViews = std::min(spec.batchViews, geometry.views);
    plan.batchesPerSlab = (geometry.views + plan.batchViews - 1) / plan.batchViews;
    plan.ringSlots = kRingSlots;
    plan.chunkSlots = kChunkSlots;
    const Index sliceBytes = grid.voxels[0] * grid.voxels[1] * Index{sizeof(float)};
    const Index mostSlices = std::max<Index>(1, grid.voxels[2] / kLeastChunks);
    plan.chunkSlices = std::clamp<Index>(kChunkBytes / sliceBytes, 1, mostSlices);
    plan.budgetBytes = budgetOf(spec);

    const auto bytesNeeded = [&](const SlabPlan& slab) {
        return fixedBytes(scan, plan, grid) + passBytes(scan, plan, slab) +
               backProjector.bytesNeeded(grid, slab.slices.size(), plan.batchViews,
                                         slab.rows.size(), geometry.detector.columns);
    };
    if (checkpoint) {
        for (const IndexRange& slices : checkpoint->slabs)
            plan.slabs.push_back({slices, footprintRows(geometry, grid, slices)});
    } else {
        plan.slabs = fitSlabs(geometry, grid, plan.budgetBytes, bytesNeeded);
    }
    for (const SlabPlan& slab : plan.slabs)
        plan.hostBytes = std::max(plan.hostBytes, bytesNeeded(slab));
    return plan;
}

}  // namespace gantry
