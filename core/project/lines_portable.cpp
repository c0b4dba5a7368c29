#include "core/backproject/simd_portable.h"
#include "core/project/plane_adjoint.h"
#include "core/project/ray_sums.h"

namespace gantry {

const LineKernels kPortableLines = {PlaneAdjoint<Portable>::addToPlane, sumRays, spreadRays};

}  // namespace gantry
