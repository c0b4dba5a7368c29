#if defined(__AVX512F__)

#include "core/backproject/simd_avx512.h"
#include "core/project/plane_adjoint.h"
#include "core/project/ray_sums.h"

namespace gantry {

const LineKernels kAvx512Lines = {PlaneAdjoint<Avx512>::addToPlane, sumRays, spreadRays};

}  // namespace gantry

#endif
