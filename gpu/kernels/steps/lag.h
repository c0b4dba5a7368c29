#pragma once

#include "gpu/kernels/steps/rings.h"

namespace gantry::gpu {

/// The numbers of LagModel of core/prep.
struct Lag {
    float share;
    float decay;
    float gain;
    float added;
    float minPart;
};

/// Takes lag off with removeLag()'s results.
void removeLag(const Sinograms& sinograms, const Lag& lag, cudaStream_t stream);

}  // namespace gantry::gpu
