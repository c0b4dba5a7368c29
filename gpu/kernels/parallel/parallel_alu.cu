#include "gpu/kernels/parallel/parallel_kernels.h"

#include "gpu/kernels/parallel/parallel_texel.cuh"
#include "gpu/kernels/parallel/parallel_tile.cuh"
#include "gpu/kernels/parts.h"

namespace gantry::gpu {

namespace {

constexpr int kThreads = 256;
constexpr int kStageViews = 16;
constexpr int kVoxels = kTileVoxels * kTileVoxels / kThreads;  // of a thread
constexpr int kOversampling = 4;

struct OneWord {
    static constexpr int kSlices = 1;
    using Type = float;
    static __device__ __forceinline__ float get(float word, int) { return word; }
    static __device__ __forceinline__ float blend(float near, float far, float share) {
        return fmaf(share, far - near, near);
    }
};
struct TwoWord {
    static constexpr int kSlices = 2;
    using Type = float2;
    static __device__ __forceinline__ float get(float2 word, int k) {
        return k == 0 ? word.x : word.y;
    }
    static __device__ __forceinline__ float2 blend(float2 near, float2 far, float share) {
        return {fmaf(share, far.x - near.x, near.x), fmaf(share, far.y - near.y, near.y)};
    }
};

// The first voxel of a thread: squares of 4 × 4 on a Z-order curve, eight along x and two along y.
// Its other voxels lie 8, 16 and 24 above.
__device__ __forceinline__ int2 voxelPlace() {
    const int thread = static_cast<int>(threadIdx.x);
    const int2 inSquare = zOrder(thread & 15);
    const int square = thread >> 4;
    return {(square & 7) * 4 + inSquare.x, (square >> 3) * 4 + inSquare.y};
}

template <class Word, AluRead read>
struct AluStage {
    static constexpr int kPixels = kTilePixels * (read == AluRead::oversampled ? kOversampling : 1);
    typename Word::Type pixels[kStageViews][kPixels];

    __device__ void fetch(const ParallelViews& views, const TileRow* rows, int word, int first,
                          int count) {
        const auto* words =
            static_cast<const typename Word::Type*>(views.words) +
            (static_cast<std::int64_t>(word) * views.room + first) * views.columns();
        for (int i = static_cast<int>(threadIdx.x); i < kStageViews * kPixels; i += kThreads) {
            const int s = i / kPixels;
            const int p = i % kPixels;
            if (first + s >= count) break;
            const auto* row = words + s * views.columns() + rows[first + s].first;
            if constexpr (read == AluRead::linear) {
                pixels[s][p] = __ldg(row + p);
            } else {
                const auto share = static_cast<float>(p % kOversampling) / kOversampling;
                // The last pixel has no neighbour here; none of its positions is used.
                const int next = min(p / kOversampling + 1, kTilePixels - 1);
                pixels[s][p] =
                    Word::blend(__ldg(row + p / kOversampling), __ldg(row + next), share);
            }
        }
    }

