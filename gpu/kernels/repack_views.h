#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/kernels/filtered_views.h"

namespace gantry::gpu {

/// Views in device memory within a border of zeros, so that kernels need not ask whether a pixel
/// exists: [s][v][u], or transposed [s][u][v]; kBorderRows rows and kBorderColumns columns on
/// either side.
struct BorderedViews {
    static constexpr int kBorderRows = 2;
    static constexpr int kBorderColumns = 1;

    float* data = nullptr;
    int nV = 0;
    int nU = 0;

    __host__ __device__ int rows() const { return nV + 2 * kBorderRows; }
    __host__ __device__ int columns() const { return nU + 2 * kBorderColumns; }
    __host__ __device__ std::int64_t viewStride() const {
        return static_cast<std::int64_t>(rows()) * columns();
    }
};

/// A surface of layers, one a view.
struct LayeredSurface {
    cudaSurfaceObject_t surface = 0;
    int height = 0;
    int width = 0;
    int firstLayer = 0;  ///< of the first view
};

/// Rows [begin, end) of a view beside their mirror images: row r and row sum − r.
struct MirrorRows {
    int begin = 0;
    int end = 0;
    int sum = 0;
};

/// Rows of views of nV rows that the lower half of a slab that is its own mirror image reads.
MirrorRows mirrorRows(int sum, int nV);
/// Those of them that are not 0 where the slab is a pair, whose views may be joined.
MirrorRows mirrorRowsOfPair(int sum, const FilteredViews& views);

/// All five: on the stream; the caller asks whether the launch succeeded.
/// What the views lack is zero, to the end of the surface.
void repackToSurface(const FilteredViews& views, const LayeredSurface& out, cudaStream_t stream);
/// Each layer [u][v].
void repackTransposed(const FilteredViews& views, const LayeredSurface& out, cudaStream_t stream);
/// Two channels, rows from rows.begin on; pixels of the surface beyond rows.end are left as they
/// are.
void repackMirrored(const FilteredViews& views, const MirrorRows& rows, const LayeredSurface& out,
                    cudaStream_t stream);
/// [s][v][u] without gaps.
void repackPlain(const FilteredViews& views, float* out, cudaStream_t stream);
void repackBordered(const FilteredViews& views, const BorderedViews& out, bool transposed,
                    cudaStream_t stream);

}  // namespace gantry::gpu
