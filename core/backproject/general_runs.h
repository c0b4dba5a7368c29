#pragma once

// Included by general_kernel.h, whose flags apply.
// Included by general_kernel.h, whose flags apply.

#include "core/backproject/columns_kernel.h"
#include "core/backproject/simd_kernels.h"

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

namespace {

// Places the runs of a column's voxels on a view of any position.
//
// Along a column u·z, v·z and z grow evenly, and u and v are each monotonic: between voxels n
// apart, u changes by n·c over the product of both depths, with one c for the whole column. So the
// ends of a column bound what it touches, and few tests are left for its runs of kRunVoxels voxels.
// A run's begin is computed in double; within it float suffices, because positions are relative to
// a pixel near all of them.
template <class Simd>
struct GeneralRuns {
    using Doubles = typename Simd::Doubles;
    using Floats = typename Simd::Floats;
    using Integers = typename Simd::Integers;
    static constexpr int kGroup = Simd::kLanes / 2;
    static constexpr int kRunVoxels = kColumnAlignment;
    static constexpr int kBlockVoxels = 512;  // of a column, which are set up together
    static constexpr int kRunsPerBlock = kBlockVoxels / kRunVoxels;

    static constexpr double kMargin = 1e-3;    // pixels; float places of a run are closer
    static constexpr int kMaxAround = 4;       // further rows that are read with a run's own
    static constexpr double kMaxPixels = 128;  // of a run: beyond that, float is too coarse

    enum Way : int { kNothing, kApart, kAcross, kInside };  // kInside: no run leaves the view

    // Consecutive voxels of columns, one such piece in each element.
    struct Pieces {
        Doubles z;  // of the first voxel
        Doubles uz;
        Doubles vz;
        Doubles perU;  // by which u changes from a voxel to the next, times both depths
        Doubles perV;
        Doubles spanU;  // max change of u from a run's first voxel to its last
        Doubles spanV;
        Doubles spanZ;  // relative change of z
        Integers way;
    };
    struct Piece {
        double z, uz, vz, perU, perV, spanU, spanV, spanZ;
    };

    static constexpr int kAtEdge = -1;  // for the columns of a run across the first or last one

    // The runs of a piece. Where z changes by less than kMaxBent of itself within a run, 1/z is a
    // parabola over the voxels to float's precision: its Taylor series, with the third power
    // replaced by the nearest parabola.
    static constexpr double kMaxBent = 9e-3;
    alignas(64) float u[kRunsPerBlock];  // of the first voxel, from pixel (column, row)
    alignas(64) float v[kRunsPerBlock];
    alignas(64) float perDepth[kRunsPerBlock];  // 1/z of the first voxel, and its changes
    alignas(64) float perDepth1[kRunsPerBlock];
    alignas(64) float perDepth2[kRunsPerBlock];
    alignas(64) float alongU[kRunsPerBlock];  // to the n-th next voxel, times its depth over n
    alignas(64) float alongV[kRunsPerBlock];
    alignas(64) int pixel[kRunsPerBlock];    // (column, row), in floats from the view's first one
    alignas(64) int columns[kRunsPerBlock];  // columns that the run touches; 0: nothing to add

    static Doubles min(Doubles a, Doubles b) { return a < b ? a : b; }
    static Doubles max(Doubles a, Doubles b) { return a < b ? b : a; }
    static Doubles size(Doubles a) { return a < 0.0 ? -a : a; }
    // A whole number at most 1 below `a`, which must not be negative; faster than converting to
    // integers.
    static Doubles whole(Doubles a) {
        constexpr double kWhole = 0x1.8p52;  // sums with it are whole
        return (a - 0.5 + kWhole) - kWhole;
    }
    static Doubles at(const double (&m)[4], const Doubles& x, const Doubles& y, const Doubles& k) {
        return m[0] * x + m[1] * y + m[2] * k + m[3];
    }

