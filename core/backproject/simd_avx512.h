#pragma once

#if defined(__AVX512F__)

#include <immintrin.h>

// SIMD lanes of AVX-512, for the sources that are compiled for it. Like the kernels they are in an
// anonymous namespace; see columns_kernel.h.
namespace gantry {

namespace {

struct Avx512 {
    using Float = __m512;
    using Integer = __m512i;  // its low bits are a row; see split()
    // One register of doubles, and as many floats and integers, in the compilers' vector extension.
    using Doubles = double __attribute__((vector_size(64)));
    using Floats = float __attribute__((vector_size(32)));
    using Integers = int __attribute__((vector_size(32)));
    struct Split {
        Integer row;
        Float fraction;
    };
    static constexpr int kLanes = 16;

    static Float load(const float* p) { return _mm512_loadu_ps(p); }
    static void store(float* p, Float a) { _mm512_storeu_ps(p, a); }
    static Float set(float a) { return _mm512_set1_ps(a); }
    static Float lanes() {
        return _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }
    static Float add(Float a, Float b) { return _mm512_add_ps(a, b); }
    static Float sub(Float a, Float b) { return _mm512_sub_ps(a, b); }
    static Float mul(Float a, Float b) { return _mm512_mul_ps(a, b); }
    static Float fma(Float a, Float b, Float c) { return _mm512_fmadd_ps(a, b, c); }
    static Float min(Float a, Float b) { return _mm512_min_ps(a, b); }
    static Float max(Float a, Float b) { return _mm512_max_ps(a, b); }
    // For numbers that are not negative.
    static Float floor(Float a) {
        return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    }
    static Integer integer(Float whole) { return _mm512_cvttps_epi32(whole); }
    // Exact to the last bit or two.
    static Float reciprocal(Float a) {
        const Float near = _mm512_rcp14_ps(a);
        return _mm512_fmadd_ps(near, _mm512_fnmadd_ps(a, near, set(1)), near);
    }

    // 1 - |a|, or 0 where that is less.
    static Float hat(Float a) {
        constexpr int kMinusMinSize = 0b1110;
        return _mm512_add_ps(set(1), _mm512_range_ps(a, set(1), kMinusMinSize));
    }

    // Adding 2^23 and rounding down leaves the whole part in the low bits of the sum, which the
    // permutations read.
    static Split split(Float a) {
        constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
        const Float sum = _mm512_add_round_ps(a, set(8388608.0F), kDown);
        return {_mm512_castps_si512(sum), _mm512_reduce_ps(a, kDown)};
    }
    static Integer next(Integer row) { return _mm512_add_epi32(row, _mm512_set1_epi32(1)); }
    static Float pick(Float rows, Integer row) { return _mm512_permutexvar_ps(row, rows); }
    static Float pick(Float low, Float high, Integer row) {
        return _mm512_permutex2var_ps(low, row, high);
    }

    // Settings for the general kernel: rows rise or fall from lane to lane in a window of two
    // registers.
    static constexpr bool kPicks = true;
    static constexpr bool kDownwards = true;
    static constexpr int kMaxPicked = 5;  // columns; beyond that, fetching four pixels is faster
    struct Window {
        Float low;
        Float high;
    };
    static Window window(const float* column, const int*) {
        return {load(column), load(column + kLanes)};
    }
    static Float pick(const Window& window, Integer row) {
        return pick(window.low, window.high, row);
    }

    static Integer wholeLanes(int step) {
        const Integer lane =
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        return _mm512_mullo_epi32(lane, _mm512_set1_epi32(step));
    }
    static Integer whole(Integer row, Integer more) {
        return _mm512_add_epi32(_mm512_and_si512(row, _mm512_set1_epi32(0x7fffff)), more);
    }
    static Integer clamp(Integer row, int low, int high) {
        return _mm512_min_epi32(_mm512_max_epi32(row, _mm512_set1_epi32(low)),
                                _mm512_set1_epi32(high));
    }
    static Float gather(const float* rows, Integer row) {
        return _mm512_i32gather_ps(row, rows, 4);
    }
    // Pairs of neighbours in memory.
    struct Pairs {
        Float first;
        Float second;
    };
    static Pairs gatherPairs(const float* pixels, Integer at) {
        const Float low =
            _mm512_castsi512_ps(_mm512_i32gather_epi64(_mm512_castsi512_si256(at), pixels, 4));
        const Float high = _mm512_castsi512_ps(
            _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(at, 1), pixels, 4));
        const Integer even =
            _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        return {_mm512_permutex2var_ps(low, even, high),
                _mm512_permutex2var_ps(low, next(even), high)};
    }
};

}  // namespace

}  // namespace gantry

#endif