    __device__ __forceinline__ typename Word::Type at(int s, float u) const {
        if constexpr (read == AluRead::linear) {
            const RowPlace place = rowPlace(u);
            const auto* pixel = pixels[s] + (place.bits - kRowMagicBits);
            return Word::blend(pixel[0], pixel[1], place.share);
        } else {
            constexpr float kMagic = 12582912.0F;  // 1.5 · 2^23 rounds to nearest
            const float magic = fmaf(u, static_cast<float>(kOversampling), kMagic);
            return pixels[s][__float_as_int(magic) - __float_as_int(kMagic)];
        }
    }
};

template <class Word, AluRead read>
__device__ __forceinline__ void addByAlu(AluStage<Word, read>& stage, const ParallelViews& views,
                                         const TileRow* rows, int count, int word,
                                         SliceSums<Word::kSlices> (&sums)[kVoxels]) {
    const int2 place = voxelPlace();
    const auto x = static_cast<float>(place.x);
    const auto y = static_cast<float>(place.y);
    for (int first = 0; first < count; first += kStageViews) {
        __syncthreads();
        stage.fetch(views, rows, word, first, count);
        __syncthreads();
        const int here = min(kStageViews, count - first);
#pragma unroll 2
        for (int s = 0; s < here; ++s) {
            const TileRow row = rows[first + s];
            const float u = fmaf(row.a, x, fmaf(row.b, y, row.c));
#pragma unroll
            for (int n = 0; n < kVoxels; ++n) {
                const auto q = stage.at(s, fmaf(row.b, static_cast<float>(8 * n), u));
#pragma unroll
                for (int k = 0; k < Word::kSlices; ++k)
                    sums[n].of[k] += Word::get(q, k);
            }
        }
    }
}

template <class Texel>
__device__ __forceinline__ void addByTexture(cudaTextureObject_t texture,
                                             const ParallelViews& views, const TileRow* rows,
                                             int count, int layer,
                                             SliceSums<Texel::kSlices> (&sums)[kVoxels]) {
    const int2 place = voxelPlace();
    const auto x = static_cast<float>(place.x);
    const auto y = static_cast<float>(place.y);
#pragma unroll 2
    for (int s = 0; s < count; ++s) {
        const TileRow row = rows[s];
        const float u =
            fmaf(row.a, x, fmaf(row.b, y, row.c + static_cast<float>(row.first - kParallelBorder)));
#pragma unroll
        for (int n = 0; n < kVoxels; ++n)
            Texel::add(sums[n], texture, fmaf(row.b, static_cast<float>(8 * n), u),
                       static_cast<float>(s) + 0.5F, layer);
    }
}

struct TilePlace {
    int x;
    int y;
    __device__ explicit TilePlace(int tilesX)
        : x(static_cast<int>(blockIdx.x) % tilesX * kTileVoxels),
          y(static_cast<int>(blockIdx.x) / tilesX * kTileVoxels) {}
};

__device__ __forceinline__ void findRows(const ParallelViews& views, int count,
                                         const TilePlace& tile, TileRow* rows) {
    for (int s = static_cast<int>(threadIdx.x); s < count; s += kThreads)
        rows[s] = tileRow(views.views[s], tile.x, tile.y, views.nU);
    __syncthreads();
}

template <int slices>
__device__ __forceinline__ void storeTile(const ConeSlab& slab, const TilePlace& tile, int word,
                                          const SliceSums<slices> (&sums)[kVoxels]) {
    const int2 place = voxelPlace();
#pragma unroll
    for (int n = 0; n < kVoxels; ++n)
        addToSlab(slab, tile.x + place.x, tile.y + place.y + 8 * n, word * slices, sums[n]);
}

template <class Word, AluRead read>
__global__ void __launch_bounds__(kThreads)
    aluKernel(const ParallelViews views, const int count, const ConeSlab slab, const int tilesX) {
    __shared__ TileRow rows[kMaxAluViews];
    __shared__ AluStage<Word, read> stage;
    const TilePlace tile(tilesX);
    const int word = static_cast<int>(blockIdx.y);
    findRows(views, count, tile, rows);
    SliceSums<Word::kSlices> sums[kVoxels];
    addByAlu(stage, views, rows, count, word, sums);
    storeTile(slab, tile, word, sums);
}

__device__ __forceinline__ unsigned multiprocessor() {
    unsigned number = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

// Needs as many blocks as a multiprocessor has threads for: only other warps hide latencies.
#if defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ == 800 || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1100))
constexpr int kHybridBlocks = 8;
#else
constexpr int kHybridBlocks = 4;
#endif

template <class Word, class Texel>
__global__ void __launch_bounds__(kThreads, kHybridBlocks)
    hybridKernel(const ParallelViews views, const cudaTextureObject_t texture, const int count,
                 const HybridRatio ratio, unsigned* begun, const ConeSlab slab, const int tilesX) {
    __shared__ TileRow rows[kMaxAluViews];
    __shared__ AluStage<Word, AluRead::linear> stage;
    __shared__ unsigned number;
    if (threadIdx.x == 0) number = atomicAdd(begun + multiprocessor() % kMaxMultiprocessors, 1U);
    const TilePlace tile(tilesX);
    const int word = static_cast<int>(blockIdx.y);
    findRows(views, count, tile, rows);
    SliceSums<Word::kSlices> sums[kVoxels];
    if (static_cast<int>(number % static_cast<unsigned>(ratio.period)) < ratio.texture)
        addByTexture<Texel>(texture, views, rows, count, word, sums);
    else
        addByAlu(stage, views, rows, count, word, sums);
    storeTile(slab, tile, word, sums);
}

struct TileGrid {
    int tilesX;
    dim3 blocks;
    TileGrid(const ConeSlab& slab, int slices)
        : tilesX(partsOf(slab.nX, kTileVoxels)),
          blocks(static_cast<unsigned>(tilesX * partsOf(slab.nY, kTileVoxels)),
                 static_cast<unsigned>(partsOf(slab.nZ, slices))) {}
};

template <class Word>
cudaError_t launchAlu(const ParallelViews& views, int count, AluRead read, const ConeSlab& slab,
                      cudaStream_t stream) {
    const TileGrid grid(slab, Word::kSlices);
    if (read == AluRead::linear)
        aluKernel<Word, AluRead::linear>
            <<<grid.blocks, kThreads, 0, stream>>>(views, count, slab, grid.tilesX);
    else
        aluKernel<Word, AluRead::oversampled>
            <<<grid.blocks, kThreads, 0, stream>>>(views, count, slab, grid.tilesX);
    return cudaGetLastError();
}

}  // namespace

cudaError_t addParallelAlu(const ParallelViews& views, int count, AluRead read,
                           const ConeSlab& slab, cudaStream_t stream) {
    return views.word == SliceWord::one ? launchAlu<OneWord>(views, count, read, slab, stream)
                                        : launchAlu<TwoWord>(views, count, read, slab, stream);
}

cudaError_t addParallelHybrid(const ParallelViews& views, const SliceTexture& texture, int count,
                              const HybridRatio& ratio, unsigned* begun, const ConeSlab& slab,
                              cudaStream_t stream) {
    const cudaError_t zeroed =
        cudaMemsetAsync(begun, 0, kMaxMultiprocessors * sizeof(unsigned), stream);
    if (zeroed != cudaSuccess) return zeroed;
    const TileGrid grid(slab, slicesOf(views.word));
    if (views.word == SliceWord::one)
        hybridKernel<OneWord, FloatTexel><<<grid.blocks, kThreads, 0, stream>>>(
            views, texture.texture, count, ratio, begun, slab, grid.tilesX);
    else
        hybridKernel<TwoWord, Float2Texel><<<grid.blocks, kThreads, 0, stream>>>(
            views, texture.texture, count, ratio, begun, slab, grid.tilesX);
    return cudaGetLastError();
}

}  // namespace gantry::gpu
