#pragma once

#include <string>

#include "core/engine/device_engine.h"

namespace gantry {

/// The class of problems that a job on a GPU falls into, in words: kernels hardly differ in speed
/// within one. Sizes to a factor of two; the voxel's step on the detector to a twentieth of a
/// pixel, and how many times as large it is where the volume is nearest to the source; whether
/// slabs can be their own mirror image; and which kernels may be tried (those of a precision, or
/// the one that the job names).
[[nodiscard]] std::string problemClass(const DeviceJob& job, bool fast);

/// Whether the lower half of the volume mirrors the upper one on whole rows, so that its slabs can
/// be mirror pairs.
[[nodiscard]] bool isSymmetric(const DeviceJob& job);

}  // namespace gantry
