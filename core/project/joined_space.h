#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/project/projection_space.h"
#include "core/project/space_part.h"
#include "core/project/space_peers.h"

namespace gantry {

/// Makes the space of a part of the problem, which exchanges with the others by `peers`.
using MakePartSpace =
    std::function<std::unique_ptr<ProjectionSpace>(Index part, SpacePeers& peers)>;

/// Spaces that have the parts of one problem, as one space that has all of it. Each call is made on
/// every part at the same time, by a thread for each; they exchange by way of host memory.
/// task: of the whole, without peers; parts: spaceParts(); threads: that add up what is exchanged,
/// for each part
/// @throws what makePart() throws
/// Tests: tests/core/project/joined_space_test.cpp, tests/gpu/engine/gpu_space_test.cpp
[[nodiscard]] std::unique_ptr<ProjectionSpace> joinSpaces(const SpaceTask& task,
                                                          std::vector<SpacePart> parts, int threads,
                                                          const MakePartSpace& makePart);

}  // namespace gantry
