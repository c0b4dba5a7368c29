#include "gpu/kernels/parallel/parallel_kernels.h"

#include <cuda_fp16.h>

#include <cmath>

#include "gpu/kernels/parallel/parallel_tile.cuh"
#include "gpu/kernels/parts.h"
#include "gpu/kernels/tile/tile_barrier.cuh"

namespace gantry::gpu {

namespace {

constexpr int kThreads = 256;
constexpr int kStageViews = 8;
constexpr unsigned kPixelBytes = sizeof(uint4);
constexpr int kPatch = 4;  // voxels of a thread: (0,0), (1,0), (0,1), (1,1) of x and y

constexpr int kThinSlices = 8;

static_assert(kMaxViews % kStageViews == 0, "views of a stage have one scale");

// A voxel's step may exceed a pixel by this, for rounding.
constexpr double kSlack = 1e-6;

// Weights of the pixels that a patch touches, from its lowest one on. A voxel's two pixels lie at
// one of a few places; the other weights are 0.
struct PatchWeights {
    float low[2];   // the voxel of the lowest place: pixels 0 and 1
    float a[3];     // one step along x: 0 to 2
    float b[3];     // one along y
    float high[4];  // both: 1 to 3, where steps add up to a pixel; else 0 to 3
};

__device__ __forceinline__ void tent(float fromMiddle, float (&weights)[3]) {
    weights[0] = __saturatef(-fromMiddle);
    weights[1] = 1 - fabsf(fromMiddle);
    weights[2] = __saturatef(fromMiddle);
}

template <bool fine>
__device__ __forceinline__ PatchWeights patchWeights(float share, float a, float b) {
    PatchWeights w;
    const float below = share - 1;
    w.low[0] = -below;
    w.low[1] = share;
    tent(below + a, w.a);
    tent(below + b, w.b);
    const float high = below + (a + b);
    if constexpr (fine) {
        w.high[0] = __saturatef(-high);
        w.high[1] = __saturatef(1 - fabsf(high));
        w.high[2] = __saturatef(1 - fabsf(high - 1));
        w.high[3] = __saturatef(high - 1);
    } else {
        float three[3];
        tent(high - 1, three);
        w.high[0] = 0;
        w.high[1] = three[0];
        w.high[2] = three[1];
        w.high[3] = three[2];
    }
    return w;
}

// Bytes from one word of slices to the next in a stage: [word][view][pixel].
constexpr int kWordBytes = kStageViews * kTilePixels * int{sizeof(uint4)};

// Fetches four pixels from an address on.
template <class Pixel>
__device__ __forceinline__ void fetchPixels(unsigned address, Pixel (&pixels)[4][4]) {
    static_assert(sizeof(pixels[0]) == sizeof(uint4), "a word");
    *reinterpret_cast<uint4*>(pixels[0]) = loadShared16<0>(address);
    *reinterpret_cast<uint4*>(pixels[1]) = loadShared16<16>(address);
    *reinterpret_cast<uint4*>(pixels[2]) = loadShared16<32>(address);
    *reinterpret_cast<uint4*>(pixels[3]) = loadShared16<48>(address);
}

// A thread's sums in fp32, from words of four slices.
template <int words>
struct ExactSums {
    static constexpr int kSlices = 4 * words;
    static constexpr int kWords = words;
    float sums[kPatch][kSlices] = {};

    // pixel: address of the patch's lowest one in the first word; down: y falls along the patch
    template <bool fine, bool down>
    __device__ __forceinline__ void add(unsigned pixel, const PatchWeights& w) {
        constexpr int kLow = down ? 2 : 0;
        constexpr int kA = down ? 3 : 1;
        constexpr int kB = down ? 0 : 2;
        constexpr int kHigh = down ? 1 : 3;
#pragma unroll
        for (int n = 0; n < words; ++n) {
            float q[4][4];
            fetchPixels(pixel + n * kWordBytes, q);
#pragma unroll
            for (int z = 0; z < 4; ++z) {
                const int k = 4 * n + z;
#pragma unroll
                for (int p = 0; p < 4; ++p) {
                    if (p < 2) sums[kLow][k] = fmaf(w.low[p], q[p][z], sums[kLow][k]);
                    if (p < 3) sums[kA][k] = fmaf(w.a[p], q[p][z], sums[kA][k]);
                    if (p < 3) sums[kB][k] = fmaf(w.b[p], q[p][z], sums[kB][k]);
                    if (fine || p > 0) sums[kHigh][k] = fmaf(w.high[p], q[p][z], sums[kHigh][k]);
                }
            }
        }
    }
    __device__ __forceinline__ void gather(const float* /*inverseScale*/) {}
    __device__ __forceinline__ float sum(int voxel, int k) const {
        return sums[voxel][k];
    }
};

// A thread's sums from words of eight half floats, added to floats every few views.
template <int words>
struct HalfSums {
    static constexpr int kSlices = 8 * words;
    static constexpr int kWords = words;
    float sums[kPatch][kSlices] = {};
    __half2 few[kPatch][kSlices / 2] = {};

