#pragma once

#include <cuda_runtime_api.h>

#include <cfloat>
#include <cmath>
#include <cstdint>

namespace gantry::gpu {

/// What is done to stored pixels before they are weighted.
enum class Preparation {
    none,         ///< they are line integrals already
    attenuation,  ///< line integrals as a scanner wrote them: bad and not finite ones are replaced
    counts,       ///< to be converted to line integrals
};

/// Why a pixel was invalid; the first reason that applies counts, as in core/prep.
enum class InvalidKind { bad, notFinite, saturated, zero, negative, none };
inline constexpr int kInvalidKinds = static_cast<int>(InvalidKind::none);

/// A pixel's line integral, if it has one of its own.
struct JudgedPixel {
    float value = 0;
    InvalidKind invalid = InvalidKind::none;
    bool isUsable = true;  ///< else the pixel takes its neighbours' values
};

/// Whether a pixel responds to the open beam. netSignal: flat − dark, counts
__host__ __device__ inline bool isAlive(float netSignal) {
    return netSignal > 0 && netSignal <= FLT_MAX;
}

/// Converts counts to −ln((I−dark)/netSignal) and judges them with the same comparisons as
/// core/prep. Tests: tests/gpu/kernels/prepare_math_test.cpp
__host__ __device__ inline JudgedPixel judgeCounts(float counts, float dark, float netSignal,
                                                   float saturation) {
    if (!isAlive(netSignal)) return {0, InvalidKind::bad, false};
    const float ratio = (counts - dark) / netSignal;
    if (!(fabsf(ratio) <= FLT_MAX)) return {0, InvalidKind::notFinite, false};
    const bool isUsable = ratio >= FLT_MIN;
    const float value = isUsable ? -logf(ratio) : 0.0F;
    if (counts >= saturation) return {value, InvalidKind::saturated, isUsable};
    if (isUsable) return {value, InvalidKind::none, true};
    return {0, counts < dark ? InvalidKind::negative : InvalidKind::zero, false};
}

__host__ __device__ inline JudgedPixel judgeAttenuation(float value, bool isBad) {
    if (isBad) return {0, InvalidKind::bad, false};
    if (!(fabsf(value) <= FLT_MAX)) return {0, InvalidKind::notFinite, false};
    return {value, InvalidKind::none, true};
}

/// The line integral of the smallest count that a pixel could measure: one count, or 1/65536 of the
/// open beam where that is below two counts.
__host__ __device__ inline float opaqueValue(float netSignal) {
    constexpr float kCountsOf16Bits = 65536;
    return logf(netSignal >= 2 ? netSignal : kCountsOf16Bits);
}

/// BeamOffset's numbers of a view: level, along u, along v. offsets: [s][3], or null
__host__ __device__ inline const float* beamOf(const float* offsets, std::int64_t view) {
    return offsets == nullptr ? nullptr : offsets + 3 * view;
}

/// A detector row as stored in the file, with the same row of the detector's images.
template <class Pixel, Preparation preparation>
struct StoredRow {
    const Pixel* pixels = nullptr;
    const float* dark = nullptr;       ///< for counts only
    const float* netSignal = nullptr;  ///< flat − dark, 0 where a pixel is bad; attenuation: may be
                                       ///< null where no pixel is bad
    float saturation = 0;
    /// What is added to the line integrals of pixels that have one: in column 0, and from one
    /// column to the next.
    float offset = 0;
    float alongU = 0;

    /// beam: BeamOffset's three numbers, or null: nothing is added; v: row of the detector
    __host__ __device__ void setBeam(const float* beam, int v) {
        if (beam == nullptr) return;
        offset = beam[0] + beam[2] * static_cast<float>(v);
        alongU = beam[1];
    }
    __host__ __device__ float offsetAt(int u) const {
        return offset + alongU * static_cast<float>(u);
    }

    __host__ __device__ JudgedPixel judge(int u) const {
        const auto pixel = static_cast<float>(pixels[u]);
        JudgedPixel judged = {pixel, InvalidKind::none, true};
        if constexpr (preparation == Preparation::counts)
            judged = judgeCounts(pixel, dark[u], netSignal[u], saturation);
        else if constexpr (preparation == Preparation::attenuation)
            judged = judgeAttenuation(pixel, netSignal != nullptr && !isAlive(netSignal[u]));
        if constexpr (preparation != Preparation::none) judged.value += offsetAt(u);
        return judged;
    }

