#pragma once

#include "core/base/host_buffer.h"
#include "core/iterate/iteration_space.h"
#include "core/project/own_rays.h"
#include "core/project/space_peers.h"

namespace gantry {

/// What the weights of a part's rays depend on.
struct RayData {
    const HostBuffer<float>& chords;  ///< mm
    const HostBuffer<float>& counts;  ///< or empty
    OwnRays own;
    SpacePeers& peers;  ///< who have the other rays
    int threads = 1;
};

/// M of these rays, one for each: see RowWeights.
[[nodiscard]] HostBuffer<float> rayWeights(const RayData& rays, RowWeights kind);

/// What M says of line integrals b, of all parts together.
[[nodiscard]] PreparedViews preparedViews(const RayData& rays, const HostBuffer<float>& weights,
                                          const HostBuffer<float>& integrals);

}  // namespace gantry
