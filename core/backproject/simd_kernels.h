#pragma once

#include "core/backproject/cpu_kernels.h"
#include "core/base/types.h"

namespace gantry {

/// One view in the form that the column kernel takes. Over voxel indices (x, y, k) of the slab the
/// depth is z[0]·x + z[1]·y + z[2], the column is (u[0]·x + u[1]·y + u[2])/z and the row is (v[0]·x
/// + v[1]·y + v[2] + vPerVoxel·k)/z, both counted in the padded, transposed view.
struct ColumnsView {
    double u[3];
    double v[3];
    double z[3];
    double vPerVoxel;
    const float* rows;  ///< [u][half][v], padded
};

/// Views to be added to a slab whose columns lie along z.
///
/// A slab is one half, or a pair where it is symmetric about the source's plane: then half 0 holds
/// the voxels k = 0, 1, … and half 1 their mirror images k = N−1, N−2, …; half 1 of the views holds
/// their rows in reverse, so that a pair of mirrored voxels reads the same row and fraction.
///
/// A forward projection is the same with the roles exchanged, and without the weight: planes of
/// voxels are the views, and a view's pixels are the slab (core/project).
struct ColumnsTask {
    const ColumnsView* views;  ///< in the order in which they are added
    Index viewCount;
    Index columns;           ///< of a padded view
    Index viewColumnStride;  ///< floats from one column of a view to the next
    Index halfRows;          ///< floats from half 0 to half 1 of a column of a view
    Index rowBegin;          ///< rows [rowBegin, rowEnd) of a half are not padding
    Index rowEnd;
    float* slab;  ///< [y][x][half][k]
    Index nX;
    Index columnStride;  ///< floats from one column of the slab to the next
    Index zStride;       ///< voxels of a half of a column, padded to a multiple of kColumnAlignment
    bool pairs;          ///< adds to both halves; otherwise to the one that `slab` and the views
                         ///< point to
    bool isWeighted;     ///< weighs by 1/z²
};

/// The columns [x0, x1) × [y0, y1).
struct ColumnsBrick {
    Index x0, x1, y0, y1;
};

/// One view of any position: over voxel indices (x, y, k) of the slab the depth is m[2]·(x, y, k,
/// 1), the column m[0]·(x, y, k, 1)/depth and the row m[1]·(x, y, k, 1)/depth, both counted in the
/// padded, transposed view.
struct GeneralView {
    double m[3][4];
    const float* rows;  ///< [u][v], padded
};

/// Views of any position to be added to a slab whose columns lie along z.
struct GeneralTask {
    const GeneralView* views;
    Index viewCount;
    Index columns;           ///< of a padded view
    Index viewColumnStride;  ///< floats from one column of a view to the next
    Index rowBegin;          ///< rows [rowBegin, rowEnd) are not padding
    Index rowEnd;
    float* slab;  ///< [y][x][k]
    Index nX;
    Index columnStride;
    Index zStride;  ///< voxels of a column, padded to a multiple of kColumnAlignment
};

/// Views of a parallel beam, and the block of slices of a slab that they are added to. Over voxel
/// indices the column of view s is places[s].x·x + places[s].y·y + places[s].c, the same for all
/// slices.
struct StackTask {
    /// A column of a repacked view, as a function of the voxel.
    struct Place {
        double x, y, c;
    };
    const Place* places;  ///< [s]
    Index viewCount;
    const float* rows;  ///< [s][u][k], interpolated at the slices; column 0 and the last two are 0
    Index viewStride;   ///< floats from one view to the next
    Index columns;      ///< of a repacked view
    Index width;        ///< floats from one column of a view to the next
    float* slab;        ///< [y][x][k], from the block's first slice
    Index nX;
    Index columnStride;
    Index slices;  ///< of the block, a multiple of kColumnAlignment
};

constexpr Index kBrickSide = 4;         ///< max columns of a brick along x and y
constexpr Index kColumnAlignment = 16;  ///< voxels; the widest SIMD register
constexpr Index kPadRows = 48;  ///< zeros before and behind a view's rows, which a run may read

/// Takes voxel indices of a slab to pixels of a batch's views.
struct PlainMatrix {
    float m[3][4];
};

/// A plain back-projection.
struct PlainTask {
    const float* views;           ///< [s][v][u]
    const PlainMatrix* matrices;  ///< [s]
    int nS, nV, nU;
    float* volume;  ///< [z][y][x]
    int nX, nY;
};

/// Takes pixels of a plane to pixels of a view: m·(column, row, 1) = (u·z, v·z, z), z in mm.
struct PlaneToView {
    double m[3][3];
};

/// Views to be added to a picture of a plane anywhere in the world.
struct PlaneTask {
    const float* views;           ///< [s][v][u]
    const PlaneToView* matrices;  ///< [s]
    int nS, nV, nU;
    Index columns;  ///< of the plane
    Index stride;   ///< floats from one row of sums to the next: at least the columns, padded to a
                    ///< multiple of kColumnAlignment
};

/// The functions that exist once for every instruction set.
struct SimdKernels {
    void (*addBrick)(const ColumnsTask& task, const ColumnsBrick& brick);
    void (*addGeneralBrick)(const GeneralTask& task, const ColumnsBrick& brick);
    void (*addStackBrick)(const StackTask& task, const ColumnsBrick& brick);
    void (*addPlainSlice)(const PlainTask& task, int k);
    /// Adds all views to rows [rowBegin, rowEnd) of a plane; sums: of these rows.
    void (*addPlaneRows)(const PlaneTask& task, Index rowBegin, Index rowEnd, float* sums);
};

extern const SimdKernels kPortableKernels;
extern const SimdKernels kAvx2Kernels;    ///< x86 only, like the next
extern const SimdKernels kAvx512Kernels;  ///< needs AVX-512 F, BW, DQ and VL

/// @throws InternalError  this machine does not support the level
[[nodiscard]] const SimdKernels& simdKernels(SimdLevel level);

}  // namespace gantry
