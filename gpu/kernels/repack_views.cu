#include "gpu/kernels/repack_views.h"

#include <algorithm>
#include <cstdint>

#include "gpu/kernels/parts.h"
#include "gpu/kernels/prepare/filtered_pixel.cuh"

namespace gantry::gpu {

namespace {

constexpr int kTile = 32;
constexpr int kTileRows = 8;  // that the threads of a block take at a time

// What is written for a pixel: itself, or beside its row's mirror image.
struct OnePixel {
    using Value = float;
    __device__ float operator()(const FilteredViews& views, int s, int row, int column) const {
        return filteredPixel(views, s, row, column);
    }
};

struct MirrorPixels {
    using Value = float2;
    int sum;
    __device__ float2 operator()(const FilteredViews& views, int s, int row, int column) const {
        return {filteredPixel(views, s, row, column), filteredPixel(views, s, sum - row, column)};
    }
};

// Writes to a surface. firstLine and firstInLine are the first pixel that is written.
struct ToSurface {
    cudaSurfaceObject_t surface;
    int lines;
    int length;
    int firstLine;
    int firstInLine;
    int firstLayer;
    template <class Value>
    __device__ void operator()(int s, int line, int i, Value value) const {
        surf2DLayeredwrite(value, surface, i * static_cast<int>(sizeof(Value)), line,
                           firstLayer + s);
    }
};

struct ToMemory {
    float* data;
    int lines;
    int length;
    int firstLine;
    int firstInLine;
    __device__ void operator()(int s, int line, int i, float value) const {
        data[(static_cast<std::int64_t>(s) * lines + line) * length + i] = value;
    }
};

template <class Pixels, class Target>
__global__ void straightKernel(const FilteredViews views, const Pixels pixels,
                               const Target target) {
    const int i = static_cast<int>(blockIdx.x * kTile + threadIdx.x);
    const int line = static_cast<int>(blockIdx.y * kTileRows + threadIdx.y);
    const int s = static_cast<int>(blockIdx.z);
    if (i >= target.length || line >= target.lines) return;
    target(s, line, i, pixels(views, s, line + target.firstLine, i + target.firstInLine));
}

// Lines are columns of the views. Reads and writes go in runs of 32 pixels; the odd pitch keeps a
// tile's columns on different banks.
template <class Pixels, class Target>
__global__ void transposedKernel(const FilteredViews views, const Pixels pixels,
                                 const Target target) {
    __shared__ typename Pixels::Value tile[kTile][kTile + 1];
    const int firstI = static_cast<int>(blockIdx.x) * kTile;
    const int firstLine = static_cast<int>(blockIdx.y) * kTile;
    const int s = static_cast<int>(blockIdx.z);
    const int lane = static_cast<int>(threadIdx.x);
    for (int y = static_cast<int>(threadIdx.y); y < kTile; y += kTileRows)
        tile[y][lane] =
            pixels(views, s, firstI + y + target.firstInLine, firstLine + lane + target.firstLine);
    __syncthreads();
    for (int y = static_cast<int>(threadIdx.y); y < kTile; y += kTileRows)
        if (firstI + lane < target.length && firstLine + y < target.lines)
            target(s, firstLine + y, firstI + lane, tile[lane][y]);
}

template <class Pixels, class Target>
void launchStraight(const FilteredViews& views, const Pixels& pixels, const Target& target,
                    cudaStream_t stream) {
    const dim3 blocks(partsOf(target.length, kTile), partsOf(target.lines, kTileRows),
                      static_cast<unsigned>(views.nS));
    straightKernel<<<blocks, dim3(kTile, kTileRows), 0, stream>>>(views, pixels, target);
}

template <class Pixels, class Target>
void launchTransposed(const FilteredViews& views, const Pixels& pixels, const Target& target,
                      cudaStream_t stream) {
    const dim3 blocks(partsOf(target.length, kTile), partsOf(target.lines, kTile),
                      static_cast<unsigned>(views.nS));
    transposedKernel<<<blocks, dim3(kTile, kTileRows), 0, stream>>>(views, pixels, target);
}

}  // namespace

MirrorRows mirrorRows(int sum, int nV) {
    // Rows up to the middle one and its next neighbour; the half is rounded down where sum is < 0.
    const int middle = sum >= 0 ? sum / 2 : -((1 - sum) / 2);
    const int begin = std::min(0, sum - (nV - 1));
    return {begin, std::max(begin, middle) + 2, sum};
}

MirrorRows mirrorRowsOfPair(int sum, const FilteredViews& views) {
    const MirrorRows all = mirrorRows(sum, views.nV);
    // A view's own rows and the mirror images of others are needed as far as they lie below the
    // middle.
    const int own = views.upper ? views.lowerRows : views.nV;
    const int mirrored = sum - (views.upper ? views.upperRow : 0) + 1;
    int end = all.begin;
    if (0 < all.end) end = std::max(end, own);
    if (sum - (views.nV - 1) < all.end) end = std::max(end, mirrored);
    return {all.begin, std::min(all.end, end), sum};
}

void repackToSurface(const FilteredViews& views, const LayeredSurface& out, cudaStream_t stream) {
    launchStraight(views, OnePixel{},
                   ToSurface{out.surface, out.height, out.width, 0, 0, out.firstLayer}, stream);
}

void repackTransposed(const FilteredViews& views, const LayeredSurface& out, cudaStream_t stream) {
    launchTransposed(views, OnePixel{},
                     ToSurface{out.surface, out.height, out.width, 0, 0, out.firstLayer}, stream);
}

void repackMirrored(const FilteredViews& views, const MirrorRows& rows, const LayeredSurface& out,
                    cudaStream_t stream) {
    const int count = std::min(out.height, rows.end - rows.begin);
    launchStraight(views, MirrorPixels{rows.sum},
                   ToSurface{out.surface, count, out.width, rows.begin, 0, out.firstLayer}, stream);
}

void repackPlain(const FilteredViews& views, float* out, cudaStream_t stream) {
    launchStraight(views, OnePixel{}, ToMemory{out, views.nV, views.nU, 0, 0}, stream);
}

void repackBordered(const FilteredViews& views, const BorderedViews& out, bool transposed,
                    cudaStream_t stream) {
    constexpr int kRow = -BorderedViews::kBorderRows;
    constexpr int kColumn = -BorderedViews::kBorderColumns;
    if (transposed)
        launchTransposed(views, OnePixel{},
                         ToMemory{out.data, out.columns(), out.rows(), kColumn, kRow}, stream);
    else
        launchStraight(views, OnePixel{},
                       ToMemory{out.data, out.rows(), out.columns(), kRow, kColumn}, stream);
}

}  // namespace gantry::gpu
