#include "gpu/kernels/mirror_texture.h"

#include <cmath>
#include <cstdint>

#include "gpu/kernels/local_view.h"

namespace gantry::gpu {

namespace {

// At least. Where it is not said, the compiler moves registers to memory so that more fit.
constexpr int kBlocksPerUnit = 1;

// Texture units take the longer the farther apart a warp's neighbouring lanes read. So warps stand
// along the axis of the volume along which the batch's shadows move less across the detector.
enum class Warps { alongX, alongY };

constexpr int kLanes = 32;
constexpr int kWarps = 8;  // of a block, one beside another
constexpr int kThreads = kLanes * kWarps;
constexpr int kFetches = 8;  // slices of a thread, or pairs of them

// A view's matrix for texture coordinates, counted from the middle of the slab's lowest slice. That
// is near enough for fractions of 8 bits, and lets the matrices be constants of the launch.
struct TextureView {
    float4 u;  // the fourth: column at the middle, as coordinate
    float4 z;  // the fourth: row at the middle, likewise
    float4 v;  // the fourth: rows a voxel, times depth
};

struct TextureBatch {
    TextureView views[kMostViews];
    int count;
    float middleI;
    float middleJ;
};

TextureBatch textureBatch(const ConeBatch& batch, const ConeSlab& slab, int firstRow) {
    TextureBatch result{};
    const int i = slab.nX / 2;
    const int j = slab.nY / 2;
    for (int s = 0; s < batch.views; ++s) {
        const LocalView view = localView(batch.m[s], i, j, 0);
        // A pixel's middle is half a pixel after the whole number in texture coordinates.
        const float column = view.column + 0.5F;
        const float row = view.row - static_cast<float>(firstRow) + 0.5F;
        result.views[s] = {{view.u.x, view.u.y, view.u.w, column},
                           {view.z.x, view.z.y, view.z.w, row},
                           {view.v.x, view.v.y, view.v.w, view.v.z}};
    }
    result.count = batch.views;
    result.middleI = static_cast<float>(i);
    result.middleJ = static_cast<float>(j);
    return result;
}

// What one thread's voxels have in common in one view: where slice 0 lies in the texture, how rows
// rise from there, and the weight.
struct Line {
    float u;
    float v;
    float step;
    float weight;
};

__device__ __forceinline__ Line lineOf(const TextureView& view, float i, float j) {
    const float z = fmaf(view.z.x, i, fmaf(view.z.y, j, view.z.z));
    const float reciprocal = z > kLeastDepthMm ? nearReciprocal(z) : 0;
    const float u = fmaf(view.u.x, i, fmaf(view.u.y, j, view.u.z));
    const float v = fmaf(view.v.x, i, fmaf(view.v.y, j, view.v.z));
    return {fmaf(u, reciprocal, view.u.w), fmaf(v, reciprocal, view.z.w), view.v.w * reciprocal,
            reciprocal * reciprocal};
}

template <class Value>
struct Sums;

template <>
struct Sums<float2> {
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
    float here = 0;
    __device__ __forceinline__ void add(float weight, float value) {
        here = fmaf(weight, value, here);
    }
    __device__ __forceinline__ float get(int) const { return here; }
};

// The slices that threads go through: where values are pairs, mirror images come with the others.
template <class Value>
__host__ __device__ int slicesOf(const ConeSlab& slab) {
    return sizeof(Value) == sizeof(float2) ? (slab.nZ + 1) / 2 : slab.nZ;
}

// The slice of a thread's sum p, of which those after the first kFetches are mirrored; -1: none.
template <class Value>
__device__ __forceinline__ int sliceOf(const ConeSlab& slab, int k0, int p) {
    const int k = k0 + p % kFetches;
    if (k >= slicesOf<Value>(slab)) return -1;
    if (p < kFetches) return k;
    const int back = slab.nZ - 1 - k;  // the middle slice is its own mirror image
    return back != k ? back : -1;
}

// Adds what a block's threads hold. Warps along y first turn it through shared memory, so that
// whole sectors of the slab's lines are touched.
template <Warps warps, class Value>
__device__ __forceinline__ void storeSums(const ConeSlab& slab, int k0,
                                          Sums<Value> (&sums)[kFetches]) {
    constexpr bool kTurn = warps == Warps::alongY;
    constexpr int kSums = sizeof(Value) / sizeof(float) * kFetches;
    const auto thread = static_cast<int>(threadIdx.x);
    const int x = thread % (kTurn ? kWarps : kLanes);
    const int y = thread / (kTurn ? kWarps : kLanes);
    float all[kSums];
#pragma unroll
    for (int p = 0; p < kSums; ++p)
        all[p] = sums[p % kFetches].get(p / kFetches);
    if constexpr (kTurn) {
        __shared__ float turned[kSums][kLanes][kWarps + 1];
#pragma unroll
        for (int p = 0; p < kSums; ++p)
            turned[p][thread % kLanes][thread / kLanes] = all[p];
        __syncthreads();
#pragma unroll
        for (int p = 0; p < kSums; ++p)
            all[p] = turned[p][y][x];
    }
    const int i = static_cast<int>(blockIdx.x) * (kTurn ? kWarps : kLanes) + x;
    const int j = static_cast<int>(blockIdx.y) * (kTurn ? kLanes : kWarps) + y;
    if (i >= slab.nX || j >= slab.nY) return;
    const std::int64_t slice = static_cast<std::int64_t>(slab.nX) * slab.nY;
    float* column = slab.voxels + static_cast<std::int64_t>(j) * slab.nX + i;
#pragma unroll
    for (int p = 0; p < kSums; ++p)
        if (const int k = sliceOf<Value>(slab, k0, p); k >= 0) column[k * slice] += all[p];
}

template <Warps warps, class Value>
__global__ void __launch_bounds__(kThreads, kBlocksPerUnit)
    mirrorTextureKernel(const TextureBatch batch, const ConeSlab slab,
                        const cudaTextureObject_t texture) {
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
    const int warp = static_cast<int>(threadIdx.x) / kLanes;
    const auto blockX = static_cast<int>(blockIdx.x);
    const auto blockY = static_cast<int>(blockIdx.y);
    const int i = warps == Warps::alongX ? blockX * kLanes + lane : blockX * kWarps + warp;
    const int j = warps == Warps::alongX ? blockY * kWarps + warp : blockY * kLanes + lane;
    const int k0 = static_cast<int>(blockIdx.z) * kFetches;
    const float fromI = static_cast<float>(i) - batch.middleI;
    const float fromJ = static_cast<float>(j) - batch.middleJ;
    const auto fromK = static_cast<float>(k0);
    Sums<Value> sums[kFetches];
#pragma unroll 1
    for (int s = 0; s < batch.count; ++s) {
        const Line line = lineOf(batch.views[s], fromI, fromJ);
        const float v0 = fmaf(fromK, line.step, line.v);
#pragma unroll
        for (int p = 0; p < kFetches; ++p) {
            const float v = fmaf(static_cast<float>(p), line.step, v0);
            sums[p].add(line.weight, tex2DLayered<Value>(texture, line.u, v, s));
        }
    }
    storeSums<warps>(slab, k0, sums);
}

// By the view in the middle of the batch.
Warps warpsOf(const ConeBatch& batch, const ConeSlab& slab) {
    const auto& m = batch.m[batch.views / 2];
    const double i = slab.nX / 2.0;
    const double j = slab.nY / 2.0;
    const double depth = m[2][0] * i + m[2][1] * j + m[2][3];
    const double u = (m[0][0] * i + m[0][1] * j + m[0][3]) / depth;
    const double alongX = std::abs(m[0][0] - u * m[2][0]);
    const double alongY = std::abs(m[0][1] - u * m[2][1]);
    return alongX <= alongY ? Warps::alongX : Warps::alongY;
}

template <class Value>
void launch(const ConeBatch& batch, const ConeSlab& slab, const FilteredTexture& views,
            cudaStream_t stream) {
    const auto parts = [](int n, int size) { return static_cast<unsigned>((n + size - 1) / size); };
    const bool isAlongX = warpsOf(batch, slab) == Warps::alongX;
    const dim3 blocks(parts(slab.nX, isAlongX ? kLanes : kWarps),
                      parts(slab.nY, isAlongX ? kWarps : kLanes),
                      parts(slicesOf<Value>(slab), kFetches));
    const TextureBatch constants = textureBatch(batch, slab, views.firstRow);
    auto* const kernel = isAlongX ? mirrorTextureKernel<Warps::alongX, Value>
                                  : mirrorTextureKernel<Warps::alongY, Value>;
    kernel<<<blocks, kThreads, 0, stream>>>(constants, slab, views.texture);
}

}  // namespace

void addMirrorTexture(const ConeBatch& batch, const ConeSlab& slab, const FilteredTexture& views,
                      cudaStream_t stream) {
    if (views.mirrored)
        launch<float2>(batch, slab, views, stream);
    else
        launch<float>(batch, slab, views, stream);
}

}  // namespace gantry::gpu
