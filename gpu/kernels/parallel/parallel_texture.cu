#include "gpu/kernels/parallel/parallel_kernels.h"

#include "gpu/kernels/parallel/parallel_texel.cuh"
#include "gpu/kernels/parallel/parallel_tile.cuh"
#include "gpu/kernels/parts.h"

namespace gantry::gpu {

namespace {

constexpr int kSide = 16;  // voxels of a block along x and y
constexpr int kThreads = kSide * kSide;

// These are in constant memory, like all arguments of a launch. Over a row's length floats are as
// fine as the texture units' fractions.
struct TextureViews {
    float3 row[kMaxTextureViews];
    int count;
    int firstLine;
};

__device__ __forceinline__ float pixelAt(const float3& row, float x, float y) {
    return fmaf(row.x, x, fmaf(row.y, y, row.z));
}

__device__ __forceinline__ float lineOf(const TextureViews& views, int s) {
    return static_cast<float>(views.firstLine + s) + 0.5F;
}

template <class Texel>
__global__ void __launch_bounds__(kThreads)
    standardKernel(const TextureViews views, const cudaTextureObject_t texture,
                   const ConeSlab slab) {
    const int i = static_cast<int>(blockIdx.x * kSide + threadIdx.x);
    const int j = static_cast<int>(blockIdx.y * kSide + threadIdx.y);
    const int layer = static_cast<int>(blockIdx.z);
    const auto x = static_cast<float>(i);
    const auto y = static_cast<float>(j);
    SliceSums<Texel::kSlices> sums;
#pragma unroll 4
    for (int s = 0; s < views.count; ++s)
        Texel::add(sums, texture, pixelAt(views.row[s], x, y), lineOf(views, s), layer);
    addToSlab(slab, i, j, layer * Texel::kSlices, sums);
}

// Threads 0 to 15 take a square of 4 × 4 voxels, threads 0 to 63 four squares along x; the four
// such groups take every fourth view. In four steps upwards the squares make 16 × 16 voxels.
template <class Texel>
__global__ void __launch_bounds__(kThreads)
    optimisedKernel(const TextureViews views, const cudaTextureObject_t texture,
                    const ConeSlab slab) {
    constexpr int kTurns = 4;
    constexpr int kParts = 4;
    __shared__ float partial[kParts][kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    const int2 inSquare = zOrder(thread & 15);
    const int i = static_cast<int>(blockIdx.x) * kSide + (thread >> 4 & 3) * 4 + inSquare.x;
    const int j = static_cast<int>(blockIdx.y) * kSide + inSquare.y;
    const int part = thread >> 6;
    const int layer = static_cast<int>(blockIdx.z);
    const auto x = static_cast<float>(i);
    const auto y = static_cast<float>(j);
    SliceSums<Texel::kSlices> sums[kTurns];
    for (int s = part; s < views.count; s += kParts) {
        const float3 row = views.row[s];
        const float u = pixelAt(row, x, y);
        const float line = lineOf(views, s);
#pragma unroll
        for (int turn = 0; turn < kTurns; ++turn)
            Texel::add(sums[turn], texture, fmaf(row.y, static_cast<float>(4 * turn), u), line,
                       layer);
    }
    // Each thread then adds up the four parts of one voxel.
    SliceSums<Texel::kSlices> sum;
#pragma unroll
    for (int k = 0; k < Texel::kSlices; ++k) {
        __syncthreads();
#pragma unroll
        for (int turn = 0; turn < kTurns; ++turn)
            partial[part][turn * 64 + (thread & 63)] = sums[turn].of[k];
        __syncthreads();
#pragma unroll
        for (int of = 0; of < kParts; ++of)
            sum.of[k] += partial[of][thread];
    }
    addToSlab(slab, i, j + 4 * part, layer * Texel::kSlices, sum);
}

template <class Texel>
cudaError_t launch(const TextureViews& views, cudaTextureObject_t texture, TextureMapping mapping,
                   const ConeSlab& slab, cudaStream_t stream) {
    const dim3 grid(partsOf(slab.nX, kSide), partsOf(slab.nY, kSide),
                    partsOf(slab.nZ, Texel::kSlices));
    if (mapping == TextureMapping::standard)
        standardKernel<Texel><<<grid, dim3(kSide, kSide), 0, stream>>>(views, texture, slab);
    else
        optimisedKernel<Texel><<<grid, kThreads, 0, stream>>>(views, texture, slab);
    return cudaGetLastError();
}

}  // namespace

cudaError_t addParallelTexture(const ParallelView* views, int count, int firstLine,
                               const SliceTexture& texture, TextureMapping mapping,
                               const ConeSlab& slab, cudaStream_t stream) {
    TextureViews rows{};
    rows.count = count;
    rows.firstLine = firstLine;
    for (int s = 0; s < count; ++s)
        rows.row[s] = {static_cast<float>(views[s].a), static_cast<float>(views[s].b),
                       static_cast<float>(views[s].c)};
    if (texture.forged) return launch<ForgedTexel>(rows, texture.texture, mapping, slab, stream);
    switch (texture.texel) {
        case SliceTexel::one:
            return launch<FloatTexel>(rows, texture.texture, mapping, slab, stream);
        case SliceTexel::two:
            return launch<Float2Texel>(rows, texture.texture, mapping, slab, stream);
        case SliceTexel::halfFour:
            return launch<Half4Texel>(rows, texture.texture, mapping, slab, stream);
    }
    return cudaErrorInvalidValue;
}

}  // namespace gantry::gpu