    /// Whether a pixel has an opaque value to take in a row where none is usable.
    __host__ __device__ bool isOpaque(int u) const {
        return preparation == Preparation::counts && isAlive(netSignal[u]);
    }

    __host__ __device__ float value(int u, bool inOpaqueRow) const {
        return inOpaqueRow ? opaqueValue(netSignal[u]) + offsetAt(u) : judge(u).value;
    }
};

/// Bits of a row's pixels, 32 a word; those beyond its end are 0.
__host__ __device__ inline int wordsOf(int columns) {
    return (columns + 31) / 32;
}

/// The last pixel up to and including u whose bit is set; -1: none.
__host__ __device__ inline int lastSetUpTo(const std::uint32_t* bits, int u) {
    int word = u / 32;
    std::uint32_t found = bits[word] & (0xFFFFFFFFU >> (31 - u % 32));
    while (found == 0) {
        if (--word < 0) return -1;
        found = bits[word];
    }
#ifdef __CUDA_ARCH__
    return 32 * word + 31 - __clz(static_cast<int>(found));
#else
    return 32 * word + 31 - __builtin_clz(found);
#endif
}

/// The first pixel from u on whose bit is set; -1: none.
__host__ __device__ inline int firstSetFrom(const std::uint32_t* bits, int words, int u) {
    int word = u / 32;
    std::uint32_t found = bits[word] & (0xFFFFFFFFU << (u % 32));
    while (found == 0) {
        if (++word == words) return -1;
        found = bits[word];
    }
#ifdef __CUDA_ARCH__
    return 32 * word + __ffs(static_cast<int>(found)) - 1;
#else
    return 32 * word + __builtin_ctz(found);
#endif
}

/// A pixel's line integral in a row where only pixels with a set bit have their own: the mean of
/// the nearest of them on either side, or the only one there is; 0 where no pixel has any.
template <class Row>
__host__ __device__ inline float filledValue(const Row& row, const std::uint32_t* bits, int words,
                                             int u, bool inOpaqueRow) {
    int left = lastSetUpTo(bits, u);
    int right = firstSetFrom(bits, words, u);
    if (left < 0 && right < 0) return 0;
    if (left < 0) left = right;
    if (right < 0) right = left;
    const float value = row.value(left, inOpaqueRow);
    return left == right ? value : 0.5F * value + 0.5F * row.value(right, inOpaqueRow);
}

/// A row at one of its edges; as in core/filter/row_extension.h.
struct RowEdge {
    float square = 0;
    float fall = 0;
    int columns = 1;
};

/// sum, moment: of the row's n outermost columns, the nearest to the edge first: of the squares of
/// their line integrals with the sign of these, and of the squares times their places about the
/// middle
__host__ __device__ inline RowEdge edgeOf(float sum, float moment, int n) {
    const auto count = static_cast<float>(n);
    const float fall = n > 1 ? moment * 12 / (count * (count * count - 1)) : 0.0F;
    return {sum / count - fall * (count - 1) / 2, fall, n};
}

/// The line integral k columns beyond the edge, of `columns` that are estimated; as extendRow() of
/// core/filter. Tests: tests/gpu/kernels/prepare_math_test.cpp
__host__ __device__ inline float beyondEdge(const RowEdge& edge, float perColumn, int columns,
                                            int k) {
    constexpr float kPi = 3.14159265F;
    const auto count = static_cast<float>(columns);
    const auto d = static_cast<float>(k);
    if (perColumn == 0)
        return sqrtf(fmaxf(0.0F, edge.square)) * 0.5F * (1 + cosf(kPi * d / (count + 1)));
    const auto last = static_cast<float>(edge.columns - 1);
    const float curve = 4 * perColumn * perColumn;
    const float level = fmaxf(0.0F, edge.square - curve * last * (last - 1) / 6);
    const float fall = fmaxf(0.0F, edge.fall + curve * last);
    const float root = sqrtf(fall * fall + 4 * curve * level);
    const float reach = root > 0 ? 2 * level / (fall + root) : 0.0F;
    const float scaled = fmaxf(1.0F, reach / count) * d;
    return sqrtf(fmaxf(0.0F, level - scaled * (fall + curve * scaled)));
}

/// The factor that FDK applies to a line integral before the ramp; see core/filter/fdk_weights.h.
__host__ __device__ inline float fdkWeight(float viewScale, float squareU, float squareV) {
    return viewScale / sqrtf(squareV + squareU);
}

}  // namespace gantry::gpu
