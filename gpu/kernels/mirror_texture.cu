#include "gpu/kernels/mirror_texture.h"

#include <cstdint>

#include "gpu/kernels/block_order.cuh"
#include "gpu/kernels/local_view.h"

namespace gantry::gpu {

namespace {

constexpr int kLanes = 32;

// Warps of 32 voxels along x, one above another along y; each thread has `fetches` slices.
template <int y, int fetches>
struct AlongX {
    static constexpr bool kZFastest = false;
    static constexpr int kX = kLanes;
    static constexpr int kY = y;
    static constexpr int kZ = fetches;
    static constexpr int kFetches = fetches;
    static constexpr int kThreads = kLanes * y;
};

// Warps of 32 voxels along z: whatever the view's angle, they read a line of the detector's column.
// A block has x × y columns; each warp takes `columns` neighbours along x, and each thread there
// every 32nd slice, `fetches` of them.
template <int x, int y, int columns, int fetches>
struct AlongZ {
    static constexpr bool kZFastest = true;
    static constexpr int kX = x;
    static constexpr int kY = y;
    static constexpr int kZ = kLanes * fetches;
    static constexpr int kColumns = columns;
    static constexpr int kFetches = fetches;
    static constexpr int kThreads = x * y / columns * kLanes;
    static_assert(x % columns == 0, "a warp's columns are neighbours");
};

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
};

template <>
struct Sums<float> {
    float here = 0;
    __device__ __forceinline__ void add(float weight, float value) {
        here = fmaf(weight, value, here);
    }
};

// The slices that threads go through: where values are pairs, mirror images come with the others.
template <class Value>
__host__ __device__ int slicesOf(const ConeSlab& slab) {
    return sizeof(Value) == sizeof(float2) ? (slab.nZ + 1) / 2 : slab.nZ;
}

// Slices p, of which there are `fetches`, are k0 + p·apart. stride: floats from slice to slice.
template <int fetches, int apart, class Value>
__device__ __forceinline__ void storeSums(const ConeSlab& slab, float* column, std::int64_t stride,
                                          int k0, const Sums<Value> (&sums)[fetches]) {
    const int end = slicesOf<Value>(slab);
#pragma unroll
    for (int p = 0; p < fetches; ++p) {
        const int k = k0 + p * apart;
        if (k >= end) break;
        column[k * stride] += sums[p].here;
        if constexpr (sizeof(Value) == sizeof(float2)) {
            const int back = slab.nZ - 1 - k;  // the middle slice is its own mirror image
            if (back != k) column[back * stride] += sums[p].mirrored;
        }
    }
}

template <class S, class Value>
__global__ void __launch_bounds__(S::kThreads)
    alongXKernel(const TextureBatch batch, const ConeSlab slab, const cudaTextureObject_t texture) {
    const int i = static_cast<int>(blockIdx.x) * S::kX + static_cast<int>(threadIdx.x) % kLanes;
    const int j = static_cast<int>(blockIdx.y) * S::kY + static_cast<int>(threadIdx.x) / kLanes;
    const int k0 = static_cast<int>(blockIdx.z) * S::kZ;
    const float fromI = static_cast<float>(i) - batch.middleI;
    const float fromJ = static_cast<float>(j) - batch.middleJ;
    const auto fromK = static_cast<float>(k0);
    Sums<Value> sums[S::kFetches];
#pragma unroll 1
    for (int s = 0; s < batch.count; ++s) {
        const Line line = lineOf(batch.views[s], fromI, fromJ);
        const float v0 = fmaf(fromK, line.step, line.v);
#pragma unroll
        for (int p = 0; p < S::kFetches; ++p) {
            const float v = fmaf(static_cast<float>(p), line.step, v0);
            sums[p].add(line.weight, tex2DLayered<Value>(texture, line.u, v, s));
        }
    }
    if (i >= slab.nX || j >= slab.nY) return;
    const std::int64_t slice = static_cast<std::int64_t>(slab.nX) * slab.nY;
    float* column = slab.voxels + static_cast<std::int64_t>(j) * slab.nX + i;
    storeSums<S::kFetches, 1>(slab, column, slice, k0, sums);
}

template <class S, class Value>
__global__ void __launch_bounds__(S::kThreads)
    alongZKernel(const TextureBatch batch, const ConeSlab slab, const cudaTextureObject_t texture) {
    const BlockPlace block = groupedBlock();
    const int first = static_cast<int>(threadIdx.x) / kLanes * S::kColumns;
    const int i = block.x * S::kX + first % S::kX;
    const int j = block.y * S::kY + first / S::kX;
    const int k0 = block.z * S::kZ + static_cast<int>(threadIdx.x) % kLanes;
    if (i >= slab.nX || j >= slab.nY) return;
    const float fromI = static_cast<float>(i) - batch.middleI;
    const float fromJ = static_cast<float>(j) - batch.middleJ;
    const auto fromK = static_cast<float>(k0);
    Sums<Value> sums[S::kColumns][S::kFetches];
#pragma unroll 1
    for (int s = 0; s < batch.count; ++s) {
#pragma unroll
        for (int c = 0; c < S::kColumns; ++c) {
            const Line line = lineOf(batch.views[s], fromI + static_cast<float>(c), fromJ);
            const float v0 = fmaf(fromK, line.step, line.v);
#pragma unroll
            for (int p = 0; p < S::kFetches; ++p) {
                const float v = fmaf(static_cast<float>(p * kLanes), line.step, v0);
                sums[c][p].add(line.weight, tex2DLayered<Value>(texture, v, line.u, s));
            }
        }
    }
    float* column = slab.voxels + (static_cast<std::int64_t>(j) * slab.nX + i) * slab.nZ;
#pragma unroll
    for (int c = 0; c < S::kColumns; ++c, column += slab.nZ)
        if (i + c < slab.nX) storeSums<S::kFetches, kLanes>(slab, column, 1, k0, sums[c]);
}

int parts(int n, int size) {
    return (n + size - 1) / size;
}

// Value: what a fetch gives.
template <class S, class Value>
void launch(const ConeBatch& batch, const ConeSlab& slab, const FilteredTexture& views,
            cudaStream_t stream) {
    const TextureBatch constants = textureBatch(batch, slab, views.firstRow);
    const int x = parts(slab.nX, S::kX);
    const int y = parts(slab.nY, S::kY);
    const int z = parts(slicesOf<Value>(slab), S::kZ);
    if constexpr (S::kZFastest) {
        const dim3 blocks = groupedGrid(x, y, z);
        alongZKernel<S, Value><<<blocks, S::kThreads, 0, stream>>>(constants, slab, views.texture);
    } else {
        const dim3 blocks(static_cast<unsigned>(x), static_cast<unsigned>(y),
                          static_cast<unsigned>(z));
        alongXKernel<S, Value><<<blocks, S::kThreads, 0, stream>>>(constants, slab, views.texture);
    }
}

// Of shapes given by falling numbers of fetches, the first that leaves the fewest slices idle.
template <class Value, class... S>
void launchBest(const ConeBatch& batch, const ConeSlab& slab, const FilteredTexture& views,
                cudaStream_t stream) {
    using Launch =
        void (*)(const ConeBatch&, const ConeSlab&, const FilteredTexture&, cudaStream_t);
    constexpr Launch kLaunches[] = {launch<S, Value>...};
    constexpr int kSlices[] = {S::kZ...};
    const int nZ = slicesOf<Value>(slab);
    const auto covered = [nZ](int slices) { return parts(nZ, slices) * slices; };
    unsigned best = 0;
    for (unsigned shape = 1; shape < sizeof...(S); ++shape)
        if (covered(kSlices[shape]) < covered(kSlices[best])) best = shape;
    kLaunches[best](batch, slab, views, stream);
}

template <class... S>
void add(const ConeBatch& batch, const ConeSlab& slab, const FilteredTexture& views,
         cudaStream_t stream) {
    if (views.mirrored)
        launchBest<float2, S...>(batch, slab, views, stream);
    else
        launchBest<float, S...>(batch, slab, views, stream);
}

struct Variant {
    void (*add)(const ConeBatch&, const ConeSlab&, const FilteredTexture&, cudaStream_t);
    bool zFastest;
};

template <int x, int y, int columns, int fetches>
constexpr Variant alongZ() {
    return {add<AlongZ<x, y, columns, fetches>, AlongZ<x, y, columns, fetches * 3 / 4>,
                AlongZ<x, y, columns, fetches / 2>>,
            true};
}

constexpr Variant kVariants[] = {
    {add<AlongX<8, 8>>, false}, alongZ<4, 2, 1, 8>(), alongZ<4, 4, 1, 8>(),
    alongZ<4, 4, 2, 4>(),       alongZ<8, 4, 2, 4>(),
};

}  // namespace

void addMirrorTexture(int variant, const ConeBatch& batch, const ConeSlab& slab,
                      const FilteredTexture& views, cudaStream_t stream) {
    kVariants[variant].add(batch, slab, views, stream);
}

bool mirrorTextureIsZFastest(int variant) {
    return kVariants[variant].zFastest;
}

int mirrorTextureVariants() {
    return static_cast<int>(sizeof(kVariants) / sizeof(kVariants[0]));
}

}  // namespace gantry::gpu
