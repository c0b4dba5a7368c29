#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/backproject/back_projector.h"

namespace gantry {

/// Instruction sets that cpu_columns has code for.
enum class SimdLevel { portable, avx2, avx512 };

[[nodiscard]] std::string_view name(SimdLevel level);
/// The levels that this machine can run, the best one last.
[[nodiscard]] std::vector<SimdLevel> supportedSimdLevels();

/// iFDK algorithm 4: u and 1/z once a voxel column, mirror pairs where the slab is symmetric,
/// transposed views, z-fastest slab; for aligned detectors (v parallel to the rotation axis).
/// @throws InternalError  the machine does not support the level
[[nodiscard]] std::unique_ptr<BackProjector> makeCpuColumnsBackProjector(int threads,
                                                                         SimdLevel level);
/// Uses the best level of this machine.
[[nodiscard]] std::unique_ptr<BackProjector> makeCpuColumnsBackProjector(int threads);

}  // namespace gantry
