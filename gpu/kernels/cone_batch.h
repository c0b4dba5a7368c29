#pragma once

namespace gantry::gpu {

/// Views that one launch adds at most.
inline constexpr int kMostViews = 32;

/// Projection matrices of a batch, in double, on the voxel indices (i, j, k) of the slab and the
/// rows of the batch: m·(i, j, k, 1) = (u·z, v·z, z), where row 0 is the batch's first one.
/// Small enough to be a kernel's argument.
struct ConeBatch {
    double m[kMostViews][3][4];
    int views = 0;
};

/// Voxels of a slab in device memory. One of two ranges of slices has them one behind the other.
struct ConeSlab {
    float* voxels = nullptr;
    int nX = 0;
    int nY = 0;
    int nZ = 0;
    int gap = 0;  ///< slices of the volume between the two ranges, each of nZ / 2
};

}  // namespace gantry::gpu
