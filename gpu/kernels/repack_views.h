#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/kernels/prepare/filtered_views.h"

namespace gantry::gpu {

/// Views in device memory with a border of zeros, so that kernels need not check whether a pixel
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

/// Rows [begin, end) of a view, each with its mirror image: row r and row sum − r.
struct MirrorRows {
    int begin = 0;
    int end = 0;
    int sum = 0;
};

/// Rows, of nV in a view, that the lower half of a slab reads that is its own mirror image.
MirrorRows mirrorRows(int sum, int nV);
/// The same for a slab of two ranges, whose views may be joined: only the rows that are not all 0.
MirrorRows mirrorRowsOfPair(int sum, const FilteredViews& views);

/// Repacks views a layer each. This and the next four work on the stream; the caller checks whether
/// the launch succeeded. The surface beyond the views is set to 0.
void repackToSurface(const FilteredViews& views, const LayeredSurface& out, cudaStream_t stream);
/// Repacks each view transposed: layers are [u][v].
void repackTransposed(const FilteredViews& views, const LayeredSurface& out, cudaStream_t stream);
/// Repacks into two channels, rows from rows.begin on; pixels of the surface beyond rows.end are
/// left unchanged.
void repackMirrored(const FilteredViews& views, const MirrorRows& rows, const LayeredSurface& out,
                    cudaStream_t stream);
/// Repacks to [s][v][u] without gaps.
void repackPlain(const FilteredViews& views, float* out, cudaStream_t stream);
void repackBordered(const FilteredViews& views, const BorderedViews& out, bool transposed,
                    cudaStream_t stream);

}  // namespace gantry::gpu
