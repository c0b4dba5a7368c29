#include "gpu/engine/box_maps.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "core/base/error.h"

namespace gantry {

#if CUDA_VERSION >= 12000

// The driver's function is found through the runtime, so that the program links no driver library.
std::optional<BoxMaps> BoxMaps::find() {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
    const cudaError_t result = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                                12000, cudaEnableDefault, &found);
#else
    const cudaError_t result =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
#endif
    if (result != cudaSuccess || found != cudaDriverEntryPointSuccess) {
        (void)cudaGetLastError();
        return std::nullopt;
    }
    return BoxMaps(function);
}

gpu::BoxMap BoxMaps::map(const BoxedArray& array, const std::array<int, 4>& box) const {
    cuuint64_t sizes[4];
    cuuint64_t strides[3];
    cuuint32_t boxSizes[4];
    const cuuint32_t steps[4] = {1, 1, 1, 1};
    for (std::size_t i = 0; i < array.dimensions; ++i) {
        sizes[i] = static_cast<cuuint64_t>(array.sizes[i]);
        boxSizes[i] = static_cast<cuuint32_t>(box[i]);
        if (i > 0) strides[i - 1] = static_cast<cuuint64_t>(array.strideBytes[i - 1]);
    }
    // A pair of floats is moved as one double of the same size.
    const auto type =
        array.elementBytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    gpu::BoxMap map{};
    const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(m_encode);
    const CUresult result =
        encode(&map, type, static_cast<cuuint32_t>(array.dimensions), array.data, sizes, strides,
               boxSizes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    require(result == CUDA_SUCCESS, "the GPU's bulk copies (TMA) refused an array's layout");
    return map;
}

#else

std::optional<BoxMaps> BoxMaps::find() {
    return std::nullopt;
}

gpu::BoxMap BoxMaps::map(const BoxedArray&, const std::array<int, 4>&) const {
    return {};
}

#endif

}  // namespace gantry
