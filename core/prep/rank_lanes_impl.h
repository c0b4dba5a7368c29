#pragma once

#include "core/prep/prep_lanes.h"

// The sorting of columns and the running median of ranks. Included by one source file an
// instruction set, each compiled with its own flags; the unnamed namespace keeps the copies apart.
namespace gantry {
namespace {

template <class T, int N>
struct Register {
    typedef T Type __attribute__((vector_size(N * sizeof(T))));
    typedef T Unaligned __attribute__((vector_size(N * sizeof(T)), aligned(alignof(T)), may_alias));
};

// A finite float and the number of its view as one positive, normal, finite double, which sorts by
// value and then by view. Every instruction set has the min and max of doubles.
inline double sortKey(float value, int view) {
    const auto bits = __builtin_bit_cast(unsigned, value);
    const unsigned ordered = bits & 0x80000000U ? ~bits : bits | 0x80000000U;
    return __builtin_bit_cast(double, static_cast<unsigned long long>(ordered) << 31 |
                                          static_cast<unsigned long long>(view));
}

inline float valueOf(double key) {
    const auto ordered = static_cast<unsigned>(__builtin_bit_cast(unsigned long long, key) >> 31);
    return __builtin_bit_cast(float, ordered & 0x80000000U ? ordered & 0x7fffffffU : ~ordered);
}

inline int viewOf(double key) {
    return static_cast<int>(__builtin_bit_cast(unsigned long long, key) & 0x7fffffffU);
}

// Sorts the lanes of n registers by merge exchange: Knuth, The Art of Computer Programming,
// volume 3, 5.2.2, algorithm M. Which registers are compared depends only on n.
template <class Keys>
void sortLanes(Keys* x, int n) {
    int top = 1;
    while (2 * top < n)
        top *= 2;
    for (int p = top; p > 0; p /= 2) {
        int q = top;
        int r = 0;
        for (int d = p;; d = q - p, q /= 2, r = p) {
            for (int begin = r; begin < n - d; begin += 2 * p) {
                const int end = begin + p < n - d ? begin + p : n - d;
                for (int i = begin; i < end; ++i) {
                    const Keys a = x[i];
                    const Keys b = x[i + d];
                    x[i] = a < b ? a : b;
                    x[i + d] = b > a ? b : a;
                }
            }
            if (q == p) break;
        }
    }
}

template <int W>
void sortColumns(const ColumnSort& sort) {
    constexpr int kDoubles = W / 2;
    using Keys = typename Register<double, kDoubles>::Type;
    const long part = static_cast<long>(sort.views) * kDoubles;  // keys of so many columns
    for (int s = 0; s < sort.views; ++s) {
        const float* from = sort.first + s * sort.stride;
        for (int u = 0; u < sort.columns; ++u)
            sort.keys[u / kDoubles * part + s * kDoubles + u % kDoubles] = sortKey(from[u], s);
    }
    for (int u = 0; u < sort.columns; u += kDoubles) {
        double* keys = sort.keys + u / kDoubles * part;
        sortLanes(reinterpret_cast<Keys*>(keys), sort.views);
        for (int i = 0; i < kDoubles && u + i < sort.columns; ++i)
            for (int rank = 0; rank < sort.views; ++rank) {
                const double key = keys[static_cast<long>(rank) * kDoubles + i];
                sort.sorted[(u + i) * sort.rankStride + rank] = valueOf(key);
                sort.order[(u + i) * sort.rankStride + rank] = viewOf(key);
            }
    }
}

// Puts `come` in the place of `gone` in a window of values in order; what follows the window is
// infinite.
template <class Floats>
inline void replace(Floats* window, int width, Floats gone, Floats come) {
    Floats before = Floats{} - __builtin_inff();  // without `gone`, one place lower
    for (int i = 0; i < width; ++i) {
        const Floats own = window[i] < gone ? window[i] : window[i + 1];
        const Floats low = own < come ? own : come;
        window[i] = before > low ? before : low;
        before = own;
    }
}

template <int W>
void takeMedians(const RankMedian& rows) {
    using Floats = typename Register<float, W>::Type;
    using Unaligned = typename Register<float, W>::Unaligned;
    const int half = rows.width / 2;
    const int extended = rows.columns + 2 * half;
    auto* row = reinterpret_cast<Floats*>(rows.scratch);
    Floats* window = row + extended;
    for (int i = 0; i < extended; ++i) {
        int u = (i - half) % (2 * rows.columns);
        if (u < 0) u += 2 * rows.columns;
        if (u >= rows.columns) u = 2 * rows.columns - 1 - u;
        row[i] = *reinterpret_cast<const Unaligned*>(rows.first + u * rows.rankStride);
    }
    const Floats infinite = Floats{} + __builtin_inff();
    for (int i = 0; i <= rows.width; ++i)
        window[i] = infinite;
    for (int i = 0; i < rows.width; ++i)
        replace(window, rows.width, infinite, row[i]);
    for (int u = 0;; ++u) {
        *reinterpret_cast<Unaligned*>(rows.first + u * rows.rankStride) = window[half];
        if (u + 1 == rows.columns) break;
        replace(window, rows.width, row[u], row[u + rows.width]);
    }
}

}  // namespace
}  // namespace gantry
