#pragma once

#if defined(__AVX2__)

#include <immintrin.h>

// SIMD lanes of AVX2, for the sources that are compiled for it. Like the kernels they are in an
// anonymous namespace; see columns_kernel.h.
namespace gantry {

namespace {

struct Avx2 {
    using Float = __m256;
    using Integer = __m256i;
    // One register of doubles, and as many floats and integers, in the compilers' vector extension.
    using Doubles = double __attribute__((vector_size(32)));
    using Floats = float __attribute__((vector_size(16)));
    using Integers = int __attribute__((vector_size(16)));
    struct Split {
        Integer row;
        Float fraction;
    };
    static constexpr int kLanes = 8;

    static Float load(const float* p) { return _mm256_loadu_ps(p); }
    static void store(float* p, Float a) { _mm256_storeu_ps(p, a); }
    static Float set(float a) { return _mm256_set1_ps(a); }
    static Float lanes() { return _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7); }
    static Float add(Float a, Float b) { return _mm256_add_ps(a, b); }
    static Float sub(Float a, Float b) { return _mm256_sub_ps(a, b); }
    static Float mul(Float a, Float b) { return _mm256_mul_ps(a, b); }
    static Float fma(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }
    static Float min(Float a, Float b) { return _mm256_min_ps(a, b); }
    static Float max(Float a, Float b) { return _mm256_max_ps(a, b); }
    // For numbers that are not negative.
    static Float floor(Float a) { return _mm256_cvtepi32_ps(integer(a)); }
    static Integer integer(Float a) { return _mm256_cvttps_epi32(a); }
    // Exact to the last bit or two; a division would take as long as five of the other
    // instructions.
    static Float reciprocal(Float a) {
        const Float near = _mm256_rcp_ps(a);
        return _mm256_fmadd_ps(near, _mm256_fnmadd_ps(a, near, set(1)), near);
    }

    // 1 - |a|, or 0 where that is less.
    static Float hat(Float a) { return max(add(set(1), _mm256_or_ps(a, set(-0.0F))), set(0)); }

    static Split split(Float a) {
        const Integer whole = _mm256_cvttps_epi32(a);
        return {whole, sub(a, _mm256_cvtepi32_ps(whole))};
    }
    static Integer next(Integer row) { return _mm256_add_epi32(row, _mm256_set1_epi32(1)); }
    static Float pick(Float rows, Integer row) { return _mm256_permutevar8x32_ps(rows, row); }
    static Float pick(Float low, Float high, Integer row) {
        // Bit 3 of the row, moved to the blend's selector bit, chooses between the two registers.
        const Float isHigh = _mm256_castsi256_ps(_mm256_slli_epi32(row, 28));
        return _mm256_blendv_ps(pick(low, row), pick(high, row), isHigh);
    }

    // Settings for the general kernel: rows rise from lane to lane in a window of two registers.
    // Each half of the lanes picks from a window that begins at its own first row, because halves
    // of a register are joined faster than single lanes.
    static constexpr bool kPicks = true;
    static constexpr bool kDownwards = false;
    static constexpr int kMaxPicked = 3;  // columns; beyond that, fetching four pixels is faster
    struct Window {
        Float low;
        Float high;
    };
    static void keepRows(Integer row, int* rows, int* inWindow) {
        _mm256_storeu_si256(reinterpret_cast<Integer*>(rows), row);
        _mm256_storeu_si256(reinterpret_cast<Integer*>(inWindow),
                            _mm256_sub_epi32(row, _mm256_shuffle_epi32(row, 0)));
    }
    static Integer loadRows(const int* rows) {
        return _mm256_loadu_si256(reinterpret_cast<const Integer*>(rows));
    }
    static Window window(const float* column, const int* rows) {
        return {load(column + rows[0]), load(column + rows[kLanes / 2])};
    }
    static Float pick(const Window& window, Integer row) {
        return _mm256_blend_ps(pick(window.low, row), pick(window.high, row), 0xf0);
    }

    static Integer wholeLanes(int step) {
        return _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                  _mm256_set1_epi32(step));
    }
    static Integer whole(Integer row, Integer more) { return _mm256_add_epi32(row, more); }
    static Integer clamp(Integer row, int low, int high) {
        return _mm256_min_epi32(_mm256_max_epi32(row, _mm256_set1_epi32(low)),
                                _mm256_set1_epi32(high));
    }
    static Float gather(const float* rows, Integer row) {
        return _mm256_i32gather_ps(rows, row, 4);
    }
    // Pairs of neighbours in memory.
    struct Pairs {
        Float first;
        Float second;
    };
    static Pairs gatherPairs(const float* pixels, Integer at) {
        const auto* pairs = reinterpret_cast<const long long*>(pixels);
        const Float low =
            _mm256_castsi256_ps(_mm256_i32gather_epi64(pairs, _mm256_castsi256_si128(at), 4));
        const Float high =
            _mm256_castsi256_ps(_mm256_i32gather_epi64(pairs, _mm256_extracti128_si256(at, 1), 4));
        // Shuffles within each half of the register, then exchanges the halves' middles.
        constexpr int kMiddles = 0b11011000;
        const auto inOrder = [](Float a) {
            return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(a), kMiddles));
        };
        return {inOrder(_mm256_shuffle_ps(low, high, 0b10001000)),
                inOrder(_mm256_shuffle_ps(low, high, 0b11011101))};
    }
};

}  // namespace

}  // namespace gantry

#endif
