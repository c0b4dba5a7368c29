#include "core/project/plane_rays.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/project/padded_slab.h"

namespace gantry {

IndexRange planesOf(const GridRays& rays, const RayFan& fan, Index planes) {
    if (rays.isParallel) return {0, planes};
    // At the source itself no plane is hit anywhere.
    constexpr double kNearest = 1e-6;
    const double from = rays.corner.from[fan.axis];
    const auto clamped = [&](double plane) {
        return static_cast<Index>(std::clamp(plane, 0.0, static_cast<double>(planes)));
    };
    if (fan.forward) return {clamped(std::floor(from + kNearest) + 1), planes};
    return {0, clamped(std::ceil(from - kNearest))};
}

ColumnsView onPlane(const GridRays& rays, int axis, Index plane) {
    const GridRay& first = rays.corner;
    const GridRay& step = rays.uStep;
    const double distance = static_cast<double>(plane) - first.from[axis];
    ColumnsView view{};
    // From zero-based voxels to padded ones.
    const auto place = [&](double* out, int along, double pad) {
        const double from = first.from[along] + pad;
        if (rays.isParallel) {
            const double slope = first.along[along] / first.along[axis];
            out[0] = step.from[along] - step.from[axis] * slope;
            out[2] = from + distance * slope;
        } else {
            out[0] = from * step.along[axis] / distance + step.along[along];
            out[2] = from * first.along[axis] / distance + first.along[along];
        }
    };
    place(view.u, 1 - axis, 1);
    place(view.v, 2, static_cast<double>(PaddedSlab::firstZ()));
    view.z[0] = rays.isParallel ? 0 : step.along[axis] / distance;
    view.z[2] = rays.isParallel ? 1 : first.along[axis] / distance;
    view.vPerVoxel = rays.isParallel ? rays.vStep.from[2] : rays.vStep.along[2];
    return view;
}

RayBundle::RayBundle(const GridRays& rays, const RayFan& fan, Index u, IndexRange rows,
                     const std::array<Index, 3>& voxels, const std::array<Index, 3>& strides) {
    const std::size_t a = fan.axis;
    const std::size_t b = a == 0 ? 1 : 0;
    const std::size_t c = a == 2 ? 1 : 2;
    m_task.rays = static_cast<int>(rows.size());
    m_task.planeStride = strides[a];
    m_task.bStride = strides[b];
    m_task.cStride = strides[c];
    m_task.nB = static_cast<int>(voxels[b]);
    m_task.nC = static_cast<int>(voxels[c]);
    for (Index v = rows.begin; v < rows.end; ++v) {
        const std::size_t i = v - rows.begin;
        const GridRay ray = rays.ray(static_cast<double>(u), static_cast<double>(v));
        // A ray within the planes counts for nothing: see GridRays::planeDistancesMm().
        const double perPlane = ray.along[a] != 0 ? 1 / ray.along[a] : 0;
        m_task.bStep[i] = ray.along[b] * perPlane;
        m_task.cStep[i] = ray.along[c] * perPlane;
        m_b[i] = ray.from[b] - ray.from[a] * m_task.bStep[i];
        m_c[i] = ray.from[c] - ray.from[a] * m_task.cStep[i];
    }
}

const RayTask& RayBundle::through(IndexRange planes, float* slab) {
    const auto first = static_cast<double>(planes.begin);
    for (int i = 0; i < m_task.rays; ++i) {
        m_task.b[i] = m_b[i] + first * m_task.bStep[i];
        m_task.c[i] = m_c[i] + first * m_task.cStep[i];
    }
    m_task.planes = static_cast<int>(planes.size());
    m_task.voxels = slab + planes.begin * m_task.planeStride;
    return m_task;
}

}  // namespace gantry
