#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/engine/device_engine.h"
#include "core/engine/device_rates.h"
#include "core/engine/kernel.h"
#include "core/geometry/volume_grid.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// Chooses the kernel for a job on a device by a short trial on a piece of the volume, and measures
/// its speed with the job's slabs and batches. Results are kept in `cache`, see TrialCache.
/// job.kernel names the only one to be tried (tile in all its shapes); where it is empty, the
/// fastest of those that keep the precision is chosen. fast: texture hardware may interpolate
/// @throws InputError  there is no kernel of that name
/// @throws ResourceError  the device is lost or has no memory for a trial
/// Tests: tests/gpu/engine/tuner_test.cpp
[[nodiscard]] KernelChoice chooseKernel(const DeviceInfo& device, const DeviceJob& job, bool fast,
                                        const std::filesystem::path& cache);

/// Names of the kernels that a trial compares.
[[nodiscard]] std::vector<std::string> trialKernels(const DeviceJob& job, bool fast);

/// What a trial back-projects: part of the volume, in its place, and its footprint's rows.
struct TrialPiece {
    VolumeGrid grid;
    IndexRange rows;  ///< none where the volume misses the detector
};
/// A layer of the volume's voxels, or a quarter of one: about the mid-plane where the job's slabs
/// are symmetric, otherwise away from it.
[[nodiscard]] TrialPiece trialPiece(const DeviceJob& job);

/// Measures what one device does a second with a job: copies from and to pinned memory, and the
/// filter on rows as wide as the job's. Takes about 0.1 s and little memory.
/// @throws ResourceError  the device is lost or full
/// Tests: tests/gpu/engine/tuner_test.cpp
[[nodiscard]] DeviceRates measureRates(const DeviceInfo& device, const DeviceJob& job);

}  // namespace gantry
