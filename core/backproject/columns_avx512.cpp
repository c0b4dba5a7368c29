#if defined(__AVX512F__)

#include "core/backproject/columns_kernel.h"
#include "core/backproject/general_kernel.h"
#include "core/backproject/plain_kernel.h"
#include "core/backproject/plane_kernel.h"
#include "core/backproject/simd_avx512.h"
#include "core/backproject/stack_kernel.h"

namespace gantry {

const SimdKernels kAvx512Kernels = {ColumnsKernel<Avx512>::addBrick,
                                    GeneralKernel<Avx512>::addBrick, StackKernel<Avx512>::addBrick,
                                    addPlainSlice, PlaneKernel<Avx512>::addRows};

}  // namespace gantry

#endif
