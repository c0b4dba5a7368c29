#pragma once

#include <utility>

#include "core/base/lane_transform.h"

// Transforms of several lines at once, one in each lane of a SIMD register. Included by source
// files of which there is one an instruction set, each compiled with its own flags; the unnamed
// namespace keeps the copies apart.
//
// The forward transform decimates in frequency and leaves its points in digit-reversed order, the
// inverse one starts from there: nothing is reordered.
namespace gantry {
namespace {

template <int W>
struct Lanes {
    typedef float Type __attribute__((vector_size(W * sizeof(float))));
    typedef float Unaligned __attribute__((vector_size(W * sizeof(float)), aligned(4), may_alias));
};

template <int W>
struct Complex {
    typename Lanes<W>::Type re;
    typename Lanes<W>::Type im;
};

#define GANTRY_INLINE inline __attribute__((always_inline))

template <int W>
GANTRY_INLINE Complex<W> add(const Complex<W>& a, const Complex<W>& b) {
    return {a.re + b.re, a.im + b.im};
}
template <int W>
GANTRY_INLINE Complex<W> subtract(const Complex<W>& a, const Complex<W>& b) {
    return {a.re - b.re, a.im - b.im};
}

// In-place transform of P points, e^{−2πi…}.
template <int W, int P>
GANTRY_INLINE void smallTransform(Complex<W>* x) {
    if constexpr (P == 2) {
        const Complex<W> a = x[0];
        x[0] = add<W>(a, x[1]);
        x[1] = subtract<W>(a, x[1]);
    } else if constexpr (P == 3) {
        constexpr float kSin = 0.866025403784438647f;
        const Complex<W> sum = add<W>(x[1], x[2]);
        const Complex<W> difference = subtract<W>(x[1], x[2]);
        const Complex<W> middle = {x[0].re - 0.5f * sum.re, x[0].im - 0.5f * sum.im};
        x[0] = add<W>(x[0], sum);
        x[1] = {middle.re + kSin * difference.im, middle.im - kSin * difference.re};
        x[2] = {middle.re - kSin * difference.im, middle.im + kSin * difference.re};
    } else if constexpr (P == 4) {
        const Complex<W> a = add<W>(x[0], x[2]);
        const Complex<W> b = subtract<W>(x[0], x[2]);
        const Complex<W> c = add<W>(x[1], x[3]);
        const Complex<W> d = subtract<W>(x[1], x[3]);
        x[0] = add<W>(a, c);
        x[1] = {b.re + d.im, b.im - d.re};
        x[2] = subtract<W>(a, c);
        x[3] = {b.re - d.im, b.im + d.re};
    } else {
        static_assert(P == 5);
        constexpr float kCos1 = 0.309016994374947424f;
        constexpr float kCos2 = -0.809016994374947424f;
        constexpr float kSin1 = 0.951056516295153572f;
        constexpr float kSin2 = 0.587785252292473129f;
        const Complex<W> s1 = add<W>(x[1], x[4]);
        const Complex<W> d1 = subtract<W>(x[1], x[4]);
        const Complex<W> s2 = add<W>(x[2], x[3]);
        const Complex<W> d2 = subtract<W>(x[2], x[3]);
        const Complex<W> m1 = {x[0].re + kCos1 * s1.re + kCos2 * s2.re,
                               x[0].im + kCos1 * s1.im + kCos2 * s2.im};
        const Complex<W> m2 = {x[0].re + kCos2 * s1.re + kCos1 * s2.re,
                               x[0].im + kCos2 * s1.im + kCos1 * s2.im};
        const Complex<W> n1 = {kSin1 * d1.re + kSin2 * d2.re, kSin1 * d1.im + kSin2 * d2.im};
        const Complex<W> n2 = {kSin2 * d1.re - kSin1 * d2.re, kSin2 * d1.im - kSin1 * d2.im};
        x[0] = add<W>(add<W>(x[0], s1), s2);
        x[1] = {m1.re + n1.im, m1.im - n1.re};
        x[2] = {m2.re + n2.im, m2.im - n2.re};
        x[3] = {m2.re - n2.im, m2.im + n2.re};
        x[4] = {m1.re - n1.im, m1.im + n1.re};
    }
}

// The inverse is the forward transform with real and imaginary parts exchanged.
template <int W, int P>
GANTRY_INLINE void smallInverse(Complex<W>* x) {
    for (int p = 0; p < P; ++p)
        x[p] = {x[p].im, x[p].re};
    smallTransform<W, P>(x);
    for (int p = 0; p < P; ++p)
        x[p] = {x[p].im, x[p].re};
}

template <int W, int P>
void forwardPass(Complex<W>* x, const LaneStage& stage, int blocks) {
    const long length = stage.length;
    const long step = length / P;
    const float* w = stage.twiddles;
    for (long j = 0; j < step; ++j, w += 2 * (P - 1)) {
        Complex<W>* point = x + j;
        for (int b = 0; b < blocks; ++b, point += length) {
            Complex<W> y[P];
            for (int p = 0; p < P; ++p)
                y[p] = point[p * step];
            smallTransform<W, P>(y);
            point[0] = y[0];
            for (int q = 1; q < P; ++q) {
                const float c = w[2 * q - 2];
                const float s = w[2 * q - 1];
                point[q * step] = {y[q].re * c - y[q].im * s, y[q].re * s + y[q].im * c};
            }
        }
    }
}

template <int W, int P>
void inversePass(Complex<W>* x, const LaneStage& stage, int blocks) {
    const long length = stage.length;
    const long step = length / P;
    const float* w = stage.twiddles;
    for (long j = 0; j < step; ++j, w += 2 * (P - 1)) {
        Complex<W>* point = x + j;
        for (int b = 0; b < blocks; ++b, point += length) {
            Complex<W> y[P];
            y[0] = point[0];
            for (int q = 1; q < P; ++q) {
                const float c = w[2 * q - 2];
                const float s = w[2 * q - 1];
                const Complex<W> z = point[q * step];
                y[q] = {z.re * c + z.im * s, z.im * c - z.re * s};
            }
            smallInverse<W, P>(y);
            for (int p = 0; p < P; ++p)
                point[p * step] = y[p];
        }
    }
}

// Last forward pass, response and first inverse pass in one: the twiddles of both are 1.
template <int W, int P>
void middlePass(Complex<W>* x, const float* response, int blocks) {
    for (int b = 0; b < blocks; ++b, x += P, response += P) {
        Complex<W> y[P];
        for (int p = 0; p < P; ++p)
            y[p] = x[p];
        smallTransform<W, P>(y);
        for (int p = 0; p < P; ++p)
            y[p] = {y[p].re * response[p], y[p].im * response[p]};
        smallInverse<W, P>(y);
        for (int p = 0; p < P; ++p)
            x[p] = y[p];
    }
}

enum class Pass { forward, middle, inverse };

template <int W, int P>
void passOfRadix(Pass pass, Complex<W>* x, const LaneStage& stage, const float* response,
                 int blocks) {
    if (pass == Pass::forward) forwardPass<W, P>(x, stage, blocks);
    if (pass == Pass::middle) middlePass<W, P>(x, response, blocks);
    if (pass == Pass::inverse) inversePass<W, P>(x, stage, blocks);
}

template <int W>
void runPass(Pass pass, Complex<W>* x, const LaneStage& stage, const float* response, int blocks) {
    switch (stage.radix) {
        case 2:
            return passOfRadix<W, 2>(pass, x, stage, response, blocks);
        case 3:
            return passOfRadix<W, 3>(pass, x, stage, response, blocks);
        case 4:
            return passOfRadix<W, 4>(pass, x, stage, response, blocks);
        default:
            return passOfRadix<W, 5>(pass, x, stage, response, blocks);
    }
}

// Blocks of points that are transformed all the way while they are in the cache.
inline constexpr unsigned long kLaneCacheBytes = 16384;

// Transforms block x of stage s down to single points.
template <int W>
void transformDown(const LaneStage* stages, int count, Complex<W>* x, int s) {
    if (s == count) return;
    const int points = stages[s].length;
    if (static_cast<unsigned long>(points) * sizeof(Complex<W>) > kLaneCacheBytes) {
        const int step = points / stages[s].radix;
        runPass<W>(Pass::forward, x, stages[s], nullptr, 1);
        for (int q = 0; q < stages[s].radix; ++q)
            transformDown<W>(stages, count, x + q * step, s + 1);
        return;
    }
    for (int i = s; i < count; ++i)
        runPass<W>(Pass::forward, x, stages[i], nullptr, points / stages[i].length);
}

// The inverse of transformDown, times the number of points.
template <int W>
void transformUp(const LaneStage* stages, int count, Complex<W>* x, int s) {
    if (s == count) return;
    const int points = stages[s].length;
    if (static_cast<unsigned long>(points) * sizeof(Complex<W>) > kLaneCacheBytes) {
        const int step = points / stages[s].radix;
        for (int q = 0; q < stages[s].radix; ++q)
            transformUp<W>(stages, count, x + q * step, s + 1);
        runPass<W>(Pass::inverse, x, stages[s], nullptr, 1);
        return;
    }
    for (int i = count - 1; i >= s; --i)
        runPass<W>(Pass::inverse, x, stages[i], nullptr, points / stages[i].length);
}

// Alternates the elements of a and b from the lower (Half = 0) or upper half (Half = W/2).
template <int W, int Half, int... I>
GANTRY_INLINE typename Lanes<W>::Type interleave(typename Lanes<W>::Type a,
                                                 typename Lanes<W>::Type b,
                                                 std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (I / 2 + Half + (I % 2) * W)...);
}

// Transposes W vectors of W lanes: each round interleaves vector i with vector i + W/2.
template <int W>
GANTRY_INLINE void transpose(typename Lanes<W>::Type* r) {
    constexpr auto kIndices = std::make_integer_sequence<int, W>();
    for (int round = 1; round < W; round *= 2) {
        typename Lanes<W>::Type next[W];
        for (int i = 0; i < W / 2; ++i) {
            next[2 * i] = interleave<W, 0>(r[i], r[i + W / 2], kIndices);
            next[2 * i + 1] = interleave<W, W / 2>(r[i], r[i + W / 2], kIndices);
        }
        for (int i = 0; i < W; ++i)
            r[i] = next[i];
    }
}

}  // namespace
}  // namespace gantry
