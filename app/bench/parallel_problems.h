#pragma once

#include <vector>

#include "app/bench/cone_problems.h"

namespace gantry {

/// Scans of a parallel beam over half a circle, whose volumes have a voxel for each pixel: the
/// problem of balancing-gpu-subsystems-parallel-beam, 512 slices of 2048² from 2048 views, and
/// cubes from 512 to 4096, from as many views as they are wide; the largest has only 512 slices, as
/// many as a GPU holds at a time. Tests: tests/cli/test_devices.py
[[nodiscard]] std::vector<ConeProblem> parallelProblems();

}  // namespace gantry
