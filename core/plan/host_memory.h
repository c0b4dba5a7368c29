#pragma once

#include <string_view>

#include "core/base/error.h"
#include "core/base/types.h"
#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "core/plan/job_plan.h"

namespace gantry {

/// Host memory of MPI's library on a rank, and what it shares with other ranks; bytes.
inline constexpr Index kMpiBytes = 25'000'000;

/// The part of this machine's free memory that a command uses unless it is given a limit; bytes.
/// The rest stays for the desktop and the page cache, which writing needs.
[[nodiscard]] Index usualMemoryBytes(Index freeBytes);

/// The part that all plans of a job share: threads, batches and the memory that it may use.
[[nodiscard]] JobPlan batchesOf(const PlanInputs& inputs);

/// Slices of a chunk of about `bytes` bytes; few enough that several are under way in a small
/// volume too.
[[nodiscard]] Index chunkSlicesOf(const VolumeGrid& grid, Index bytes);

/// Sets SlabPlan::counted so that the invalid pixels of each stored row are counted in one slab.
/// Slabs must come upwards, or as pairs from the outermost inwards and then those outside of them.
void countOnce(JobPlan& plan, const Acquisition& acquisition);

/// Host memory that a run holds in every pass, without the engine's and the sink's; bytes.
[[nodiscard]] Index hostBytesOfRun(const Acquisition& acquisition, const JobPlan& plan,
                                   const VolumeGrid& grid);

/// About the max host memory that a rank takes, for who has to ask a scheduler for it where the
/// scan cannot be opened. A rank that finds less makes its slices in more slabs.
/// slices: of the volume, that the rank makes
/// Tests: tests/core/plan/device_plan_test.cpp
[[nodiscard]] Index roughHostBytes(const ReconstructionRequest& request, const ScanGeometry& scan,
                                   Index slices, EngineKind engine);

/// Bytes of the batches under way in a pass, by how far the host takes them. Where views are
/// gathered: of those that are read here, those that are gathered, and what is sent to others.
[[nodiscard]] Index hostBytesOfPass(const Acquisition& acquisition, const JobPlan& plan,
                                    const PassPlan& pass);

/// The memory that a plan needs, where it is more than the job may use.
struct MemoryShortfall {
    Index neededBytes = 0;
    Index allowedBytes = 0;
    bool isResumed = false;  ///< an interrupted run's slabs cannot be made thinner
    Index slices = 1;        ///< of a slab; 1 unless resumed
};

/// An error with ErrorCode::hostMemory that states what was needed, what is allowed and what helps.
/// Tests: tests/core/plan/device_plan_test.cpp, tests/core/plan/slabs_test.cpp
[[nodiscard]] ResourceError hostShortfall(const MemoryShortfall& memory);
/// The same for one GPU, with ErrorCode::deviceMemory.
[[nodiscard]] ResourceError deviceShortfall(int device, std::string_view name,
                                            const MemoryShortfall& memory);

}  // namespace gantry
