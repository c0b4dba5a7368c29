#pragma once

#include "core/backproject/simd_kernels.h"
#include "core/base/types.h"

namespace gantry {

/// The columns of one upright view whose rays step from plane to plane: see
/// ColumnsView, whose x is the detector's column, whose "views" are planes of voxels, and whose
/// "pixels" are voxels: u is the padded voxel column, v the padded z of row 0.
struct PlaneFan {
    ColumnsView view;  ///< its rows: this view's rays [u][v], from column 0 and row 0 on
    IndexRange columns;
};

/// Rays to be added to columns [begin, end) of voxels of one plane.
struct PlaneRays {
    const PlaneFan* fans;  ///< in the order in which they are added
    Index fanCount;
    Index nV;
    Index rayStride;  ///< floats from one detector column to the next; kPadRows zeros around rows
    float* plane;     ///< [column][z], padded: column 0 is in front of the first
    Index columnStride;
    IndexRange columns;  ///< padded
    IndexRange slices;   ///< padded; begins at a multiple of kColumnAlignment
    float* spare;        ///< a column that takes what falls outside `columns`
};

constexpr int kRayRows = 64;    ///< max rays of a RayTask
constexpr int kRayPlanes = 16;  ///< max planes

/// Some rays of any position through planes of voxels: at plane n the ray is at b + n·bStep and c +
/// n·cStep along the plane's two axes, in voxels.
struct RayTask {
    int rays;
    int planes;
    double b[kRayRows];
    double bStep[kRayRows];
    double c[kRayRows];
    double cStep[kRayRows];
    float* voxels;  ///< voxel (0, 0) of the first plane
    Index planeStride, bStride, cStride;
    int nB, nC;
};

/// The functions of forward projection and its adjoint that exist once for every instruction set.
struct LineKernels {
    /// Adds rays of upright views to a plane's voxels.
    void (*addToPlane)(const PlaneRays& task);
    /// sums[ray] += the interpolated voxels
    void (*sumRays)(const RayTask& task, float* sums);
    /// Its transpose: voxels += their shares of values[ray].
    void (*spreadRays)(const RayTask& task, const float* values);
};

extern const LineKernels kPortableLines;
extern const LineKernels kAvx2Lines;    ///< x86 only, like the next
extern const LineKernels kAvx512Lines;  ///< needs AVX-512 F, BW, DQ and VL

/// @throws InternalError  this machine does not support the level
[[nodiscard]] const LineKernels& lineKernels(SimdLevel level);

}  // namespace gantry
