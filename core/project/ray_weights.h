#pragma once

#include "core/base/host_buffer.h"
#include "core/iterate/iteration_space.h"

namespace gantry {

/// M of rays with these chords, mm: see RowWeights. counts: of the rays, or empty
/// @returns M, one for each ray
[[nodiscard]] HostBuffer<float> rayWeights(const HostBuffer<float>& chords,
                                           const HostBuffer<float>& counts, RowWeights kind,
                                           int threads);

/// What M says of line integrals b.
[[nodiscard]] PreparedViews preparedViews(const HostBuffer<float>& weights,
                                          const HostBuffer<float>& integrals,
                                          const HostBuffer<float>& chords, int threads);

}  // namespace gantry
