#pragma once

#include "core/base/lane_transform_impl.h"
#include "core/filter/lane_kernel.h"

// The body of every lane kernel. Included by one source file an instruction set, each compiled with
// its own flags; the unnamed namespace keeps the copies apart.
//
// A row of nU samples is convolved through one complex transform of M >= nU points: with the twist
// e^{−iπj/(2M)} on its samples, the transform takes the spectrum of the zero-padded row of 2M
// samples at the frequencies (k + 1/4)/M; the others are their conjugates, so that
// y_j = Re(e^{iπj/(2M)}·IDFT_M(H·X)_j). That is half the work of a padded real transform, and no
// row depends on its neighbours. The response is real because the kernel is even.
//
// A block of points goes all the way down and up again while it is in the cache.
namespace gantry {
namespace {

// Convolves block x of stage s: transforms it down to single points, applies the response, and
// transforms back.
template <int W>
void convolve(const LaneTables& tables, Complex<W>* x, const float* response, int s) {
    constexpr unsigned long kCacheBytes = 16384;
    const LaneStage& stage = tables.stage[s];
    const int last = tables.stages - 1;
    if (s<last&& static_cast<unsigned long>(stage.length) * sizeof(Complex<W>)> kCacheBytes) {
        const int step = stage.length / stage.radix;
        runPass<W>(Pass::forward, x, stage, nullptr, 1);
        for (int q = 0; q < stage.radix; ++q)
            convolve<W>(tables, x + q * step, response + q * step, s + 1);
        runPass<W>(Pass::inverse, x, stage, nullptr, 1);
        return;
    }
    const int points = stage.length;
    for (int i = s; i < last; ++i)
        runPass<W>(Pass::forward, x, tables.stage[i], nullptr, points / tables.stage[i].length);
    runPass<W>(Pass::middle, x, tables.stage[last], response, points / tables.stage[last].length);
    for (int i = last - 1; i >= s; --i)
        runPass<W>(Pass::inverse, x, tables.stage[i], nullptr, points / tables.stage[i].length);
}

// Columns [u, u + n) of every row, one column a vector; missing rows are 0.
template <int W>
GANTRY_INLINE void loadColumns(const LaneRows& rows, int u, int n, typename Lanes<W>::Type* block) {
    using Unaligned = typename Lanes<W>::Unaligned;
    for (int r = 0; r < W; ++r) {
        block[r] = typename Lanes<W>::Type{};
        if (r >= rows.count) continue;
        const float* from = rows.first + r * rows.stride + u;
        if (n == W)
            block[r] = *reinterpret_cast<const Unaligned*>(from);
        else
            for (int i = 0; i < n; ++i)
                block[r][i] = from[i];
    }
    transpose<W>(block);
}

template <int W>
GANTRY_INLINE void storeColumns(const LaneRows& rows, int u, int n,
                                typename Lanes<W>::Type* block) {
    using Unaligned = typename Lanes<W>::Unaligned;
    transpose<W>(block);
    for (int r = 0; r < rows.count && r < W; ++r) {
        float* to = rows.first + r * rows.stride + u;
        if (n == W)
            *reinterpret_cast<Unaligned*>(to) = block[r];
        else
            for (int i = 0; i < n; ++i)
                to[i] = block[r][i];
    }
}

template <int W>
void weightAndTwist(const LaneTables& tables, const LaneRows& rows, Complex<W>* x) {
    using V = typename Lanes<W>::Type;
    V squareV;
    for (int i = 0; i < W; ++i)
        squareV[i] = rows.squareV[i];
    for (int u = 0; u < tables.columns; u += W) {
        const int n = tables.columns - u < W ? tables.columns - u : W;
        V block[W];
        loadColumns<W>(rows, u, n, block);
        for (int i = 0; i < n; ++i) {
            V root = squareV + rows.squareU[u + i];
            for (int lane = 0; lane < W; ++lane)
                root[lane] = __builtin_sqrtf(root[lane]);
            const V value = block[i] * (rows.scale[u + i] / root);
            const float* twist = tables.twist + 2 * (u + i);
            x[u + i] = {value * twist[0], -(value * twist[1])};
        }
    }
    for (int j = tables.columns; j < tables.length; ++j)
        x[j] = Complex<W>{};
}

template <int W>
void untwist(const LaneTables& tables, const LaneRows& rows, const Complex<W>* x) {
    for (int u = 0; u < tables.columns; u += W) {
        const int n = tables.columns - u < W ? tables.columns - u : W;
        typename Lanes<W>::Type block[W];
        for (int i = 0; i < W; ++i) {
            block[i] = typename Lanes<W>::Type{};
            if (i >= n) continue;
            const float* twist = tables.twist + 2 * (u + i);
            block[i] = x[u + i].re * twist[0] - x[u + i].im * twist[1];
        }
        storeColumns<W>(rows, u, n, block);
    }
}

template <int W>
void filterLanes(const LaneTables& tables, const LaneRows& rows) {
    auto* x = reinterpret_cast<Complex<W>*>(rows.scratch);
    weightAndTwist<W>(tables, rows, x);
    convolve<W>(tables, x, tables.response, 0);
    untwist<W>(tables, rows, x);
}

}  // namespace
}  // namespace gantry
