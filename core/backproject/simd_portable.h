#pragma once

// SIMD lanes for any machine. Like the kernels they are in an anonymous namespace; see
// columns_kernel.h.
namespace gantry {

namespace {

// Four lanes in the vector extension of GCC and Clang, which every machine can run.
struct Portable {
    static constexpr int kLanes = 4;
    using Float = float __attribute__((vector_size(4 * kLanes)));
    using Integer = int __attribute__((vector_size(4 * kLanes)));
    // One register of doubles, and as many floats and integers, in the compilers' vector extension.
    using Doubles = double __attribute__((vector_size(16)));
    using Floats = float __attribute__((vector_size(8)));
    using Integers = int __attribute__((vector_size(8)));
    struct Split {
        Integer row;
        Float fraction;
    };

    static Float load(const float* p) { return Float{p[0], p[1], p[2], p[3]}; }
    static void store(float* p, Float a) {
        for (int i = 0; i < kLanes; ++i)
            p[i] = a[i];
    }
    static Float set(float a) { return Float{a, a, a, a}; }
    static Float lanes() { return Float{0, 1, 2, 3}; }
    static Float add(Float a, Float b) { return a + b; }
    static Float sub(Float a, Float b) { return a - b; }
    static Float mul(Float a, Float b) { return a * b; }
    static Float fma(Float a, Float b, Float c) { return a * b + c; }
    static Float min(Float a, Float b) { return a < b ? a : b; }
    static Float max(Float a, Float b) { return a < b ? b : a; }
    // For numbers that are not negative.
    static Float floor(Float a) { return __builtin_convertvector(integer(a), Float); }
    static Integer integer(Float a) { return __builtin_convertvector(a, Integer); }
    static Float reciprocal(Float a) { return 1.0F / a; }

    // 1 - |a|, or 0 where that is less.
    static Float hat(Float a) { return max(1.0F - max(a, -a), set(0)); }

    static Split split(Float a) {
        const Integer whole = __builtin_convertvector(a, Integer);
        return {whole, a - __builtin_convertvector(whole, Float)};
    }
    static Integer next(Integer row) { return row + 1; }
    static Float pick(Float rows, Integer row) {
        return Float{rows[row[0]], rows[row[1]], rows[row[2]], rows[row[3]]};
    }
    static Float pick(Float low, Float high, Integer row) {
        float rows[2 * kLanes];
        store(rows, low);
        store(rows + kLanes, high);
        return gather(rows, row);
    }

    // These registers' elements cannot be picked in one instruction, so the general kernel fetches
    // the four pixels of each voxel.
    static constexpr bool kPicks = false;

    static Integer wholeLanes(int step) { return Integer{0, step, 2 * step, 3 * step}; }
    static Integer whole(Integer row, Integer more) { return row + more; }
    static Integer clamp(Integer row, int low, int high) {
        for (int i = 0; i < kLanes; ++i)
            row[i] = row[i] < low ? low : row[i] > high ? high : row[i];
        return row;
    }
    static Float gather(const float* rows, Integer row) {
        return Float{rows[row[0]], rows[row[1]], rows[row[2]], rows[row[3]]};
    }
    // Pairs of neighbours in memory.
    struct Pairs {
        Float first;
        Float second;
    };
    static Pairs gatherPairs(const float* pixels, Integer at) {
        using Doubles2 = double __attribute__((vector_size(16)));
        // Lanes leave the register two by two.
        using Words = unsigned long long __attribute__((vector_size(16)));
        const auto words = reinterpret_cast<Words>(at);
        constexpr int kHigh = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 1 : 0;
        const auto pair = [&](int lane) {
            const unsigned long long word = words[lane / 2];
            double both;
            __builtin_memcpy(&both, pixels + (lane % 2 == kHigh ? word >> 32 : word & 0xffffffff),
                             sizeof both);
            return both;
        };
        const auto low = reinterpret_cast<Float>(Doubles2{pair(0), pair(1)});
        const auto high = reinterpret_cast<Float>(Doubles2{pair(2), pair(3)});
        return {__builtin_shufflevector(low, high, 0, 2, 4, 6),
                __builtin_shufflevector(low, high, 1, 3, 5, 7)};
    }
};

}  // namespace

}  // namespace gantry
