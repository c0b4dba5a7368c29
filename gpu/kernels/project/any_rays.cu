#include "gpu/kernels/parts.h"
#include "gpu/kernels/project/ray_math.cuh"
#include "gpu/kernels/project/ray_views.h"
#include "gpu/kernels/project/spread_any.cuh"
#include "gpu/kernels/project/sum_any.cuh"

namespace gantry::gpu {

namespace {

constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads)
    sumAnyRaysKernel(const RayFans fans, const RaySlab slab, const RayRows rows, int planeBegin,
                     int planeEnd) {
    const int v = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    const int u = static_cast<int>(blockIdx.y);
    if (v < rows.nV)
        addRay(fans, static_cast<int>(blockIdx.z), slab, rows, u, v, planeBegin, planeEnd);
}

__global__ void __launch_bounds__(kThreads)
    spreadAnyRaysKernel(const RayFans fans, const RayRows rows, const RaySlab slab) {
    const int z = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    if (z >= slab.n[2]) return;
    const int x = static_cast<int>(blockIdx.y);
    const int y = static_cast<int>(blockIdx.z);
    float sum = 0;
    for (int i = 0; i < fans.count; ++i)
        sum += sharesOfFan(fans, i, rows, x, y, z);
    slab.voxels[y * slab.stride(1) + x * slab.stride(0) + z] += sum;
}

__global__ void __launch_bounds__(kThreads)
    scaleRaysKernel(const RayFans fans, const RayRows rows, const float* __restrict__ weights,
                    const RayRows out) {
    const int v = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    const int u = static_cast<int>(blockIdx.y);
    const RayFanOfView& fan = fans.fans[blockIdx.z];
    if (u < fan.columnBegin || u >= fan.columnEnd || v >= rows.nV) return;
    const RayView& view = fans.views[fan.view];
    const std::int64_t ray = rows.at(fan.view, u, v);
    const float value = weights ? weights[ray] * rows.values[ray] : rows.values[ray];
    out.values[out.at(fan.view, u, v)] =
        planeDistanceMm(view, fan, rayAt(view, u, v), fans.axis) * value;
}

dim3 gridOfRays(const RayFans& fans, const RayRows& rows) {
    return {static_cast<unsigned>(partsOf(rows.nV, kThreads)), static_cast<unsigned>(rows.nU),
            static_cast<unsigned>(fans.count)};
}

}  // namespace

cudaError_t sumAnyRays(const RayFans& fans, const RaySlab& slab, const RayRows& rows,
                       int planeBegin, int planeEnd, cudaStream_t stream) {
    sumAnyRaysKernel<<<gridOfRays(fans, rows), kThreads, 0, stream>>>(fans, slab, rows, planeBegin,
                                                                      planeEnd);
    return cudaGetLastError();
}

cudaError_t spreadAnyRays(const RayFans& fans, const RayRows& rows, const RaySlab& slab,
                          cudaStream_t stream) {
    const dim3 grid(partsOf(slab.n[2], kThreads), static_cast<unsigned>(slab.n[0]),
                    static_cast<unsigned>(slab.n[1]));
    spreadAnyRaysKernel<<<grid, kThreads, 0, stream>>>(fans, rows, slab);
    return cudaGetLastError();
}

cudaError_t scaleRays(const RayFans& fans, const RayRows& rows, const float* weights,
                      const RayRows& out, cudaStream_t stream) {
    scaleRaysKernel<<<gridOfRays(fans, rows), kThreads, 0, stream>>>(fans, rows, weights, out);
    return cudaGetLastError();
}

}  // namespace gantry::gpu
