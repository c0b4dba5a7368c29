#include "gpu/kernels/mirror_texture.h"

#include <cstdint>

#include "gpu/kernels/parts.h"
#include "gpu/kernels/tile/block_order.h"
#include "gpu/kernels/tile/local_view.h"

namespace gantry::gpu {

namespace {

// A block of threads takes a square of voxel columns, two slices of each at a time. Texture units
// serve four neighbouring warp lanes at once, and are slower the farther apart these read: so four
// lanes are two columns by two slices, which are near each other at any angle of view. A block
// reads a small window of a view, narrow at any angle, that stays in the level 1 cache.
constexpr int kThreads = 512;
constexpr int kBlocksPerUnit = 2;  // min., so that enough fetches are under way
constexpr int kDeep = 2;           // slices
constexpr int kColumns = 16;       // along x and along y
static_assert(kColumns * kColumns * kDeep == kThreads);
constexpr int kFetches = 8;                // fetches of a thread in each view
constexpr int kSlices = kDeep * kFetches;  // slices, or pairs of them, that a block goes through

// A view's matrix for texture coordinates, relative to the middle of the slab's lowest slice. This
// is near enough for fractions of 8 bits, and lets the matrices be constants of the launch.
struct TextureView {
    float4 u;  // .w: texture coordinate of the column at the middle
    float4 z;  // .w: texture coordinate of the row at the middle
    float4 v;  // .w: rows a voxel, times depth
};

struct TextureBatch {
    TextureView views[kMaxMirrorViews];
    int count;
    float middleI;
    float middleJ;
};

static_assert(sizeof(TextureBatch) + sizeof(ConeSlab) + sizeof(cudaTextureObject_t) <= 4096,
              "what a launch takes as arguments");

void append(TextureBatch& result, const ConeBatch& batch, const ConeSlab& slab, int firstRow) {
    const int i = slab.nX / 2;
    const int j = slab.nY / 2;
    for (int s = 0; s < batch.views; ++s) {
        const LocalView view = localView(batch.m[s], i, j, 0);
        // In texture coordinates a pixel's centre lies half a pixel after the whole number.
        const float column = view.column + 0.5F;
        const float row = view.row - static_cast<float>(firstRow) + 0.5F;
        result.views[result.count++] = {{view.u.x, view.u.y, view.u.w, column},
                                        {view.z.x, view.z.y, view.z.w, row},
                                        {view.v.x, view.v.y, view.v.w, view.v.z}};
    }
    result.middleI = static_cast<float>(i);
    result.middleJ = static_cast<float>(j);
}

// What a thread's voxels share in one view: where slice 0 lies in the texture, how rows rise from
// there, and the weight.
struct Line {
    float u;
    float v;
    float step;
    float weight;
};

__device__ __forceinline__ Line lineOf(const TextureView& view, float i, float j) {
    const float z = fmaf(view.z.x, i, fmaf(view.z.y, j, view.z.z));
    const float reciprocal = z > kMinDepthMm ? nearReciprocal(z) : 0;
    const float u = fmaf(view.u.x, i, fmaf(view.u.y, j, view.u.z));
    const float v = fmaf(view.v.x, i, fmaf(view.v.y, j, view.v.z));
    return {fmaf(u, reciprocal, view.u.w), fmaf(v, reciprocal, view.z.w), view.v.w * reciprocal,
            reciprocal * reciprocal};
}

template <class Value>
struct Sums;

template <>
struct Sums<float2> {
    static constexpr int kParts = 2;
    float here = 0;
    float mirrored = 0;
    __device__ __forceinline__ void add(float weight, const float2& value) {
        here = fmaf(weight, value.x, here);
        mirrored = fmaf(weight, value.y, mirrored);
    }
    __device__ __forceinline__ float get(int part) const { return part == 0 ? here : mirrored; }
};

template <>
struct Sums<float> {
    static constexpr int kParts = 1;
    float here = 0;
    __device__ __forceinline__ void add(float weight, float value) {
        here = fmaf(weight, value, here);
    }
    __device__ __forceinline__ float get(int) const { return here; }
};

// The number of slices that threads go through; with pairs, mirror images come with the others.
template <class Value>
__host__ __device__ int slicesOf(const ConeSlab& slab) {
    return Sums<Value>::kParts == 2 ? (slab.nZ + 1) / 2 : slab.nZ;
}

// A thread's column and the lowest of its slices; the others follow kDeep apart.
struct Place {
    int i;
    int j;
    int k;
};

template <class Value>
__host__ __device__ BlockCounts blockCounts(const ConeSlab& slab) {
    return {partsOf(slab.nX, kColumns), partsOf(slab.nY, kColumns),
            partsOf(slicesOf<Value>(slab), kSlices)};
}

template <class Value>
__device__ __forceinline__ Place placeOfThread(const ConeSlab& slab) {
    const BlockPlace block = blockAt(blockCounts<Value>(slab), static_cast<int>(blockIdx.x));
    const auto thread = static_cast<int>(threadIdx.x);
    const int four = thread / 4;
    return {block.x * kColumns + four % (kColumns / 2) * 2 + thread % 2,
            block.y * kColumns + four / (kColumns / 2), block.z * kSlices + thread / 2 % 2};
}

// Neighbouring blocks share cache lines of the slab, and the lines next to a block's part are
// needed soon: so they are prefetched.
__device__ __forceinline__ float loadWithNeighbours(const float* voxel) {
#if __CUDA_ARCH__ >= 800
    float value;
    asm volatile("ld.global.L2::256B.f32 %0, [%1];" : "=f"(value) : "l"(voxel) : "memory");
    return value;
#else
    return *voxel;
#endif
}

// Adds a thread's sums to the slab: slices go up from the lowest one, and their mirror images down
// from the highest.
template <class Value>
__device__ __forceinline__ void storeSums(const ConeSlab& slab, const Place& at,
                                          const Sums<Value> (&sums)[kFetches]) {
    if (at.i >= slab.nX || at.j >= slab.nY) return;
    const std::int64_t slice = static_cast<std::int64_t>(slab.nX) * slab.nY;
    float* column = slab.voxels + static_cast<std::int64_t>(at.j) * slab.nX + at.i;
#pragma unroll
    for (int part = 0; part < Sums<Value>::kParts; ++part) {
        // The compiler moves no load before a store, so all loads come first.
        float* voxels[kFetches];
        float before[kFetches];
#pragma unroll
        for (int p = 0; p < kFetches; ++p) {
            const int k = at.k + p * kDeep;
            const int mirrored = slab.nZ - 1 - k;  // the middle slice is its own mirror image
            const bool exists = k < slicesOf<Value>(slab) && (part == 0 || mirrored != k);
            voxels[p] = exists ? column + (part == 0 ? k : mirrored) * slice : nullptr;
            before[p] = exists ? loadWithNeighbours(voxels[p]) : 0;
        }
#pragma unroll
        for (int p = 0; p < kFetches; ++p)
            if (voxels[p]) *voxels[p] = before[p] + sums[p].get(part);
    }
}

template <class Value>
__global__ void __launch_bounds__(kThreads, kBlocksPerUnit)
    mirrorTextureKernel(const TextureBatch batch, const ConeSlab slab,
                        const cudaTextureObject_t texture) {
    const Place at = placeOfThread<Value>(slab);
    const float fromI = static_cast<float>(at.i) - batch.middleI;
    const float fromJ = static_cast<float>(at.j) - batch.middleJ;
    const auto fromK = static_cast<float>(at.k);
    Sums<Value> sums[kFetches];
#pragma unroll 1
    for (int s = 0; s < batch.count; ++s) {
        const Line line = lineOf(batch.views[s], fromI, fromJ);
        const float v0 = fmaf(fromK, line.step, line.v);
#pragma unroll
        for (int p = 0; p < kFetches; ++p) {
            const float v = fmaf(static_cast<float>(p * kDeep), line.step, v0);
            sums[p].add(line.weight, tex2DLayered<Value>(texture, line.u, v, s));
        }
    }
    storeSums(slab, at, sums);
}

template <class Value>
void launch(const ConeBatch* batches, int count, const ConeSlab& slab, const FilteredTexture& views,
            cudaStream_t stream) {
    TextureBatch all{};
    for (int i = 0; i < count; ++i)
        append(all, batches[i], slab, views.firstRow);
    mirrorTextureKernel<Value>
        <<<blockCounts<Value>(slab).all(), kThreads, 0, stream>>>(all, slab, views.texture);
}

}  // namespace

void addMirrorTexture(const ConeBatch* batches, int count, const ConeSlab& slab,
                      const FilteredTexture& views, cudaStream_t stream) {
    if (views.mirrored)
        launch<float2>(batches, count, slab, views, stream);
    else
        launch<float>(batches, count, slab, views, stream);
}

}  // namespace gantry::gpu