    template <bool fine, bool down>
    __device__ __forceinline__ void add(unsigned pixel, const PatchWeights& w) {
        constexpr int kLow = down ? 2 : 0;
        constexpr int kA = down ? 3 : 1;
        constexpr int kB = down ? 0 : 2;
        constexpr int kHigh = down ? 1 : 3;
        // Converting in pairs is fast.
        const __half2 low = __floats2half2_rn(w.low[0], w.low[1]);
        const __half2 first = __floats2half2_rn(w.a[0], w.b[0]);
        const __half2 second = __floats2half2_rn(w.a[1], w.b[1]);
        const __half2 third = __floats2half2_rn(w.a[2], w.b[2]);
        const __half2 highBegin = __floats2half2_rn(w.high[0], w.high[1]);
        const __half2 highEnd = __floats2half2_rn(w.high[2], w.high[3]);
        const __half2 lows[2] = {__low2half2(low), __high2half2(low)};
        const __half2 a[3] = {__low2half2(first), __low2half2(second), __low2half2(third)};
        const __half2 b[3] = {__high2half2(first), __high2half2(second), __high2half2(third)};
        const __half2 high[4] = {__low2half2(highBegin), __high2half2(highBegin),
                                 __low2half2(highEnd), __high2half2(highEnd)};
#pragma unroll
        for (int n = 0; n < words; ++n) {
            __half2 q[4][4];
            fetchPixels(pixel + n * kWordBytes, q);
#pragma unroll
            for (int z = 0; z < 4; ++z) {
                const int k = 4 * n + z;
#pragma unroll
                for (int p = 0; p < 4; ++p) {
                    if (p < 2) few[kLow][k] = __hfma2(lows[p], q[p][z], few[kLow][k]);
                    if (p < 3) few[kA][k] = __hfma2(a[p], q[p][z], few[kA][k]);
                    if (p < 3) few[kB][k] = __hfma2(b[p], q[p][z], few[kB][k]);
                    if (fine || p > 0) few[kHigh][k] = __hfma2(high[p], q[p][z], few[kHigh][k]);
                }
            }
        }
    }
    __device__ __forceinline__ void gather(const float* inverseScale) {
        const float scale = *inverseScale;
#pragma unroll
        for (int voxel = 0; voxel < kPatch; ++voxel)
#pragma unroll
            for (int k = 0; k < kSlices / 2; ++k) {
                const float2 two = __half22float2(few[voxel][k]);
                sums[voxel][2 * k] = fmaf(scale, two.x, sums[voxel][2 * k]);
                sums[voxel][2 * k + 1] = fmaf(scale, two.y, sums[voxel][2 * k + 1]);
                few[voxel][k] = __half2(__half(0.0F), __half(0.0F));
            }
    }
    __device__ __forceinline__ float sum(int voxel, int k) const {
        return sums[voxel][k];
    }
};

// First voxel of a thread's patch in its tile. Eight threads whose 16-byte loads form one
// transaction lie on 4 × 2 patches: their pixels are at most eight neighbours, on different banks.
__device__ __forceinline__ int2 patchPlace() {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int x = (lane & 3) + ((lane >> 1) & 4) + 8 * (warp & 1);
    const int y = ((lane >> 2) & 1) + ((lane >> 3) & 2) + 4 * (warp >> 1);
    return {2 * x, 2 * y};
}

// Adds a thread's sums to the slab, a few slices at a time: all of them are read before the first
// is written, so that the reads wait for memory together.
template <class Sums>
__device__ __forceinline__ void store(const Sums& sums, const ConeSlab& slab, int x, int y,
                                      int k0) {
    constexpr int kAtOnce = 4;
    const std::int64_t slice = static_cast<std::int64_t>(slab.nX) * slab.nY;
    float* const first = slab.voxels + k0 * slice + static_cast<std::int64_t>(y) * slab.nX + x;
    const auto exists = [&](int k, int voxel) {
        return k0 + k < slab.nZ && x + voxel % 2 < slab.nX && y + voxel / 2 < slab.nY;
    };
    const auto at = [&](int k, int voxel) {
        return first + k * slice + voxel / 2 * slab.nX + voxel % 2;
    };
#pragma unroll
    for (int begin = 0; begin < Sums::kSlices; begin += kAtOnce) {
        float before[kAtOnce][kPatch];
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k)
#pragma unroll
            for (int voxel = 0; voxel < kPatch; ++voxel)
                before[k][voxel] = exists(begin + k, voxel) ? *at(begin + k, voxel) : 0;
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k)
#pragma unroll
            for (int voxel = 0; voxel < kPatch; ++voxel)
                if (exists(begin + k, voxel))
                    *at(begin + k, voxel) = sums.sum(voxel, begin + k) + before[k][voxel];
    }
}

