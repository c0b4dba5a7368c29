#pragma once

#include "core/project/line_kernels.h"

// Included beside plane_adjoint.h, so that the same flags apply to both.
namespace gantry {
namespace {

// Along one axis of a plane: the two voxels around each ray, and their shares.
struct RayNeighbours {
    int first[kRayRows];
    int second[kRayRows];
    float firstShare[kRayRows];
    float secondShare[kRayRows];
};

// Voxels outside the plane get no share, and an index inside.
inline void findNeighbours(const double* start, const double* step, double plane, int rays,
                           int voxels, RayNeighbours& out) {
    const double high = voxels + 1;
    const int last = voxels - 1;
    for (int i = 0; i < rays; ++i) {
        // Moved by 2, so that a cast rounds down.
        double at = start[i] + plane * step[i] + 2;
        at = at > 0 ? at : 0;
        at = at < high + 2 ? at : high + 2;
        const int whole = static_cast<int>(at);
        const auto share = static_cast<float>(at - whole);
        const int first = whole - 2;
        const int second = whole - 1;
        out.firstShare[i] = first >= 0 && first <= last ? 1 - share : 0;
        out.secondShare[i] = second >= 0 && second <= last ? share : 0;
        const int firstInside = first > 0 ? first : 0;
        const int secondInside = second > 0 ? second : 0;
        out.first[i] = firstInside < last ? firstInside : last;
        out.second[i] = secondInside < last ? secondInside : last;
    }
}

// Calls visit(ray, voxel, share) for the four voxels around each ray in each plane.
template <class Visit>
inline void visitVoxels(const RayTask& task, const Visit& visit) {
    RayNeighbours b;
    RayNeighbours c;
    for (int n = 0; n < task.planes; ++n) {
        findNeighbours(task.b, task.bStep, n, task.rays, task.nB, b);
        findNeighbours(task.c, task.cStep, n, task.rays, task.nC, c);
        float* plane = task.voxels + n * task.planeStride;
        for (int i = 0; i < task.rays; ++i) {
            float* first = plane + b.first[i] * task.bStride;
            float* second = plane + b.second[i] * task.bStride;
            const Index low = c.first[i] * task.cStride;
            const Index high = c.second[i] * task.cStride;
            visit(i, first[low], b.firstShare[i] * c.firstShare[i]);
            visit(i, first[high], b.firstShare[i] * c.secondShare[i]);
            visit(i, second[low], b.secondShare[i] * c.firstShare[i]);
            visit(i, second[high], b.secondShare[i] * c.secondShare[i]);
        }
    }
}

inline void sumRays(const RayTask& task, float* sums) {
    visitVoxels(task,
                [&](int ray, const float& voxel, float share) { sums[ray] += share * voxel; });
}

inline void spreadRays(const RayTask& task, const float* values) {
    visitVoxels(task, [&](int ray, float& voxel, float share) { voxel += share * values[ray]; });
}

}  // namespace
}  // namespace gantry
