#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/backproject/back_projector.h"

namespace gantry {

/// iFDK algorithm 2 in double for any 3×4 matrix: slow and plain; tests compare all others with it.
[[nodiscard]] std::unique_ptr<BackProjector> makeReferenceBackProjector(int threads);

/// Instruction sets that the SIMD kernels have code for.
enum class SimdLevel { portable, avx2, avx512 };

[[nodiscard]] std::string_view name(SimdLevel level);
/// The levels that this machine can run, the best one last.
[[nodiscard]] std::vector<SimdLevel> supportedSimdLevels();

// Without a level these use the best one of this machine.

/// iFDK algorithm 4: u and 1/z once a voxel column, mirror pairs where the slab is symmetric,
/// transposed views, z-fastest slab; for aligned detectors (v parallel to the rotation axis).
/// @throws InternalError  the machine does not support the level
[[nodiscard]] std::unique_ptr<BackProjector> makeCpuColumnsBackProjector(
    int threads, SimdLevel level = supportedSimdLevels().back());

/// iFDK algorithm 2 in float in its plainest form, compiled for an instruction set but without
/// SIMD: the baseline for the speed of the other back-projectors.
/// @throws InternalError  the machine does not support the level
[[nodiscard]] std::unique_ptr<BackProjector> makePlainScalarBackProjector(int threads,
                                                                          SimdLevel level);

/// iFDK algorithm 2 for any 3×4 matrices, in SIMD: transposed views, z-fastest slab, runs of a
/// voxel column that read the rows of few detector columns from registers. Tests:
/// tests/core/backproject/general_agreement_test.cpp
/// @throws InternalError  the machine does not support the level
[[nodiscard]] std::unique_ptr<BackProjector> makeCpuGeneralBackProjector(
    int threads, SimdLevel level = supportedSimdLevels().back());

/// iFDK algorithm 2 for parallel beams on an upright detector, whose slices are independent of each
/// other: views are interpolated once at the heights of the slices, SIMD lanes are slices, and the
/// position on the detector is computed once a voxel column.
/// Tests: tests/core/backproject/stack_agreement_test.cpp
/// @throws InternalError  the machine does not support the level
[[nodiscard]] std::unique_ptr<BackProjector> makeCpuStackBackProjector(
    int threads, SimdLevel level = supportedSimdLevels().back());

}  // namespace gantry
