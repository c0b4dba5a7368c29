#pragma once

#include <array>
#include <stop_token>

#include "core/base/span3.h"
#include "core/project/space_peers.h"
#include "core/project/voxel_constraint.h"

namespace gantry {

/// See IterationSpace::flatten().
struct FlattenTask {
    Span3<float> volume;           ///< [z][y][x]
    float* dual = nullptr;         ///< [z][axis][y][x]
    float* spare = nullptr;        ///< another volume
    std::array<float, 3> scale{};  ///< of differences along x, y, z: smallest pitch over this one
    double weight = 0;
    Index steps = 0;
    int threads = 1;
};

/// Runs IterationSpace::flatten() in host memory, with a spare volume.
/// Tests: tests/core/project/host_space_test.cpp
/// peers: who have the slices below and above the volume
/// @returns Σ|∇x| of the result, of all parts together
/// @throws Cancelled
double flattenVolume(const FlattenTask& task, const VoxelConstraint& constraint, SpacePeers& peers,
                     const std::stop_token& stop);

}  // namespace gantry
