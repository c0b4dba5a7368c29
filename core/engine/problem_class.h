#pragma once

#include <string>

#include "core/engine/device_engine.h"

namespace gantry {

/// The class of problems that a job on a GPU belongs to, in words: within one, the speed of kernels
/// hardly differs. It contains sizes to a factor of two; the voxel's step on the detector to a
/// twentieth of a pixel, and its ratio where the volume is nearest to the source; whether slabs can
/// be their own mirror image; and which kernels may be tried (those of a precision, or the one that
/// the job names).
[[nodiscard]] std::string problemClass(const DeviceJob& job, bool fast);

/// Whether the upper half of the volume mirrors the lower one on whole detector rows, so that its
/// slabs can be mirror pairs.
[[nodiscard]] bool isSymmetric(const DeviceJob& job);

}  // namespace gantry
