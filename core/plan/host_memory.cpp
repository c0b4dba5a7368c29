#include "core/plan/host_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/text.h"

namespace gantry {

namespace {

constexpr Index kMinChunks = 16;  // so that copying and writing overlap in a small volume too
// Code, libraries, thread stacks and FFT tables. By max. resident sets, less what the plan counts:
// 53 MB as soon as the program has been loaded, 60 in small jobs on the CPU.
constexpr Index kProgramBytes = 60'000'000;

constexpr double kShareOfFreeMemory = 0.7;

Index budgetOf(const PlanInputs& inputs) {
    if (inputs.request.memoryBytes > 0) return inputs.request.memoryBytes;
    return usualMemoryBytes(inputs.machine.freeBytes);
}

// Bytes of the views held for correction: these rows of all views, or without ring removal of one
// batch, unless a device holds them; and the stored views that they are made from, as line
// integrals too where a device takes these.
Index heldBytes(const Acquisition& acquisition, const JobPlan& plan, const IndexRanges& rows) {
    const SourceInfo& info = acquisition.stored;
    const Acquisition& stored = acquisition.asStored();
    const bool areAllHeld = acquisition.corrections.needsAllViews();
    const bool isHeld = !plan.areStepsOnDevice || (areAllHeld && !plan.areViewsHeldThere);
    const bool areIntegrals = plan.areStepsOnDevice && needsHostIntegrals(stored);
    Index read = 0;
    for (const StepRows& block : stepRows(acquisition, rows))
        read += block.read.size();
    const Index pixelBytes =
        sizeBytes(stored.stored.pixelType) + (areIntegrals ? Index{sizeof(float)} : 0);
    const Index views = areAllHeld ? info.views : plan.batchViews;
    return info.columns * (plan.batchViews * read * pixelBytes +
                           (isHeld ? views * rows.size() * Index{sizeof(float)} : 0));
}

// "…, and the job may use 1.00 GB."
std::string neededMemory(const MemoryShortfall& memory) {
    const std::string what =
        memory.isResumed && memory.slices > 1
            ? fmt::format("the interrupted run's slabs of {} slices need", memory.slices)
        : memory.isResumed ? "the interrupted run's slabs need"
                           : "one slice at a time already needs";
    return fmt::format("{} {}, and the job may use {}.", what, formatBytes(memory.neededBytes),
                       formatBytes(memory.allowedBytes));
}

}  // namespace

Index usualMemoryBytes(Index freeBytes) {
    return static_cast<Index>(kShareOfFreeMemory * static_cast<double>(freeBytes));
}

JobPlan batchesOf(const PlanInputs& inputs) {
    const ReconstructionRequest& request = inputs.request;
    JobPlan plan;
    plan.views =
        inputs.part ? inputs.part->views() : IndexRange{0, inputs.acquisition.geometry.views};
    const Index views = plan.views.size();
    plan.threads = request.threads > 0 ? request.threads : inputs.machine.threads;
    plan.batchViews = std::min(request.batchViews, views);
    plan.batchesPerPass = (views + plan.batchViews - 1) / plan.batchViews;
    plan.budgetBytes = budgetOf(inputs);
    return plan;
}

Index chunkSlicesOf(const VolumeGrid& grid, Index bytes) {
    const Index sliceBytes = grid.voxels[0] * grid.voxels[1] * Index{sizeof(float)};
    const Index maxSlices = std::max<Index>(1, grid.voxels[2] / kMinChunks);
    return std::clamp<Index>(bytes / sliceBytes, 1, maxSlices);
}

void countOnce(JobPlan& plan, const Acquisition& acquisition) {
    std::vector<bool> isCounted(acquisition.stored.rows);
    for (SlabPlan& slab : plan.slabs) {
        slab.counted = {};
        const IndexRanges stored = acquisition.storedRows(slab.rows);
        for (const IndexRange& part : stored.parts())
            for (Index row = part.begin; row < part.end; ++row) {
                if (isCounted[row]) continue;
                slab.counted = hullOf(slab.counted, {row, row + 1});
                isCounted[row] = true;
            }
    }
}

Index hostBytesOfRun(const Acquisition& acquisition, const JobPlan& plan, const VolumeGrid& grid) {
    const SourceInfo& info = acquisition.stored;
    const Index viewPixels = info.rows * info.columns;
    const Index sliceBytes = grid.voxels[0] * grid.voxels[1] * Index{sizeof(float)};
    // Dark, flat and bad pixels; more of them where they change over the scan, and those of the
    // pixels that are averaged.
    const auto fieldsOf = [](const Acquisition& of) {
        return of.calibration ? of.calibration->sizeBytes() : 0;
    };
    const bool areLevelled = acquisition.asStored().corrections.hasModules();  // in a copy
    const Index fields =
        fieldsOf(acquisition) + (areLevelled ? fieldsOf(acquisition.asStored()) : Index{0}) +
        (acquisition.beforeSelection ? fieldsOf(*acquisition.beforeSelection) : Index{0});
    const Index calibration = std::max(viewPixels * Index{2 * sizeof(float) + 1}, fields) +
                              (acquisition.repair ? acquisition.repair->sizeBytes() : 0);
    // A rolled or tilted detector's rows are resampled from real ones, and dead pixels repaired
    // beside them.
    const Index decoded = acquisition.readingBytes();
    const Index unfolded = acquisition.areRowsAlone() ? 0 : viewPixels * Index{sizeof(float)};
    constexpr Index kFilterBytesPerColumn = 256;  // two transforms of 16 rows
    const Index filter = plan.hostTakes() == ViewState::filtered
                             ? kFilterBytesPerColumn * acquisition.geometry.detector.columns
                             : 0;
    // Room for the parts of a chunk that come from the other ranks of a row.
    const Index summed = plan.columnCount() > 1 ? plan.chunkSlices * sliceBytes : 0;
    const Index mpi = plan.part ? kMpiBytes : 0;
    const Corrections& corrections = acquisition.corrections;
    Index corrected = corrections.changesPixels() ? viewPixels * Index{sizeof(float)} : 0;
    if (!plan.areStepsOnDevice)
        corrected += workspaceBytes(corrections, {info.views, info.rows, info.columns});
    // The thread that compares the pictures with what is claimed of them holds a view.
    const Index checked = decoded + viewPixels * Index{sizeof(float)};
    return kProgramBytes + mpi + plan.chunkSlots * plan.chunkSlices * sliceBytes + summed +
           calibration + checked + plan.threads * (decoded + unfolded + filter + corrected);
}

Index roughHostBytes(const ReconstructionRequest& request, const ScanGeometry& scan, Index slices,
                     EngineKind engine) {
    constexpr Index kLibraries = 400'000'000;  // of GPUs
    constexpr Index kMaxSlab = 16'000'000'000;
    constexpr Index kSlots = 4;                  // of batches, and of chunks
    constexpr Index kThreads = 8;                // that decode images at once
    constexpr Index kPixel = 3 * sizeof(float);  // as stored, as line integral, and gathered
    const bool isOnCpu = engine == EngineKind::cpu;
    const VolumeGrid& grid = request.volume;
    const Index sliceBytes = grid.voxels[0] * grid.voxels[1] * Index{sizeof(float)};
    const Index viewBytes = scan.detector.rows * scan.detector.columns * kPixel;
    const Index heldViews = request.corrections.needsAllViews() ? scan.views() : 0;
    const Index views = kSlots * std::min(request.batchViews, scan.views()) + kThreads + heldViews;
    const Index chunk = std::max(sliceBytes, isOnCpu ? Index{8'000'000} : Index{64'000'000});
    const Index slab = isOnCpu ? std::min(kMaxSlab, slices * sliceBytes) : kLibraries;
    const Index bytes = kProgramBytes + kMpiBytes + views * viewBytes + kSlots * chunk + slab;
    return static_cast<Index>(static_cast<double>(bytes) / kShareOfFreeMemory);
}

Index hostBytesOfPass(const Acquisition& acquisition, const JobPlan& plan, const PassPlan& pass) {
    const SourceInfo& info = acquisition.stored;
    const IndexRanges rows = pass.loadedRows();
    const Index storedRows = acquisition.storedRows(rows).size();
    const Index rowBytes = acquisition.geometry.detector.columns * Index{sizeof(float)};
    const Index values = plan.handedOver == ViewState::stored ? 0 : rows.size() * rowBytes;
    const auto shares = static_cast<Index>(std::max<std::size_t>(1, pass.column.size()));
    const Index loadedViews = (plan.batchViews + shares - 1) / shares;
    Index gathered = 0;
    if (pass.isGathered()) gathered = plan.ringSlots * plan.batchViews * pass.rows.size();
    for (const ColumnShare& share : pass.column)
        gathered += loadedViews * share.rows.size();
    const Index held = acquisition.corrections.changesPixels()
                           ? heldBytes(acquisition, plan, acquisition.storedRows(rows))
                           : 0;
    return held +
           plan.ringSlots * loadedViews *
               (storedRows * info.columns * sizeBytes(info.pixelType) + values) +
           gathered * rowBytes;
}

ResourceError hostShortfall(const MemoryShortfall& memory) {
    return ResourceError(
        "The memory does not suffice: " + neededMemory(memory),
        {.code = ErrorCode::hostMemory,
         .advice = memory.isResumed
                       ? "Run `gantry worker JOB --memory SIZE` with more, or close other programs."
                       : "Raise --memory, or ask for fewer --voxels or a smaller --batch."});
}

ResourceError deviceShortfall(int device, std::string_view name, const MemoryShortfall& memory) {
    return ResourceError(
        fmt::format("GPU {} ({}) lacks memory: {} Close other programs that use this GPU.", device,
                    name, neededMemory(memory)),
        {.code = ErrorCode::deviceMemory,
         .advice = memory.isResumed
                       ? "Or run `gantry worker JOB --device-memory SIZE` with more, or use "
                         "--engine cpu."
                       : "Or raise --device-memory, ask for fewer --voxels or a smaller --batch, "
                         "or use --engine cpu."});
}

}  // namespace gantry
