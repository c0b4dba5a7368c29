#pragma once

#include "gpu/kernels/project/ray_views.h"

namespace gantry::gpu {

/// The ray through pixel (u, v).
__host__ __device__ inline RayLine rayAt(const RayView& view, double u, double v) {
    RayLine ray;
    for (int i = 0; i < 3; ++i) {
        ray.from[i] = view.corner.from[i] + u * view.uStep.from[i] + v * view.vStep.from[i];
        ray.along[i] = view.corner.along[i] + u * view.uStep.along[i] + v * view.vStep.along[i];
    }
    return ray;
}

/// From plane to plane along a ray, mm; 0 where it runs against its fan's direction.
__host__ __device__ inline float planeDistanceMm(const RayView& view, const RayFanOfView& fan,
                                                 const RayLine& ray, int axis) {
    double square = 0;
    for (int i = 0; i < 3; ++i) {
        const double mm = ray.along[i] * view.pitchMm[i];
        square += mm * mm;
    }
    const double planes = ray.along[axis] * fan.sign;
    return planes > 0 ? static_cast<float>(sqrt(square) / planes) : 0.0F;
}

/// Where the ray through a place meets the detector. depth: not positive where the place is behind
/// the source.
struct ViewPlace {
    double u;
    double v;
    double depth;
};

__host__ __device__ inline ViewPlace pixelOf(const RayView& view, const double (&place)[3]) {
    double h[3];
    for (int row = 0; row < 3; ++row) {
        h[row] = 0;
        for (int i = 0; i < 3; ++i)
            h[row] += view.toPixel[row][i] * (place[i] - view.corner.from[i]);
    }
    if (view.isParallel) return {h[1], h[2], 1};
    return {h[1] / h[0], h[2] / h[0], h[0]};
}

}  // namespace gantry::gpu
