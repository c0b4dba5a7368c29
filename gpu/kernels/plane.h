#pragma once

#include <cuda_runtime_api.h>

namespace gantry::gpu {

/// Max planes that one launch renders.
inline constexpr int kMaxPlanes = 16;

/// Where the pixels of a plane lie in one view: (u + ½)·z, (v + ½)·z and z, each [0]·column +
/// [1]·row + [2]; z is in mm, and u + ½, v + ½ are texture coordinates. [3] pads a load.
struct alignas(16) PlaneView {
    float u[4];
    float v[4];
    float z[4];
};

/// A plane's picture [row][column] in device memory, and its place in all views of the launch.
struct PlanePicture {
    float* pixels = nullptr;
    const PlaneView* views = nullptr;
    int columns = 0;
    int rows = 0;
};

/// It is small enough to be a kernel's argument.
struct PlaneBatch {
    PlanePicture planes[kMaxPlanes];
    int count = 0;
};

/// Adds views to the pictures, on the stream: pixel += Σ_s (1/z)²·interp2(Q_s, u, v).
/// views: layers [0, nS) of a texture that interpolates, with unnormalised coordinates and 0
/// outside exact: interpolates in single precision instead of texture hardware's fractions of 8
/// bits
void addPlanes(const PlaneBatch& batch, cudaTextureObject_t views, int nS, bool exact,
               cudaStream_t stream);

/// How line integrals are resampled from a real detector to the aligned one that stands for it, as
/// in core/prep/rectify.h, with columns of zeros on both sides.
struct AlignTask {
    int rows = 0;
    int columns = 0;    ///< of the real detector
    int padBefore = 0;  ///< columns of zeros before them
    int padded = 0;     ///< columns with the zeros on both sides
    /// Pixel (u, v, 1) of the aligned detector, without padding, to pixels of the real one.
    double toReal[3][3] = {};
};

/// views: [s][v][u]; out: [s][v][u], padded. On the stream.
void alignViews(const AlignTask& task, const float* views, int nS, float* out, cudaStream_t stream);

}  // namespace gantry::gpu
