#pragma once

#include <cuda_runtime_api.h>

#include <cmath>

namespace gantry::gpu {

/// A view's matrix as float, relative to a voxel and a pixel near by. Rounding a coordinate of
/// hundreds of rows to float costs 3e-5 rows; relative to a near pixel it costs less than 1e-6. At
/// d = (i, j, k, 1), in voxels from the one it was made at: u·d = (column of the view − column)·z,
/// v·d likewise for rows, and z·d is the depth from the source, mm.
struct LocalView {
    float4 u;
    float4 v;
    float4 z;
    float column;  ///< a whole number, as is row
    float row;
};

/// Smaller depths, mm, count as at or behind the source, so that 1/z² and its products stay finite.
inline constexpr float kMinDepthMm = 1e-9F;

namespace detail {
// Whole numbers up to here are exact in float, and no detector has as many pixels.
inline constexpr double kFarPixel = 1 << 20;
// Floats within 2²² of this one are the whole numbers.
inline constexpr float kWholeFloats = 12582912.0F;

__host__ __device__ inline double nearPixel(double numerator, double depthMm) {
    if (!(depthMm > 0)) return 0;
    const double pixel = floor(numerator / depthMm);
    return fmin(fmax(pixel, -kFarPixel), kFarPixel);
}
}  // namespace detail

/// Makes the view relative to voxel (i, j, k). m: as in ConeBatch. Called once a block and view,
/// since it computes in double. Tests: tests/gpu/kernels/cone_math_test.cpp
__host__ __device__ inline LocalView localView(const double (&m)[3][4], int i, int j, int k) {
    double here[3];
    for (int row = 0; row < 3; ++row)
        here[row] = m[row][0] * i + m[row][1] * j + m[row][2] * k + m[row][3];
    const double column = detail::nearPixel(here[0], here[2]);
    const double row = detail::nearPixel(here[1], here[2]);
    const auto from = [&](int of, double pixel) {
        return float4{static_cast<float>(m[of][0] - pixel * m[2][0]),
                      static_cast<float>(m[of][1] - pixel * m[2][1]),
                      static_cast<float>(m[of][2] - pixel * m[2][2]),
                      static_cast<float>(here[of] - pixel * here[2])};
    };
    return {from(0, column), from(1, row), from(2, 0), static_cast<float>(column),
            static_cast<float>(row)};
}

/// What all voxels of a column share in one view of an aligned detector: their depth and detector
/// column, and rows that rise evenly.
struct ColumnView {
    float reciprocal;   ///< 1/z, 1/mm; 0 where the view does not see the column
    float step;         ///< rows a voxel
    float row;          ///< whole number below the row of the slice that the view is relative to
    float rowShare;     ///< fraction above that row
    float column;       ///< whole number below the column
    float columnShare;  ///< fraction right of that column
};

/// The whole number below a coordinate, and the rest, in [0, 1).
struct Split {
    float whole;
    float share;
};

/// x: within ±2²². Farther out, whole is still far away and share is finite.
__host__ __device__ inline Split split(float x) {
#ifdef __CUDA_ARCH__
    // Adding rounds down to where floats are whole numbers, which is cheaper than floor.
    const float whole = __fadd_rd(x, detail::kWholeFloats) - detail::kWholeFloats;
#else
    const float whole = floorf(x);
#endif
    return {whole, x - whole};
}

/// 1/x to 1 ulp; x must be a normal number.
__host__ __device__ inline float nearReciprocal(float x) {
#ifdef __CUDA_ARCH__
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return 1 / x;
#endif
}

/// Converts a whole number within ±2²² to an integer.
__host__ __device__ inline int wholeNumber(float whole) {
#ifdef __CUDA_ARCH__
    return __float_as_int(whole + detail::kWholeFloats) - __float_as_int(detail::kWholeFloats);
#else
    return static_cast<int>(whole);
#endif
}

/// The column of voxels at (i, j) relative to the view's voxel. nU: columns of views.
__host__ __device__ inline ColumnView columnView(const LocalView& view, float i, float j, int nU) {
    const float z = fmaf(view.z.x, i, fmaf(view.z.y, j, view.z.w));
    if (!(z > kMinDepthMm)) return {};
    const float reciprocal = 1 / z;
    const float u = fmaf(view.u.x, i, fmaf(view.u.y, j, view.u.w)) * reciprocal;
    if (!(u > -1 - view.column && u < static_cast<float>(nU) - view.column)) return {};
    const Split column = split(u);
    const Split row = split(fmaf(view.v.x, i, fmaf(view.v.y, j, view.v.w)) * reciprocal);
    // Columns with rows beyond these are not seen, so that all rows are exact whole numbers as
    // float.
    constexpr auto kFarRow = static_cast<float>(2 * detail::kFarPixel);
    constexpr float kMaxStep = 1 << 17;
    return {reciprocal,
            fminf(view.v.z * reciprocal, kMaxStep),
            fminf(fmaxf(row.whole + view.row, -kFarRow), kFarRow),
            row.share,
            column.whole + view.column,
            column.share};
}

}  // namespace gantry::gpu
