#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/kernels/cone_batch.h"

namespace gantry::gpu {

// Pixels of several slices, as kernels fetch them by texture units and add them.

template <int n>
struct SliceSums {
    float of[n] = {};
};

// A pixel of one float. fetch() takes position u on a line, from the first pixel's middle.
struct FloatTexel {
    static constexpr int kSlices = 1;
    static __device__ __forceinline__ void add(SliceSums<1>& sums, cudaTextureObject_t texture,
                                               float u, float line, int layer) {
        sums.of[0] += tex2DLayered<float>(texture, u + 0.5F, line, layer);
    }
};
struct Float2Texel {
    static constexpr int kSlices = 2;
    static __device__ __forceinline__ void add(SliceSums<2>& sums, cudaTextureObject_t texture,
                                               float u, float line, int layer) {
        const auto q = tex2DLayered<float2>(texture, u + 0.5F, line, layer);
        sums.of[0] += q.x;
        sums.of[1] += q.y;
    }
};
struct Half4Texel {
    static constexpr int kSlices = 4;
    static __device__ __forceinline__ void add(SliceSums<4>& sums, cudaTextureObject_t texture,
                                               float u, float line, int layer) {
        const auto q = tex2DLayered<float4>(texture, u + 0.5F, line, layer);
        sums.of[0] += q.x;
        sums.of[1] += q.y;
        sums.of[2] += q.z;
        sums.of[3] += q.w;
    }
};
// Four half floats that the texture declares as two floats.
struct ForgedTexel {
    static constexpr int kSlices = 4;
    static __device__ __forceinline__ void add(SliceSums<4>& sums, cudaTextureObject_t texture,
                                               float u, float line, int layer) {
        auto q = tex2DLayered<float2>(texture, u + 0.5F, line, layer);
        const float2 near = __half22float2(*reinterpret_cast<__half2*>(&q.x));
        const float2 far = __half22float2(*reinterpret_cast<__half2*>(&q.y));
        sums.of[0] += near.x;
        sums.of[1] += near.y;
        sums.of[2] += far.x;
        sums.of[3] += far.y;
    }
};

template <int n>
__device__ __forceinline__ void addToSlab(const ConeSlab& slab, int i, int j, int k0,
                                          const SliceSums<n>& sums) {
    if (i >= slab.nX || j >= slab.nY) return;
#pragma unroll
    for (int k = 0; k < n; ++k)
        if (k0 + k < slab.nZ)
            slab.voxels[(static_cast<std::int64_t>(k0 + k) * slab.nY + j) * slab.nX + i] +=
                sums.of[k];
}

}  // namespace gantry::gpu
