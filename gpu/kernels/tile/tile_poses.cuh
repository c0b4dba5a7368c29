#pragma once

#include <cstdint>

#include "gpu/kernels/tile/tile.cuh"

namespace gantry::gpu {

// The consumer warps of tiles for views of any pose (PoseShape). Along a column of voxels u·z, v·z
// and z are affine, so each voxel needs one reciprocal.

// A warp lane's run of voxels in one view, from its middle. Pixels are relative to one near the
// middle, because small numbers have fine fractions.
struct PoseRun {
    float u, du;       // (u − column)·z, and what it grows by a voxel upwards
    float v, dv;       // (v − row)·z
    float z, dz;       // mm
    float fewer;       // −rows of the box: address step back to the column before
    unsigned address;  // of the pixel counted from, minus what the magic number's own bits add
};

// Where a warp lane's run of voxels lies in the tile, from its middle height; empty for other
// tiles.
template <class S, bool anyPose = S::anyPose>
struct LanePlace {
    __device__ LanePlace(int /*warp*/, int /*lane*/) {}
};
template <class S>
struct LanePlace<S, true> {
    static constexpr int kHalf = S::perLane / 2;
    float x, y;
    float k;  // the run's middle

    __device__ LanePlace(int warp, int lane) {
        const ColumnPlace place = columnPlace<S>(warp % S::patches * kWarp + lane);
        keep(place.x, x);
        keep(place.y, y);
        keep(warp / S::patches * S::perLane - S::z / 2 + kHalf, k);
    }