// Starts the copies of a stage: [word][view][pixel].
template <int words>
__device__ __forceinline__ void fetchStage(const ParallelViews& views, const TileRow* rows,
                                           int firstWord, int first, int count, uint4* stage) {
    constexpr int kWordPixels = kStageViews * kTilePixels;
#pragma unroll
    for (int i = static_cast<int>(threadIdx.x); i < words * kWordPixels; i += kThreads) {
        const int word = i / kWordPixels;
        const int s = i / kTilePixels % kStageViews;
        if (first + s >= count) continue;
        const std::int64_t row =
            static_cast<std::int64_t>(firstWord + word) * views.room + first + s;
        __pipeline_memcpy_async(stage + i,
                                static_cast<const uint4*>(views.words) + row * views.columns() +
                                    rows[first + s].first + i % kTilePixels,
                                sizeof(uint4));
    }
    __pipeline_commit();
}

template <class Sums, bool fine, int blocks>
__global__ void __launch_bounds__(kThreads, blocks)
    stackKernel(const ParallelViews views, const int count, const ConeSlab slab, const int tilesX) {
    constexpr int kStage = Sums::kWords * kStageViews * kTilePixels;
    __shared__ TileRow rows[kMaxStackViews];
    extern __shared__ uint4 stages[];  // two stages
    const int tileX = static_cast<int>(blockIdx.x) % tilesX * kTileVoxels;
    const int tileY = static_cast<int>(blockIdx.x) / tilesX * kTileVoxels;
    const int firstWord = static_cast<int>(blockIdx.y) * Sums::kWords;
    for (int s = static_cast<int>(threadIdx.x); s < count; s += kThreads)
        rows[s] = tileRow(views.views[s], tileX, tileY, views.nU);
    __syncthreads();
    const int2 place = patchPlace();
    const auto x = static_cast<float>(place.x);
    const auto y = static_cast<float>(place.y);
    Sums sums;
    fetchStage<Sums::kWords>(views, rows, firstWord, 0, count, stages);
    int half = 0;
    for (int first = 0; first < count; first += kStageViews, half ^= 1) {
        __pipeline_wait_prior(0);
        __syncthreads();  // this stage has arrived, and the other one is no longer read
        if (first + kStageViews < count)
            fetchStage<Sums::kWords>(views, rows, firstWord, first + kStageViews, count,
                                     stages + (half ^ 1) * kStage);
        unsigned pixels = sharedAddress(stages + half * kStage) - kRowMagicBits * kPixelBytes;
        const int here = min(kStageViews, count - first);
#pragma unroll 1
        for (int s = 0; s < here; ++s, pixels += kTilePixels * kPixelBytes) {
            const TileRow row = rows[first + s];
            const bool down = row.b < 0;
            const float u = fmaf(row.a, x, fmaf(row.b, down ? y + 1 : y, row.c));
            const RowPlace at = rowPlace(u);
            const PatchWeights w = patchWeights<fine>(at.share, row.a, fabsf(row.b));
            const unsigned pixel = at.bits * kPixelBytes + pixels;
            if (down)
                sums.template add<fine, true>(pixel, w);
            else
                sums.template add<fine, false>(pixel, w);
        }
        sums.gather(views.inverseScale + first / kMaxViews);
    }
    store(sums, slab, tileX + place.x, tileY + place.y, firstWord * (Sums::kSlices / Sums::kWords));
}

