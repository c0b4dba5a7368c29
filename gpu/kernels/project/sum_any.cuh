#pragma once

#include "gpu/kernels/project/ray_math.cuh"
#include "gpu/kernels/project/spread_any.cuh"

namespace gantry::gpu {

// Two neighbours along an axis and their shares; those outside get none.
struct Neighbours {
    int first;
    float shares[2];
};
__device__ inline Neighbours neighboursOf(double place, int count) {
    const double whole = floor(fmin(fmax(place, -2.0), count + 1.0));
    const auto share = static_cast<float>(place - whole);
    const int first = static_cast<int>(whole);
    return {first,
            {first >= 0 && first < count ? 1 - share : 0,
             first >= -1 && first < count - 1 ? share : 0}};
}

// Adds to ray (u, v) of fan `number` what it meets in the planes, in double.
__device__ inline void addRay(const RayFans& fans, int number, const RaySlab& slab,
                              const RayRows& rows, int u, int v, int planeBegin, int planeEnd) {
    const RayFanOfView& fan = fans.fans[number];
    const int s = fan.view;
    if (u < fan.columnBegin || u >= fan.columnEnd) return;
    const RayLine ray = rayAt(fans.views[s], u, v);
    const int a = fans.axis;
    // A ray that runs against its fan's direction meets nothing.
    if (!(ray.along[a] * fan.sign > 0)) return;
    const auto [b, c] = axesOf(a);
    const double bStep = ray.along[b] / ray.along[a];
    const double cStep = ray.along[c] / ray.along[a];
    const double b0 = ray.from[b] - ray.from[a] * bStep;
    const double c0 = ray.from[c] - ray.from[a] * cStep;
    const std::int64_t strides[2] = {slab.stride(b), slab.stride(c)};
    float sum = 0;
    const int end = min(planeEnd, fan.planeEnd);
    for (int n = max(planeBegin, fan.planeBegin); n < end; ++n) {
        const Neighbours across = neighboursOf(b0 + n * bStep, slab.n[b]);
        const Neighbours up = neighboursOf(c0 + n * cStep, slab.n[c]);
        const float* const plane = slab.voxels + n * slab.stride(a);
        float value = 0;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float share = across.shares[i / 2] * up.shares[i % 2];
            if (share != 0)
                value = fmaf(
                    share,
                    plane[(across.first + i / 2) * strides[0] + (up.first + i % 2) * strides[1]],
                    value);
        }
        sum += value;
    }
    rows.values[rows.at(s, u, v)] += planeDistanceMm(fans.views[s], fan, ray, a) * sum;
}

}  // namespace gantry::gpu