  private:
    // Keeps it in a register: the compiler would compute it again for every view.
    static __device__ void keep(int place, float& to) {
        asm volatile("cvt.rn.f32.s32 %0, %1;" : "=f"(to) : "r"(place));
    }
};

// box: shared address
template <class S>
__device__ __forceinline__ PoseRun poseRun(const TileView& view, unsigned box,
                                           const LanePlace<S>& at) {
    constexpr float kOf = kMagic<false>;
    const auto affine = [&](float first, float x, float y, float z) {
        return fmaf(x, at.x, fmaf(y, at.y, fmaf(z, at.k, first)));
    };
    const float z = affine(view.z0, view.zX, view.zY, view.zZ);
    const float uz = affine(view.u0, view.uX, view.uY, view.uZ);
    const float vz = affine(view.v0, view.vX, view.vY, view.vZ);
    const float perDepth = nearReciprocal(z);
    const float row = __fmaf_rd(vz, perDepth, kOf);
    const float back = kOf - __fmaf_rd(uz, perDepth, kOf);
    const float down = kOf - row;
    const unsigned pixel = __float_as_uint(fmaf(back, view.fewer, row)) +
                           static_cast<unsigned>(view.middle) - 2 * kMagicBits<false>;
    return {fmaf(back, z, uz),
            fmaf(back, view.zZ, view.uZ),
            fmaf(down, z, vz),
            fmaf(down, view.zZ, view.vZ),
            z,
            view.zZ,
            view.fewer,
            box + pixel * pixelBytes(TileOrder::pairs)};
}

// The pair Row rows above that address, interpolated along u.
template <int Row>
__device__ __forceinline__ float poseRow(unsigned address, float du) {
    float2 pair;
    asm("ld.shared.v2.f32 {%0, %1}, [%2 + %3];"
        : "=f"(pair.x), "=f"(pair.y)
        : "r"(address), "n"(Row * static_cast<int>(sizeof(float2))));
    return fmaf(du, pair.y, pair.x);
}

// A view's value at voxel k of a run, divided by the square of its depth. Multiplications whose
// sums are rounded down where floats are whole numbers give the whole numbers below u and v; the
// rest is then exact but for one rounding.
__device__ __forceinline__ float poseSample(const PoseRun& run, float k, float before) {
    constexpr float kOf = kMagic<false>;
    const float perDepth = nearReciprocal(fmaf(k, run.dz, run.z));
    const float uz = fmaf(k, run.du, run.u);
    const float vz = fmaf(k, run.dv, run.v);
    const float column = __fmaf_rd(uz, perDepth, kOf);
    const float row = __fmaf_rd(vz, perDepth, kOf);
    const float back = kOf - column;
    const float right = fmaf(uz, perDepth, back);
    const float above = fmaf(vz, perDepth, kOf - row);
    const unsigned address = __float_as_uint(fmaf(back, run.fewer, row)) *
                                 static_cast<unsigned>(pixelBytes(TileOrder::pairs)) +
                             run.address;
    const float low = poseRow<0>(address, right);
    const float high = poseRow<1>(address, right);
    return fmaf(perDepth * perDepth, fmaf(above, high - low, low), before);
}

// Adds one view, whose box begins at that shared address, to the voxels of a lane.
template <class S>
__device__ __forceinline__ void addPose(const TileView& view, unsigned box, const LanePlace<S>& at,
                                        float (&sums)[S::perLane]) {
    const PoseRun run = poseRun<S>(view, box, at);
#pragma unroll
    for (int j = 0; j < S::perLane; ++j)
        sums[j] = poseSample(run, static_cast<float>(j - LanePlace<S>::kHalf), sums[j]);
}

// The pair of column `column` and that row of a view, 0 outside.
__device__ __forceinline__ float2 fetchedPair(const TileViews& views, int s, int column, int row) {
    if (column < 0 || column >= views.columns || row < 0 || row >= views.rows) return {};
    const std::int64_t at = (static_cast<std::int64_t>(s) * views.columns + column) * views.rows;
    return __ldg(static_cast<const float2*>(views.pixels) + at + row);
}

// A view's value at a voxel of the slab from device memory, divided by the square of its depth; 0
// where it is not seen. Computes in double, which is seldom needed.
__device__ __forceinline__ float fetchedSample(const TileTask& task, int s, int i, int j, int k) {
    const double(&m)[3][4] = task.batch.m[s];
    const auto at = [&](int row) {
        return m[row][0] * i + m[row][1] * j + m[row][2] * k + m[row][3];
    };
    const double z = at(2);
    if (!(z > kMinDepthMm)) return 0;
    const double u = at(0) / z;
    const double v = at(1) / z;
    if (!(fabs(u) < kFar && fabs(v) < kFar)) return 0;
    const double column = floor(u);
    const double row = floor(v);
    const auto right = static_cast<float>(u - column);
    const auto above = static_cast<float>(v - row);
    const int c = static_cast<int>(column) + 1;
    const int r = static_cast<int>(row);
    const float2 low = fetchedPair(task.views, s, c, r);
    const float2 high = fetchedPair(task.views, s, c, r + 1);
    const float below = fmaf(right, low.y, low.x);
    const float value = fmaf(above, fmaf(right, high.y, high.x) - below, below);
    return static_cast<float>(value / (z * z));
}

// Adds the views that have no box for the tile to a warp lane's voxels, directly in the slab.
template <class S>
__device__ __forceinline__ void addFetched(const TileTask& task, const TileView* views,
                                           const TilePlace& tile, int warp, int lane) {
    const ColumnPlace place = columnPlace<S>(warp % S::patches * kWarp + lane);
    const int i = tile.x + place.x;
    const int j = tile.y + place.y;
    if (i >= task.slab.nX || j >= task.slab.nY) return;
    const int lowest = tile.z + warp / S::patches * S::perLane;
    const int end = min(lowest + S::perLane, task.slab.nZ);
    float* column =
        task.slab.voxels + (static_cast<std::int64_t>(j) * task.slab.nX + i) * task.slab.nZ;
#pragma unroll 1
    for (int s = 0; s < task.batch.views; ++s) {
        if (hasBox<S>(views[s])) continue;
#pragma unroll 1
        for (int k = lowest; k < end; ++k)
            column[k] += fetchedSample(task, s, i, j, k);
    }
}

}  // namespace gantry::gpu
