#pragma once

#include "core/backproject/simd_kernels.h"

// Included by general_kernel.h, whose flags apply.
namespace gantry {
namespace {

// Interpolates in a view [u][v], relative to a pixel, for a register of voxels.
template <class Simd>
struct GeneralPixels {
    using Float = typename Simd::Float;
    using Integer = typename Simd::Integer;

    const float* pixels;
    Index stride;  // floats from one detector column to the next

    // A position whose rows are in a window of two registers.
    struct At {
        Float u;
        Float fraction;   // of the row
        const int* rows;  // of each voxel, where the window depends on the rows
        Integer inWindow;
    };

    static At at(Float u, Float v) {
        const auto [row, fraction] = Simd::split(v);
        return {u, fraction, nullptr, row};
    }

    // Interpolates between two detector columns.
    [[nodiscard]] Float ofTwo(const At& at) const {
        const auto ofColumn = [&](const float* column) {
            const auto window = Simd::window(column, at.rows);
            const Float below = Simd::pick(window, at.inWindow);
            const Float above = Simd::pick(window, Simd::next(at.inWindow));
            return Simd::fma(at.fraction, Simd::sub(above, below), below);
        };
        const Float left = ofColumn(pixels);
        return Simd::fma(at.u, Simd::sub(ofColumn(pixels + stride), left), left);
    }

    // Interpolates in more than two columns: each has weight 1 - |its distance|, or 0. The two rows
    // are blended once at the end.
    [[nodiscard, gnu::always_inline]] Float ofMore(const At& at, int columns) const {
        const Integer next = Simd::next(at.inWindow);
        Float below = Simd::set(0);
        Float above = Simd::set(0);
#pragma GCC unroll 8
        for (int c = 0; c < columns; ++c) {
            const auto window = Simd::window(pixels + c * stride, at.rows);
            const Float share = Simd::hat(Simd::sub(at.u, Simd::set(static_cast<float>(c))));
            below = Simd::fma(share, Simd::pick(window, at.inWindow), below);
            above = Simd::fma(share, Simd::pick(window, next), above);
        }
        return Simd::fma(at.fraction, Simd::sub(above, below), below);
    }

    // Fetches four pixels for each voxel.
    [[nodiscard]] Float fetched(Float u, Float v) const {
        return ofFour(Simd::floor(u), u, v);
    }

    // The same where some voxels lie before column 0 or behind the last column `end`. Both columns
    // are 0, so clamping gives 0 for these voxels.
    [[nodiscard]] Float fetchedWithin(Float u, Float v, float end) const {
        const Float within = Simd::min(Simd::max(u, Simd::set(0)), Simd::set(end));
        return ofFour(Simd::min(Simd::floor(within), Simd::set(end - 1)), within, v);
    }

    [[nodiscard]] Float ofFour(Float left, Float u, Float v) const {
        const Float row = Simd::floor(v);
        const Float dv = Simd::sub(v, row);
        const auto pixel =
            Simd::integer(Simd::fma(left, Simd::set(static_cast<float>(stride)), row));
        const auto between = [&](const float* from) {
            const auto [below, above] = Simd::gatherPairs(from, pixel);
            return Simd::fma(dv, Simd::sub(above, below), below);
        };
        const Float value = between(pixels);
        return Simd::fma(Simd::sub(u, left), Simd::sub(between(pixels + stride), value), value);
    }
};

// Adds a view to `count` voxels of a column from (x, y, k) on one by one, in double.
void addSingly(const GeneralTask& task, const GeneralView& view, double x, double y, double k,
               int count, float* sums) {
    for (int i = 0; i < count; ++i) {
        const auto line = [&](const double(&m)[4]) {
            return m[0] * x + m[1] * y + m[2] * (k + i) + m[3];
        };
        const double z = line(view.m[2]);
        if (!(z > 0)) continue;
        const double u = line(view.m[0]) / z;
        const double v = line(view.m[1]) / z;
        if (!(u > 0 && u < static_cast<double>(task.columns - 1))) continue;
        if (!(v > static_cast<double>(task.rowBegin - 1) && v < static_cast<double>(task.rowEnd)))
            continue;
        const auto column = static_cast<Index>(u);
        const auto row = static_cast<Index>(v);
        const double du = u - static_cast<double>(column);
        const double dv = v - static_cast<double>(row);
        const float* left = view.rows + column * task.viewColumnStride + row;
        const float* right = left + task.viewColumnStride;
        const double below = left[0] * (1 - du) + right[0] * du;
        const double above = left[1] * (1 - du) + right[1] * du;
        sums[i] += static_cast<float>((below * (1 - dv) + above * dv) / (z * z));
    }
}

}  // namespace
}  // namespace gantry
