#pragma once

#include <cstdint>

#include "gpu/kernels/repack_views.h"
#include "gpu/kernels/tile/local_view.h"

namespace gantry::gpu {

// Two ways to read pixels for interpolate():
//     first()                         the first view, from which step() moves to the next one
//     .pixels(row, column)            those at whole numbers and their neighbours
//     .mirrored(sum, row, column)     their mirror images, rows sum − row and sum − row − 1, which
//                                     have the same share

// Reads through the texture units without their filter, which blends with 8 bits. Pixels outside
// are 0.
template <bool transposed>
struct TextureViews {
    cudaTextureObject_t texture;

    template <int next>
    struct Pixels {
        cudaTextureObject_t texture;
        int s;
        float row;
        float column;
        __device__ float operator()(int dRow, int dColumn) const {
            // Aims at pixel centres, so that no rounding of the unit matters.
            const float v = row + (0.5F + static_cast<float>(dRow * next));
            const float u = column + (0.5F + static_cast<float>(dColumn));
            return transposed ? tex2DLayered<float>(texture, v, u, s)
                              : tex2DLayered<float>(texture, u, v, s);
        }
    };
    struct View {
        cudaTextureObject_t texture;
        int s;
        __device__ Pixels<1> pixels(float row, float column) const {
            return {texture, s, row, column};
        }
        __device__ Pixels<-1> mirrored(int sum, float row, float column) const {
            return {texture, s, static_cast<float>(sum) - row, column};
        }
        __device__ void step() { ++s; }
    };
    __device__ View first() const { return {texture, 0}; }
};

// Loads through the L1 cache from views with a border of zeros; rows beyond the border are 0 as
// well.
template <bool transposed>
struct MemoryViews {
    BorderedViews views;

    template <int next>
    struct Pixels {
        const float* pixel;
        int stride;
        __device__ float operator()(int dRow, int dColumn) const {
            return __ldg(transposed ? pixel + dColumn * stride + dRow * next
                                    : pixel + dRow * next * stride + dColumn);
        }
    };
    struct View {
        const float* origin;  // pixel (0, 0)
        std::int64_t viewStride;
        int stride;
        int nV;
        template <int next>
        __device__ Pixels<next> at(int row, int column) const {
            // Rows in [lowest, lowest + nV + 2] have both neighbours, if the border counts.
            constexpr int kLowest = next > 0 ? -BorderedViews::kBorderRows : -1;
            const int inside = min(max(row, kLowest), nV + kLowest + 2);
            const int line = transposed ? column : inside;
            const int i = transposed ? inside : column;
            return {origin + static_cast<std::int64_t>(line) * stride + i, stride};
        }
        __device__ Pixels<1> pixels(float row, float column) const {
            return at<1>(wholeNumber(row), wholeNumber(column));
        }
        __device__ Pixels<-1> mirrored(int sum, float row, float column) const {
            return at<-1>(sum - wholeNumber(row), wholeNumber(column));
        }
        __device__ void step() { origin += viewStride; }
    };
    __device__ View first() const {
        const int stride = transposed ? views.rows() : views.columns();
        const int border =
            transposed ? BorderedViews::kBorderColumns * stride + BorderedViews::kBorderRows
                       : BorderedViews::kBorderRows * stride + BorderedViews::kBorderColumns;
        return {views.data + border, views.viewStride(), stride, views.nV};
    }
};

}  // namespace gantry::gpu