    static Pieces piecesOf(const GeneralTask& task, const GeneralView& view, const Doubles& x,
                           const Doubles& y, const Doubles& k, int voxels) {
        Pieces out;
        out.z = at(view.m[2], x, y, k);
        out.uz = at(view.m[0], x, y, k);
        out.vz = at(view.m[1], x, y, k);
        const double steps = voxels - 1;
        const Doubles zEnd = out.z + view.m[2][2] * steps;
        const Doubles f = 1.0 / out.z;
        const Doubles fEnd = 1.0 / zEnd;
        const Doubles u = out.uz * f;
        const Doubles v = out.vz * f;
        const Doubles uEnd = (out.uz + view.m[0][2] * steps) * fEnd;
        const Doubles vEnd = (out.vz + view.m[1][2] * steps) * fEnd;
        out.perU = view.m[0][2] * out.z - view.m[2][2] * out.uz;
        out.perV = view.m[1][2] * out.z - view.m[2][2] * out.vz;
        const Doubles nearest = max(f, fEnd);
        const Doubles perRun = nearest * static_cast<double>(kRunVoxels - 1);
        out.spanU = size(out.perU) * (nearest * perRun) + kMargin;
        out.spanV = size(out.perV) * (nearest * perRun) + kMargin;
        out.spanZ = size(view.m[2][2] * perRun);

        const Doubles uMin = min(u, uEnd);
        const Doubles uMax = max(u, uEnd);
        const Doubles vMin = min(v, vEnd);
        const Doubles vMax = max(v, vEnd);
        const auto lastColumn = static_cast<double>(task.columns - 1);
        const auto rowBefore = static_cast<double>(task.rowBegin - 1);
        const auto rowBehind = static_cast<double>(task.rowEnd);
        const auto before = (out.z > 0.0) & (zEnd > 0.0);
        const auto behind = (out.z <= 0.0) & (zEnd <= 0.0);
        const auto misses = before & ((uMax < -kMargin) | (uMin > lastColumn + kMargin) |
                                      (vMax < rowBefore - kMargin) | (vMin > rowBehind + kMargin));
        const auto fits = before & (out.spanU < kMaxPixels) &
                          (out.spanV < static_cast<double>(kPadRows - kMaxAround));
        const auto inside = (uMin - out.spanU >= 0.0) & (uMax + out.spanU < lastColumn - 1) &
                            (vMin >= rowBefore) & (vMax <= rowBehind);
        const Doubles zero = {};
        const Doubles way = misses | behind ? zero + static_cast<double>(kNothing)
                            : fits & inside ? zero + static_cast<double>(kInside)
                            : fits          ? zero + static_cast<double>(kAcross)
                                            : zero + static_cast<double>(kApart);
        out.way = __builtin_convertvector(way, Integers);
        return out;
    }

    static Piece pick(const Pieces& from, Index i) {
        return {from.z[i],    from.uz[i],    from.vz[i],    from.perU[i],
                from.perV[i], from.spanU[i], from.spanV[i], from.spanZ[i]};
    }

    // Places runs [begin, begin + kGroup) of a piece.
    template <bool kAllInside>
    void place(const GeneralTask& task, const GeneralView& view, const Piece& piece, int begin) {
        Doubles k;
        __builtin_memcpy(&k, kFirstVoxels.k + begin, sizeof k);
        const Doubles z = piece.z + view.m[2][2] * k;
        const Doubles f = 1.0 / z;
        const Doubles atU = (piece.uz + view.m[0][2] * k) * f;
        const Doubles atV = (piece.vz + view.m[1][2] * k) * f;
        Doubles left = atU - (piece.perU < 0 ? piece.spanU : 0);
        Doubles down = atV - (piece.perV < 0 ? piece.spanV : 0);
        Doubles kind;
        if constexpr (!kAllInside) {
            const Doubles zero = {};
            const auto seen = (down < static_cast<double>(task.rowEnd)) &
                              (down + piece.spanV > static_cast<double>(task.rowBegin - 1));
            const auto lastColumn = static_cast<double>(task.columns - 1);
            const auto meets = seen & (left < lastColumn) & (left + piece.spanU > 0.0);
            // Such a run may read one column beyond those it touches.
            const auto within = (left >= 0.0) & (left + piece.spanU < lastColumn - 1);
            left = (meets & (left >= 0.0)) ? left : zero;
            down = seen ? down : zero;
            kind = meets ? (within ? zero + 1.0 : zero - 1.0) : zero;
        }
        const Doubles column = whole(left);
        const Doubles row = whole(down);
        Doubles touched = left - column + (2 + piece.spanU);
        if constexpr (!kAllInside) touched = kind > 0.0 ? touched : kind;
        store(u, begin, __builtin_convertvector(atU - column, Floats));
        store(v, begin, __builtin_convertvector(atV - row, Floats));
        store(pixel, begin,
              __builtin_convertvector(column * static_cast<double>(task.viewColumnStride) + row,
                                      Integers));
        store(columns, begin, __builtin_convertvector(touched, Integers));
        const Floats per = __builtin_convertvector(f, Floats);
        store(perDepth, begin, per);
        store(alongU, begin, __builtin_convertvector(f * piece.perU, Floats));
        store(alongV, begin, __builtin_convertvector(f * piece.perV, Floats));
        bend(per, static_cast<float>(view.m[2][2]), begin);
    }

  private:
    void bend(const Floats& per, float stepZ, int begin) {
        constexpr float kSteps = kRunVoxels - 1;
        const Floats change = per * stepZ;  // relative change of z from voxel to voxel
        const Floats first = per * change;
        store(perDepth1, begin, first * (change * change * (9 * kSteps * kSteps / 16) - 1.0F));
        store(perDepth2, begin, first * change * (1.0F - change * (3 * kSteps / 2)));
    }

    template <class To, class From>
    static void store(To* to, int begin, const From& from) {
        __builtin_memcpy(to + begin, &from, sizeof from);
    }

    struct FirstVoxels {
        alignas(64) double k[kRunsPerBlock];
    };
    static constexpr FirstVoxels firstVoxels() {
        FirstVoxels out{};
        for (int i = 0; i < kRunsPerBlock; ++i)
            out.k[i] = i * kRunVoxels;
        return out;
    }
    static constexpr FirstVoxels kFirstVoxels = firstVoxels();
};

}  // namespace

}  // namespace gantry
