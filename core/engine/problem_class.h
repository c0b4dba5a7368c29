#pragma once

#include <string>

#include "core/engine/device_engine.h"

namespace gantry {

/// The class of problems that a job on a GPU falls into, in words: kernels hardly differ in speed
/// within one. Sizes to a factor of two; the voxel's step on the detector, and its height there
/// where the volume is nearest to the source, to a twentieth of a pixel; whether a slab is its own
/// mirror image; and which kernels may be tried (those of a precision, or the one that the job
/// names).
[[nodiscard]] std::string problemClass(const DeviceJob& job, bool fast);

/// Whether the job is made in one slab whose lower half mirrors the upper one on whole rows.
[[nodiscard]] bool isSymmetric(const DeviceJob& job);

}  // namespace gantry
