#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/backends.h"
#include "core/plan/cluster/grid_plan.h"
#include "core/plan/facts.h"
#include "core/plan/request.h"
#include "core/plan/slabs.h"
#include "core/project/space_part.h"

namespace gantry {

/// The part that one device has in a job.
struct DevicePlan {
    int device = 0;    ///< its number
    std::string name;  ///< "NVIDIA H200"
    KernelChoice kernel;
    Index bytes = 0;        ///< memory that the job takes of it; the CPU's is the host's
    Index budgetBytes = 0;  ///< memory that the job may take of it
};

/// Work of one device: the views that it adds to a slab.
struct Assignment {
    int rank = 0;      ///< of the process; 0 where there is one
    Index device = 0;  ///< index in JobPlan::devices
    Index slab = 0;    ///< index in JobPlan::slabs
    IndexRange views;

    friend bool operator==(const Assignment&, const Assignment&) = default;
};

/// The slab that one rank of this rank's column makes in a pass, if any, and the detector rows that
/// it needs for it.
struct ColumnShare {
    std::optional<Index> slab;
    IndexRange rows;
};

/// The slabs that are made from one reading of the views, and the detector rows that they need.
struct PassPlan {
    std::vector<Assignment> assignments;  ///< at most one a device, in the order of their slabs
    IndexRanges rows;
    /// [row of the grid] Where views are gathered: what each rank makes. This rank may make
    /// nothing; it still reads and filters its part of the views for the others.
    std::vector<ColumnShare> column{};

    [[nodiscard]] bool isGathered() const { return !column.empty(); }
    /// The slabs made in it, here and by the ranks that views are gathered with.
    [[nodiscard]] std::vector<Index> slabsOfAll() const;
    /// The detector rows that are read and filtered here.
    [[nodiscard]] IndexRanges loadedRows() const;
};

struct JobPlan;

/// How an iterative method works on a volume that stays in memory with all views, in one process or
/// in parts on ranks.
struct IterationPlan {
    /// Where the vectors are, and what projects. Blocks: they are in the host's memory, and a GPU
    /// gets slabs and views for each pass.
    enum class Place { host, device, blocksOnDevice };

    std::string method;            ///< "SIRT"
    std::string sentence;          ///< the method with its options, for reports
    Index iterations = 0;          ///< max
    Index slabSlices = 0;          ///< of the part that the projector holds at a time
    Index bytes = 0;               ///< memory, beside what its start takes
    Index stateBytes = 0;          ///< that this process writes for a checkpoint
    bool isFromFdk = true;         ///< else the start is only its memory
    std::vector<SpacePart> parts;  ///< [rank] of the volume
    int rank = 0;
    /// Makes the slices of its part by FDK, as a volume of their own.
    std::shared_ptr<const JobPlan> start;
    Place place = Place::host;
    /// Numbers of the GPUs, where it is not the host; of several, each has a part of the volume.
    std::vector<int> devices;
    Index deviceBytes = 0;  ///< of each one's memory, beside what the start takes

    [[nodiscard]] const SpacePart& ownPart() const { return parts[static_cast<std::size_t>(rank)]; }
};

/// How a job runs on this machine: slabs, who makes them, batches and the memory they take.
struct JobPlan {
    EngineKind engine = EngineKind::cpu;
    int threads = 1;
    IndexRange views;  ///< of those that the scan uses, the views added to the slabs
    Index batchViews = 0;
    Index batchesPerPass = 0;
    Index ringSlots = 0;    ///< batches under way at once
    Index chunkSlices = 0;  ///< slices passed to the sink at a time
    Index chunkSlots = 0;
    int storeLanes = 1;  ///< threads that write, each one chunk at a time
    std::vector<DevicePlan> devices;
    std::vector<SlabPlan> slabs;   ///< of the whole volume, in order
    std::vector<PassPlan> passes;  ///< that remain to be made, in order
    /// In a run by several ranks: passes of other rows of the grid that may move to this one during
    /// the run. Memory is reserved for them.
    std::vector<PassPlan> spare{};
    Index hostBytes = 0;    ///< forecast of the max memory the job uses at once
    Index budgetBytes = 0;  ///< memory that it may use
    ViewState handedOver = ViewState::filtered;  ///< state in which views go to the devices
    /// State in which the host passes views to a device that filters them before they are gathered.
    std::optional<ViewState> filteredFrom{};
    /// correctingDevices() of them correct views before they are filtered; else the CPU does so.
    bool areStepsOnDevice = false;
    /// The first also holds the rows of all views and passes: each is read and corrected once;
    /// else the host holds those of a pass where a step needs all views.
    bool areViewsHeldThere = false;
    /// Devices resample a rolled or tilted detector's views, which the host then has as
    /// `prepared`; else the CPU does so.
    bool areRowsResampledThere = false;
    std::vector<std::string> notes;  ///< sentences about what runs elsewhere than expected
    std::optional<GridPart> part{};  ///< in a run by several ranks
    std::optional<IterationPlan> iterations{};  ///< of an iterative method

