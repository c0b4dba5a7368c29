#include "core/backproject/columns_kernel.h"
#include "core/backproject/general_kernel.h"
#include "core/backproject/plain_kernel.h"
#include "core/backproject/plane_kernel.h"
#include "core/backproject/simd_portable.h"
#include "core/backproject/stack_kernel.h"

namespace gantry {

const SimdKernels kPortableKernels = {
    ColumnsKernel<Portable>::addBrick, GeneralKernel<Portable>::addBrick,
    StackKernel<Portable>::addBrick, addPlainSlice, PlaneKernel<Portable>::addRows};

}  // namespace gantry
