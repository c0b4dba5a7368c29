#if defined(__AVX2__)

#include "core/backproject/columns_kernel.h"
#include "core/backproject/general_kernel.h"
#include "core/backproject/plain_kernel.h"
#include "core/backproject/plane_kernel.h"
#include "core/backproject/simd_avx2.h"
#include "core/backproject/stack_kernel.h"

namespace gantry {

const SimdKernels kAvx2Kernels = {ColumnsKernel<Avx2>::addBrick, GeneralKernel<Avx2>::addBrick,
                                  StackKernel<Avx2>::addBrick, addPlainSlice,
                                  PlaneKernel<Avx2>::addRows};

}  // namespace gantry

#endif
