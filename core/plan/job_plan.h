#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/backends.h"
#include "core/plan/cluster/grid_plan.h"
#include "core/plan/facts.h"
#include "core/plan/request.h"
#include "core/plan/slabs.h"

namespace gantry {

/// What one device does of a job.
struct DevicePlan {
    int device = 0;    ///< its number
    std::string name;  ///< "NVIDIA H200"
    KernelChoice kernel;
    Index bytes = 0;        ///< of its memory that the job takes; the CPU's is the host's
    Index budgetBytes = 0;  ///< that it may take
};

/// Work of one device: the views that it adds to a slab.
struct Assignment {
    int rank = 0;      ///< of the process; 0 where there is one
    Index device = 0;  ///< index in JobPlan::devices
    Index slab = 0;    ///< index in JobPlan::slabs
    IndexRange views;

    friend bool operator==(const Assignment&, const Assignment&) = default;
};

/// What a rank of this one's column makes in a pass, and the detector rows that it needs for it;
/// it may make nothing.
struct ColumnShare {
    std::optional<Index> slab;
    IndexRange rows;
};

/// What is made from one reading of the views, and the detector rows that it needs together.
struct PassPlan {
    std::vector<Assignment> assignments;  ///< at most one a device, in the order of their slabs
    IndexRanges rows;
    /// [row of the grid] Where views are gathered: what all of them make. This rank may make
    /// nothing; it reads and filters its part of the views for the others.
    std::vector<ColumnShare> column{};

    [[nodiscard]] bool isGathered() const { return !column.empty(); }
    /// That are made in it, here and by the ranks that views are gathered with.
    [[nodiscard]] std::vector<Index> slabsOfAll() const;
    /// That are read and filtered here.
    [[nodiscard]] IndexRanges loadedRows() const;
};

/// How a job will be run on this machine: slabs, who makes them, batches and the memory they take.
struct JobPlan {
    EngineKind engine = EngineKind::cpu;
    int threads = 1;
    IndexRange views;  ///< that are added to the slabs, of those that the scan uses
    Index batchViews = 0;
    Index batchesPerPass = 0;
    Index ringSlots = 0;    ///< batches under way at once
    Index chunkSlices = 0;  ///< slices handed to the sink at a time
    Index chunkSlots = 0;
    int storeLanes = 1;  ///< threads that write chunks, each one at a time
    std::vector<DevicePlan> devices;
    std::vector<SlabPlan> slabs;   ///< of the whole volume, in order
    std::vector<PassPlan> passes;  ///< that remain to be made, in order
    /// Of a run by several ranks: passes of other rows of the grid, that may move to this one while
    /// all are at work. Memory is there for them.
    std::vector<PassPlan> spare{};
    Index hostBytes = 0;    ///< forecast of the most that the job holds at once
    Index budgetBytes = 0;  ///< what it may hold
    ViewState handedOver = ViewState::filtered;  ///< to the devices
    /// Where views are gathered and a device filters them before: how far the host takes them first
    std::optional<ViewState> filteredFrom{};
    std::vector<std::string> notes;  ///< sentences on what runs elsewhere than one may expect
    std::optional<GridPart> part{};  ///< of a run by several ranks

    /// Ranks that add views to the same slabs.
    [[nodiscard]] Index columnCount() const { return part ? part->plan.grid.columns : 1; }
    /// How far the host itself takes views that it reads.
    [[nodiscard]] ViewState hostTakes() const { return filteredFrom.value_or(handedOver); }
    /// Ranks that have to do their part before a slab is done: store a part of it, or read views
    /// for it.
    [[nodiscard]] Index sharerCount() const;
    /// The views of a batch, and those of them that are read and filtered here.
    [[nodiscard]] IndexRange viewsOf(Index batch) const;
    [[nodiscard]] IndexRange loadedViews(Index batch) const;
    /// Of a batch at most.
    [[nodiscard]] Index mostLoadedViews() const;

    /// Slabs that an interrupted run has stored.
    [[nodiscard]] Index finishedSlabs() const;
    /// Of `passes`, and then of `spare`.
    [[nodiscard]] const PassPlan& pass(Index i) const;
    [[nodiscard]] Index passCount() const { return std::ssize(passes) + std::ssize(spare); }
};

/// What the one who takes the volume needs: see core/io/volume/volume_sink.h.
struct SinkNeeds {
    Index hostBytes = 0;           ///< of memory, all the time
    Index outputBytes = 0;         ///< that it writes in all
    std::filesystem::path folder;  ///< where; empty: memory
    Index threadBytes = 0;         ///< of memory beside that, for each thread that writes
    std::string kind{};            ///< of volume, in words: by it the speed of storing differs
};

/// What planning works with: all of it values, or read alone.
struct PlanInputs {
    const Acquisition& acquisition;
    const ReconstructionRequest& request;
    const Machine& machine;
    const Facts& facts;  ///< what is known; a plan does without the rest
    SinkNeeds sink{};
    const GridPart* part = nullptr;  ///< of a run by several ranks, if it is known
};

/// Plans a job: on the GPUs that it names, or all, where it is for GPUs; where it names none, those
/// that cannot be used, as where another program holds too much memory, are left out with a note.
/// Where it does not say what it runs on, and no GPU of the machine can be used, the CPU is
/// planned, with a note why. Where it does not say where views are filtered, devices filter them if
/// they can and the forecast does not prefer the CPU. A kernel that was not tried is the usual one,
/// and its speed counts as any other's. Slabs are mirror pairs about the source's plane where all
/// kernels mirror, the volume does, and the forecast, as far as it is known, is shorter so; so is
/// the first of several passes thin, that what bounds the whole by storing begins early.
/// Touches no device. @param finished  of an interrupted run: its slabs are kept; so are those of a
/// run by several ranks, where slabs that other rows of the grid make count as finished, unless
/// views are gathered: see slabsForRank()
/// @throws InputError as runsOnDevices(); ResourceError when not even one slice fits the memory
///         allowed, or no GPU is left that the job asks for
/// Tests: tests/core/plan/questions_test.cpp, tests/core/plan/device_plan_test.cpp,
///        tests/core/plan/pair_plan_test.cpp
[[nodiscard]] JobPlan planJob(const PlanInputs& inputs,
                              const std::optional<FinishedSlabs>& finished = {});

/// The job of a device that makes no slab yet, by the plan's batches and chunks.
[[nodiscard]] DeviceJob jobWithoutSlabs(const Acquisition& acquisition,
                                        const ReconstructionRequest& request, const JobPlan& plan,
                                        const Kernel& kernel);
/// The job of the device that filters views which are gathered; of a plan that has one.
[[nodiscard]] DeviceJob viewFilterJobOf(const Acquisition& acquisition,
                                        const ReconstructionRequest& request, const JobPlan& plan);
/// The job of the plan's device number `index`.
[[nodiscard]] DeviceJob deviceJobOf(const PlanInputs& inputs, const JobPlan& plan, Index index);
[[nodiscard]] DeviceJob deviceJobOf(const Acquisition& acquisition,
                                    const ReconstructionRequest& request, const JobPlan& plan,
                                    Index index);

/// "CPU (AVX-512), kernel stack", "2 × NVIDIA H200 (tile, exact)"
[[nodiscard]] std::string engineName(const JobPlan& plan);

}  // namespace gantry
