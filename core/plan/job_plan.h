#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/backproject/back_projector.h"
#include "core/engine/backends.h"
#include "core/plan/request.h"
#include "core/plan/slabs.h"

namespace gantry {

/// What one GPU does of a job: in pass p, device d of n makes slab JobPlan::firstSlab + p·n + d, if
/// there is one.
struct DevicePlan {
    int device = 0;    ///< its number
    std::string name;  ///< "NVIDIA H200"
    KernelChoice kernel;
    Index bytes = 0;        ///< device memory that the job takes there
    Index budgetBytes = 0;  ///< that it may take
};

/// How a job will be run on this machine: slabs, batches and the memory they take.
struct JobPlan {
    int threads = 1;
    Index batchViews = 0;
    Index batchesPerSlab = 0;
    Index ringSlots = 0;    ///< batches under way at once
    Index chunkSlices = 0;  ///< slices handed to the sink at a time
    Index chunkSlots = 0;
    int storeLanes = 1;  ///< threads that write chunks, each one at a time
    std::vector<SlabPlan> slabs;
    Index firstSlab = 0;              ///< those below are resumed from an interrupted run
    Index hostBytes = 0;              ///< forecast of the most that the job holds at once
    Index budgetBytes = 0;            ///< what it may hold
    std::vector<DevicePlan> devices;  ///< empty: the CPU back-projects
    ViewState handedOver = ViewState::filtered;  ///< to the devices
    std::vector<std::string> notes;  ///< sentences on what runs elsewhere than one may expect
};

/// Slabs that are made from one reading of the views, and the detector rows that they need
/// together.
struct PassPlan {
    IndexRange slabs;
    IndexRange rows;
};
/// The passes of a run, in order: of a slab each, or of one for each device.
[[nodiscard]] std::vector<PassPlan> passesOf(const JobPlan& plan);

/// What a job that runs on the CPU is back-projected with, on its number of threads.
[[nodiscard]] std::unique_ptr<BackProjector> makeBackProjector(const ReconstructionRequest& request,
                                                               const Backends& backends);

/// @param finished  of an interrupted run: its slabs are kept, so that the result is the same
/// @throws ResourceError when not even one slice fits the memory allowed
/// Tests: tests/core/work/reconstruct_test.cpp
[[nodiscard]] JobPlan planJob(const Acquisition& acquisition, const ReconstructionRequest& request,
                              const BackProjector& backProjector,
                              const std::optional<FinishedSlabs>& finished);

/// The same for CPU or devices, as the job asks. On devices, kernels may be tried for a moment.
/// Where a job does not say where views are filtered, devices filter them if they can. Where it
/// does not say what it runs on, and no GPU of the machine can be used, the CPU is planned, with a
/// note why.
/// @throws InputError as runsOnDevices(); ResourceError
[[nodiscard]] JobPlan planJob(const Acquisition& acquisition, const ReconstructionRequest& request,
                              const Backends& backends,
                              const std::optional<FinishedSlabs>& finished);

/// The job of the plan's device number `index`.
[[nodiscard]] DeviceJob deviceJobOf(const Acquisition& acquisition,
                                    const ReconstructionRequest& request, const JobPlan& plan,
                                    std::size_t index);

}  // namespace gantry
