#pragma once

namespace gantry::gpu {

/// Max views that one launch adds.
inline constexpr int kMaxViews = 32;

/// Projection matrices of a batch, in double, on the slab's voxel indices (i, j, k) and the batch's
/// rows: m·(i, j, k, 1) = (u·z, v·z, z), where row 0 is the batch's first one. It is small enough
/// to be a kernel's argument.
struct ConeBatch {
    double m[kMaxViews][3][4];
    int views = 0;
};

/// Voxels of a slab in device memory; two ranges of slices lie one behind the other.
struct ConeSlab {
    float* voxels = nullptr;
    int nX = 0;
    int nY = 0;
    int nZ = 0;
    int gap = 0;  ///< slices of the volume between the two ranges, which have nZ / 2 each
};

}  // namespace gantry::gpu