// Adds one word of slices at one voxel, whatever its step.
template <bool half>
__global__ void __launch_bounds__(kThreads)
    coarseKernel(const ParallelViews views, const int count, const ConeSlab slab) {
    constexpr int kSlices = half ? 8 : 4;
    const int i = static_cast<int>(blockIdx.x) * 16 + static_cast<int>(threadIdx.x) % 16;
    const int j = static_cast<int>(blockIdx.y) * 16 + static_cast<int>(threadIdx.x) / 16;
    const int word = static_cast<int>(blockIdx.z);
    if (i >= slab.nX || j >= slab.nY) return;
    float sums[kSlices] = {};
    const auto* pixels = static_cast<const uint4*>(views.words) +
                         static_cast<std::int64_t>(word) * views.room * views.columns() +
                         kParallelBorder;
    for (int s = 0; s < count; ++s, pixels += views.columns()) {
        const ParallelView view = views.views[s];
        const double u =
            fma(view.a, static_cast<double>(i), fma(view.b, static_cast<double>(j), view.c));
        if (!(u > -1 && u < views.nU)) continue;
        const double whole = floor(u);
        const auto share = static_cast<float>(u - whole);
        const uint4* pixel = pixels + static_cast<int>(whole);
        if constexpr (half) {
            const float scale = views.inverseScale[s / kMaxViews];
            __half2 q[2][4];
            *reinterpret_cast<uint4*>(q[0]) = __ldg(pixel);
            *reinterpret_cast<uint4*>(q[1]) = __ldg(pixel + 1);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const float2 near = __half22float2(q[0][k]);
                const float2 far = __half22float2(q[1][k]);
                sums[2 * k] += scale * fmaf(share, far.x - near.x, near.x);
                sums[2 * k + 1] += scale * fmaf(share, far.y - near.y, near.y);
            }
        } else {
            float q[2][4];
            *reinterpret_cast<uint4*>(q[0]) = __ldg(pixel);
            *reinterpret_cast<uint4*>(q[1]) = __ldg(pixel + 1);
#pragma unroll
            for (int k = 0; k < 4; ++k)
                sums[k] += fmaf(share, q[1][k] - q[0][k], q[0][k]);
        }
    }
    for (int k = 0; k < kSlices && word * kSlices + k < slab.nZ; ++k)
        slab.voxels[(static_cast<std::int64_t>(word * kSlices + k) * slab.nY + j) * slab.nX + i] +=
            sums[k];
}

template <class Sums, bool fine, int blocks>
cudaError_t launchTiles(const ParallelViews& views, int count, const ConeSlab& slab,
                        cudaStream_t stream) {
    const int tilesX = partsOf(slab.nX, kTileVoxels);
    const dim3 grid(static_cast<unsigned>(tilesX * partsOf(slab.nY, kTileVoxels)),
                    static_cast<unsigned>(partsOf(slab.nZ, Sums::kSlices)));
    constexpr int kBytes = 2 * Sums::kWords * kStageViews * kTilePixels * int{sizeof(uint4)};
    const cudaError_t allowed = cudaFuncSetAttribute(
        stackKernel<Sums, fine, blocks>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
    if (allowed != cudaSuccess) return allowed;
    stackKernel<Sums, fine, blocks><<<grid, kThreads, kBytes, stream>>>(views, count, slab, tilesX);
    return cudaGetLastError();
}

template <class Sums, int blocks>
cudaError_t launchForm(const ParallelViews& views, int count, bool isFine, const ConeSlab& slab,
                       cudaStream_t stream) {
    return isFine ? launchTiles<Sums, true, blocks>(views, count, slab, stream)
                  : launchTiles<Sums, false, blocks>(views, count, slab, stream);
}

}  // namespace

StackForm stackForm(const ParallelBatch& batch) {
    StackForm form = StackForm::square;
    for (int s = 0; s < batch.views; ++s) {
        const double a = std::abs(batch.view[s].a);
        const double b = std::abs(batch.view[s].b);
        if (!(a <= 1 + kSlack && b <= 1 + kSlack)) return StackForm::coarse;
        // A tile fits only if the last patch's four pixels are within the footprint.
        if (!((kTileVoxels - 2) * (a + b) + 1 + 4 < kTilePixels)) return StackForm::coarse;
        if (a + b < 1 - kSlack) form = StackForm::fine;
    }
    return form;
}

cudaError_t addParallelStack(const ParallelViews& views, int count, StackForm form,
                             const ConeSlab& slab, cudaStream_t stream) {
    const bool half = views.word == SliceWord::halfEight;
    if (form == StackForm::coarse) {
        const dim3 grid(partsOf(slab.nX, 16), partsOf(slab.nY, 16), partsOf(slab.nZ, half ? 8 : 4));
        if (half)
            coarseKernel<true><<<grid, kThreads, 0, stream>>>(views, count, slab);
        else
            coarseKernel<false><<<grid, kThreads, 0, stream>>>(views, count, slab);
        return cudaGetLastError();
    }
    // Sixteen slices a thread share their weights; a thin slab would leave half of them empty.
    const bool isThin = slab.nZ <= kThinSlices;
    const bool isFine = form == StackForm::fine;
    if (half && isThin) return launchForm<HalfSums<1>, 3>(views, count, isFine, slab, stream);
    if (half) return launchForm<HalfSums<2>, 2>(views, count, isFine, slab, stream);
    if (isThin) return launchForm<ExactSums<2>, 3>(views, count, isFine, slab, stream);
    return launchForm<ExactSums<4>, 2>(views, count, isFine, slab, stream);
}

}  // namespace gantry::gpu