    /// How many ranks add views to the same slabs.
    [[nodiscard]] Index columnCount() const { return part ? part->plan.grid.columns : 1; }
    /// How far the host itself takes the views that it reads.
    [[nodiscard]] ViewState hostTakes() const { return filteredFrom.value_or(handedOver); }
    /// How many ranks must do their part before a slab is complete: store a part of it, or read
    /// views for it.
    [[nodiscard]] Index sharerCount() const;
    /// The views of a batch, and those of them that are read and filtered here.
    [[nodiscard]] IndexRange viewsOf(Index batch) const;
    [[nodiscard]] IndexRange loadedViews(Index batch) const;
    /// Max views of a batch that are read here.
    [[nodiscard]] Index maxLoadedViews() const;

    /// Passes are numbered through `passes` and then through `spare`.
    [[nodiscard]] const PassPlan& pass(Index i) const;
    [[nodiscard]] Index passCount() const { return std::ssize(passes) + std::ssize(spare); }
};

/// What the sink of the volume needs: see core/io/volume/volume_sink.h.
struct SinkNeeds {
    Index hostBytes = 0;           ///< memory, all the time
    Index outputBytes = 0;         ///< bytes that it writes in all
    std::filesystem::path folder;  ///< where it writes; empty: memory
    Index threadBytes = 0;         ///< more memory, for each thread that writes
    std::string kind{};            ///< kind of volume, in words: the speed of storing depends on it
};

/// The input of planning: values, or references that are only read.
struct PlanInputs {
    const Acquisition& acquisition;
    const ReconstructionRequest& request;
    const Machine& machine;
    const Facts& facts;  ///< what was measured; a plan works without the rest
    SinkNeeds sink{};
    const GridPart* part = nullptr;  ///< in a run by several ranks, if it is known
};

/// Plans a job on the GPUs that it names, or on all. Where it names none, those that cannot be used
/// (for example because another program holds too much memory) are left out with a note. Where it
/// leaves the engine open and no GPU can be used, the job is planned on the CPU, with a note why.
/// Where it leaves open where views are filtered, devices filter them if they can, unless the CPU
/// is predicted to be faster. A device without a trial gets the usual kernel, and counts as fast as
/// any other. Slabs are mirror pairs about the source's plane if all kernels mirror, the volume
/// does, and the run is predicted to be shorter, as far as that is known; on the same condition the
/// first of several passes is thin, so that a run bounded by storing starts to store early. Touches
/// no device. @param finished  slabs of an interrupted run, which are kept; in a run by several
/// ranks slabs of other rows of the grid count as finished, unless views are gathered: see
/// slabsForRank()
/// @throws InputError as runsOnDevices(); ResourceError when not even one slice fits the memory
///         allowed, or when no GPU is left that the job asks for
/// Tests: tests/core/plan/questions_test.cpp, tests/core/plan/device_plan_test.cpp,
///        tests/core/plan/pair_plan_test.cpp
[[nodiscard]] JobPlan planJob(const PlanInputs& inputs,
                              const std::optional<FinishedSlabs>& finished = {});

/// The job of a device that makes no slab yet, with the plan's batches and chunks.
[[nodiscard]] DeviceJob jobWithoutSlabs(const Acquisition& acquisition,
                                        const ReconstructionRequest& request, const JobPlan& plan,
                                        const Kernel& kernel);
/// The job of the device that filters views before they are gathered; the plan must have one.
[[nodiscard]] DeviceJob viewFilterJobOf(const Acquisition& acquisition,
                                        const ReconstructionRequest& request, const JobPlan& plan);
/// The job of the device that corrects views, for the plan's passes, or for all rows where it has
/// none yet. acquisition: corrected
[[nodiscard]] ViewStepsJob viewStepsJobOf(const Acquisition& acquisition, const JobPlan& plan);
/// The rows of the real detector that a device holds of all views, where it does.
[[nodiscard]] IndexRange heldRows(const Acquisition& acquisition, const JobPlan& plan);
/// The job of the device that resamples views onto an upright detector.
[[nodiscard]] ViewStepsJob resampleJobOf(const Acquisition& acquisition, const JobPlan& plan);
/// The job of the plan's device `index`.
[[nodiscard]] DeviceJob deviceJobOf(const PlanInputs& inputs, const JobPlan& plan, Index index);
[[nodiscard]] DeviceJob deviceJobOf(const Acquisition& acquisition,
                                    const ReconstructionRequest& request, const JobPlan& plan,
                                    Index index);

/// "CPU (AVX-512), kernel stack", "2 × NVIDIA H200 (tile, exact)"
[[nodiscard]] std::string engineName(const JobPlan& plan);

}  // namespace gantry
