#pragma once

#include "core/base/lane_transform_impl.h"
#include "core/prep/fast_exp.h"
#include "core/prep/fast_log.h"
#include "core/prep/prep_lanes.h"

// The filter of phase retrieval. Included by one source file an instruction set, each compiled with
// its own flags; the unnamed namespace keeps the copies apart.
//
// Views are multiplied in frequency by cosine transforms of lines, which continue as their mirror
// images: two lines at a time, as the parts of complex numbers, by one complex transform of the
// same length (Makhoul 1980, doi 10.1109/TASSP.1980.1163351):
// C[k] = Σ x[n]·cos(π·k·(2n + 1)/(2N)). Each SIMD lane has two lines of its own: columns of a view
// as they are, rows of it transposed.
namespace gantry {
namespace {

// Where Makhoul's order has sample n of N: the even ones rise, the odd ones fall.
inline int shuffled(int n, int length) {
    return n % 2 == 0 ? n / 2 : length - 1 - n / 2;
}

template <int W>
Complex<W> turned(const Complex<W>& z, float c, float s) {
    return {z.re * c - z.im * s, z.re * s + z.im * c};
}

// The points of frequencies k and N − k of a transform of shuffled lines, or of their cosine
// transform times 2.
template <int W>
struct Pair {
    Complex<W> low;
    Complex<W> high;
};

template <int W>
Pair<W> toCosines(const Pair<W>& z, const float* turn) {
    const Complex<W> a = turned<W>(z.low, turn[0], -turn[1]);
    const Complex<W> b = turned<W>(z.high, turn[0], turn[1]);
    return {add<W>(a, b), {b.im - a.im, a.re - b.re}};
}

template <int W>
Pair<W> fromCosines(const Pair<W>& c, const float* turn) {
    const Complex<W> a = {c.low.re + c.high.im, c.low.im - c.high.re};
    const Complex<W> b = {c.low.re - c.high.im, c.low.im + c.high.re};
    return {turned<W>(a, turn[0], turn[1]), turned<W>(b, turn[0], -turn[1])};
}

template <int W>
Complex<W>* lineOf(const PhasePass& pass) {
    return reinterpret_cast<Complex<W>*>(pass.scratch);
}

// 2·W columns of the values as the parts of W lanes.
template <int W>
Complex<W>& columnsAt(const PhasePass& pass, int v, int u) {
    return *reinterpret_cast<Complex<W>*>(pass.values + v * pass.stride + u);
}

template <int W>
void transformColumns(const PhasePass& pass, int u) {
    const CosineTables& tables = pass.alongV;
    const int n = tables.length;
    Complex<W>* x = lineOf<W>(pass);
    for (int v = 0; v < n; ++v)
        x[shuffled(v, n)] = columnsAt<W>(pass, v < pass.rows ? v : 2 * pass.rows - 1 - v, u);
    transformDown<W>(tables.stages, tables.stageCount, x, 0);
    columnsAt<W>(pass, 0, u) = x[0];
    for (int k = 1; 2 * k <= n; ++k) {
        const Pair<W> c =
            toCosines<W>({x[tables.position[k]], x[tables.position[n - k]]}, tables.turn + 2 * k);
        columnsAt<W>(pass, k, u) = c.low;
        columnsAt<W>(pass, n - k, u) = c.high;
    }
}

template <int W>
void transformColumnsBack(const PhasePass& pass, int u) {
    const CosineTables& tables = pass.alongV;
    const int n = tables.length;
    Complex<W>* x = lineOf<W>(pass);
    x[0] = columnsAt<W>(pass, 0, u);
    for (int k = 1; 2 * k <= n; ++k) {
        const Pair<W> z = fromCosines<W>({columnsAt<W>(pass, k, u), columnsAt<W>(pass, n - k, u)},
                                         tables.turn + 2 * k);
        x[tables.position[k]] = z.low;
        x[tables.position[n - k]] = z.high;
    }
    transformUp<W>(tables.stages, tables.stageCount, x, 0);
    for (int v = 0; v < pass.rows; ++v)
        columnsAt<W>(pass, v, u) = x[shuffled(v, n)];
}

// 2·W rows, transposed: W of them are the real parts, the next W the imaginary parts.
template <int W>
void loadRows(const PhasePass& pass, int v, Complex<W>* x) {
    using V = typename Lanes<W>::Type;
    const int n = pass.alongU.length;
    for (int u = 0; u < pass.columns; u += W) {
        V block[2][W];
        for (int half = 0; half < 2; ++half) {
            const float* from = pass.values + (v + half * W) * pass.stride + u;
            for (int r = 0; r < W; ++r)
                block[half][r] = *reinterpret_cast<const V*>(from + r * pass.stride);
            transpose<W>(block[half]);
        }
        for (int i = 0; i < W && u + i < pass.columns; ++i)
            x[shuffled(u + i, n)] = {block[0][i], block[1][i]};
    }
    for (int u = pass.columns; u < n; ++u)
        x[shuffled(u, n)] = x[shuffled(2 * pass.columns - 1 - u, n)];
}

template <int W>
void storeRows(const PhasePass& pass, int v, const Complex<W>* x) {
    using V = typename Lanes<W>::Type;
    const int n = pass.alongU.length;
    for (int u = 0; u < pass.columns; u += W) {
        V block[2][W] = {};
        for (int i = 0; i < W && u + i < pass.columns; ++i) {
            block[0][i] = x[shuffled(u + i, n)].re;
            block[1][i] = x[shuffled(u + i, n)].im;
        }
        for (int half = 0; half < 2; ++half) {
            transpose<W>(block[half]);
            float* to = pass.values + (v + half * W) * pass.stride + u;
            for (int r = 0; r < W; ++r)
                *reinterpret_cast<V*>(to + r * pass.stride) = block[half][r];
        }
    }
}

template <int W>
void filterRows(const PhasePass& pass, int v) {
    using V = typename Lanes<W>::Type;
    const CosineTables& tables = pass.alongU;
    const int n = tables.length;
    Complex<W>* x = lineOf<W>(pass);
    loadRows<W>(pass, v, x);
    transformDown<W>(tables.stages, tables.stageCount, x, 0);
    // Registers of the rows' parts of the filter, of both halves.
    const auto* scale = reinterpret_cast<const V*>(pass.alongV.scale + v);
    const auto* square = reinterpret_cast<const V*>(pass.alongV.square + v);
    const auto filter = [&](int k, Complex<W>& c) {
        c.re *= tables.scale[k] * scale[0] / (1 + tables.square[k] + square[0]);
        c.im *= tables.scale[k] * scale[1] / (1 + tables.square[k] + square[1]);
    };
    filter(0, x[0]);
    for (int k = 1; 2 * k <= n; ++k) {
        Complex<W>& low = x[tables.position[k]];
        Complex<W>& high = x[tables.position[n - k]];
        Pair<W> c = toCosines<W>({low, high}, tables.turn + 2 * k);
        filter(k, c.low);
        filter(n - k, c.high);
        c = fromCosines<W>(c, tables.turn + 2 * k);
        low = c.low;
        high = c.high;
    }
    transformUp<W>(tables.stages, tables.stageCount, x, 0);
    storeRows<W>(pass, v, x);
}

// Stores the transmission. Returns the smallest value.
inline float takeTransmission(const PhasePass& pass) {
    float min = __FLT_MAX__;
    for (int v = 0; v < pass.rows; ++v) {
        const float* from = pass.view + static_cast<long>(v) * pass.columns;
        float* row = pass.values + v * pass.stride;
        for (int u = 0; u < pass.columns; ++u)
            row[u] = fastExp(-from[u]);
        for (int u = 0; u < pass.columns; ++u)
            min = row[u] < min ? row[u] : min;
        for (long u = pass.columns; u < pass.stride; ++u)
            row[u] = 0;
    }
    // Lines beside others in a complex number, which what a view before left in them would change.
    for (int v = pass.alongV.length; v % kPhaseRows != 0; ++v)
        for (long u = 0; u < pass.stride; ++u)
            pass.values[v * pass.stride + u] = 0;
    return min;
}

template <int W>
void retrievePhase(const PhasePass& pass) {
    const float min = takeTransmission(pass);
    for (int u = 0; u < pass.columns; u += 2 * W)
        transformColumns<W>(pass, u);
    for (int v = 0; v < pass.alongV.length; v += 2 * W)
        filterRows<W>(pass, v);
    for (int u = 0; u < pass.columns; u += 2 * W)
        transformColumnsBack<W>(pass, u);
    // The filter takes a mean of transmissions, which cannot be below the smallest of them; only
    // ripples are, so values are clamped.
    for (int v = 0; v < pass.rows; ++v) {
        const float* row = pass.values + v * pass.stride;
        float* to = pass.view + static_cast<long>(v) * pass.columns;
        for (int u = 0; u < pass.columns; ++u)
            to[u] = -fastLog(row[u] > min ? row[u] : min);
    }
}

}  // namespace
}  // namespace gantry
