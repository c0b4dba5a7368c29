#pragma once

#include "gpu/kernels/project/ray_math.cuh"

namespace gantry::gpu {

// The other two axes, of which the second is z unless rays step along it.
struct PlaneAxes {
    int b, c;
};
__device__ inline PlaneAxes axesOf(int axis) {
    return {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
}

// The pixels whose rays may pass within one voxel of a place in its plane.
struct PixelRange {
    double low[2] = {1e300, 1e300};
    double high[2] = {-1e300, -1e300};
    bool isWhole = false;  // nothing is known: all pixels may
};

__device__ inline PixelRange pixelsAround(const RayView& view, const double (&voxel)[3], int b,
                                          int c) {
    PixelRange range;
    for (int corner = 0; corner < 4; ++corner) {
        double place[3] = {voxel[0], voxel[1], voxel[2]};
        place[b] += corner & 1 ? 1 : -1;
        place[c] += corner & 2 ? 1 : -1;
        const ViewPlace pixel = pixelOf(view, place);
        if (!(pixel.depth > 0)) range.isWhole = true;
        range.low[0] = fmin(range.low[0], pixel.u);
        range.low[1] = fmin(range.low[1], pixel.v);
        range.high[0] = fmax(range.high[0], pixel.u);
        range.high[1] = fmax(range.high[1], pixel.v);
    }
    return range;
}

// Sums the shares of the rays of one view that pass within one voxel of the place.
__device__ inline float sharesOf(const RayView& view, const RayFanOfView& fan, const RayRows& rows,
                                 const double (&voxel)[3], int a) {
    const auto [b, c] = axesOf(a);
    const PixelRange range = pixelsAround(view, voxel, b, c);
    constexpr double kSlack = 1e-6;
    const auto first = [&](int along, int begin) {
        return range.isWhole
                   ? begin
                   : static_cast<int>(fmax(ceil(range.low[along] - kSlack), double(begin)));
    };
    const auto last = [&](int along, int end) {
        return range.isWhole ? end - 1
                             : static_cast<int>(fmin(floor(range.high[along] + kSlack), end - 1.0));
    };
    float sum = 0;
    for (int u = first(0, fan.columnBegin); u <= last(0, fan.columnEnd); ++u)
        for (int v = first(1, 0); v <= last(1, rows.nV); ++v) {
            const RayLine ray = rayAt(view, u, v);
            if (!(ray.along[a] * fan.sign > 0)) continue;
            const double t = (voxel[a] - ray.from[a]) / ray.along[a];
            const double across = 1 - fabs(ray.from[b] + t * ray.along[b] - voxel[b]);
            const double up = 1 - fabs(ray.from[c] + t * ray.along[c] - voxel[c]);
            if (across > 0 && up > 0)
                sum = fmaf(static_cast<float>(across * up), rows.values[rows.at(fan.view, u, v)],
                           sum);
        }
    return sum;
}

// What a voxel gets of fan `number`, in double.
__device__ inline float sharesOfFan(const RayFans& fans, int number, const RayRows& rows, int x,
                                    int y, int z) {
    const RayFanOfView& fan = fans.fans[number];
    const double voxel[3] = {double(x), double(y), double(z)};
    const int plane = fans.axis == 0 ? x : fans.axis == 1 ? y : z;
    if (plane < fan.planeBegin || plane >= fan.planeEnd) return 0;
    return sharesOf(fans.views[fan.view], fan, rows, voxel, fans.axis);
}

}  // namespace gantry::gpu
