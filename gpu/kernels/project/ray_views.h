#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gantry::gpu {

/// A ray, from + t·along for t > 0, in voxel indices of a slab; or how it changes from pixel to
/// pixel.
struct RayLine {
    double from[3];
    double along[3];
};

/// The rays of one view: that through pixel (0, 0), and its change along u and v. See GridRays of
/// core/project/grid_rays.h.
struct RayView {
    RayLine corner;
    RayLine uStep;
    RayLine vStep;
    double pitchMm[3];     ///< of the voxels
    double toPixel[3][3];  ///< from a place relative to `corner.from`, see pixelOf()
    bool isParallel;
};

/// The columns of a view whose rays step along one axis in one direction, and the planes along it
/// that are in front of the source.
struct RayFanOfView {
    int view;
    int columnBegin, columnEnd;
    int planeBegin, planeEnd;
    float sign;  ///< 1 towards larger indices, else −1
};

/// Stands where a tile of rays has a view less.
__host__ __device__ constexpr bool isEmpty(const RayFanOfView& fan) {
    return fan.columnBegin >= fan.columnEnd;
}

/// Floats from one column to the next, of columns of so many floats that begin at multiples of 4.
__host__ __device__ constexpr std::int64_t pitchOf(std::int64_t floats) {
    return (floats + 3) / 4 * 4;
}

/// A slab of a volume [y][x][z] in device memory: z fastest, columns begin at multiples of 4.
struct RaySlab {
    float* voxels = nullptr;
    int n[3] = {};   ///< voxels along x, y and z
    int pitchZ = 0;  ///< floats from one column to the next, a multiple of 4

    [[nodiscard]] __host__ __device__ std::int64_t stride(int axis) const {
        return axis == 2 ? 1 : axis == 0 ? pitchZ : static_cast<std::int64_t>(n[0]) * pitchZ;
    }
};

/// Values of rays of some views in device memory: [s][u][v], columns begin at multiples of 4.
struct RayRows {
    float* values = nullptr;
    int firstView = 0;  ///< the first one that is here
    int nS = 0;
    int nU = 0;
    int nV = 0;
    int pitchV = 0;  ///< floats from one detector column to the next, a multiple of 4

    [[nodiscard]] __host__ __device__ std::int64_t at(int view, int u, int v) const {
        return (static_cast<std::int64_t>(view - firstView) * nU + u) * pitchV + v;
    }
};

/// Fans along one axis, at most one a view, in device memory.
struct RayFans {
    const RayView* views = nullptr;  ///< [view]
    const RayFanOfView* fans = nullptr;
    int count = 0;
    int axis = 0;  ///< 0, 1, 2: x, y, z
};

/// Adds to the fans' rays what they meet in the planes [planeBegin, planeEnd): the sums of voxels
/// times the distance from plane to plane. Any position of the detector.
cudaError_t sumAnyRays(const RayFans& fans, const RaySlab& slab, const RayRows& rows,
                       int planeBegin, int planeEnd, cudaStream_t stream);

/// The transpose: adds to each voxel its shares of the fans' rays, which scaleRays() has scaled.
/// Each voxel is one thread's, so sums do not depend on how threads run.
cudaError_t spreadAnyRays(const RayFans& fans, const RayRows& rows, const RaySlab& slab,
                          cudaStream_t stream);

/// Sets the fans' rays of `out` to those of `rows` times the distances from plane to plane along
/// them, mm, and times their weights. weights: lie as rows.values do; null: 1
cudaError_t scaleRays(const RayFans& fans, const RayRows& rows, const float* weights,
                      const RayRows& out, cudaStream_t stream);

}  // namespace gantry::gpu
