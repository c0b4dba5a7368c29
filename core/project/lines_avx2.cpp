#if defined(__AVX2__)

#include "core/backproject/simd_avx2.h"
#include "core/project/plane_adjoint.h"
#include "core/project/ray_sums.h"

namespace gantry {

const LineKernels kAvx2Lines = {PlaneAdjoint<Avx2>::addToPlane, sumRays, spreadRays};

}  // namespace gantry

#endif
