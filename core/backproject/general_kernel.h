#pragma once

#include "core/backproject/simd_kernels.h"

// Included beside columns_kernel.h, so that both are compiled with the same flags.
namespace gantry {
namespace {

// Views of any position, added to columns along z. Along a column u·z, v·z and z grow evenly, and
// u and v each run one way: between voxels that are n apart, u changes by n·c over the product of
// both depths, with one c for the whole column. So what a column touches is known from its ends,
// and few tests are left to its runs of kRunVoxels voxels. Where a run begins is worked out in
// double; within it float suffices, as places are counted from a pixel near all of them. A run
// crosses few detector columns, and the rows that a register of its voxels needs of each lie in two
// registers.
template <class Simd>
class GeneralKernel {
  public:
    static void addBrick(const GeneralTask& task, const ColumnsBrick& brick) {
        const Index runs = task.zStride / kRunVoxels;
        for (Index run = 0; run < runs; run += kRunsPerBlock) {
            const Index left = runs - run;
            addBlock(task, brick, run,
                     static_cast<int>(left < kRunsPerBlock ? left : kRunsPerBlock));
        }
    }

  private:
    using Float = typename Simd::Float;
    using Integer = typename Simd::Integer;
    static constexpr int kLanes = Simd::kLanes;
    using Doubles = typename Simd::Doubles;
    using Floats = typename Simd::Floats;
    using Integers = typename Simd::Integers;
    static constexpr int kGroup = kLanes / 2;
    static constexpr int kRunVoxels = kColumnAlignment;
    static constexpr int kRegisters = kRunVoxels / kLanes;
    static constexpr int kRunsPerBlock = kBlockVoxels / kRunVoxels;
    static constexpr int kRunGroups = (kRunsPerBlock + kGroup - 1) / kGroup;
    static constexpr int kBrickGroups = kBrickColumns / kGroup;

    static constexpr double kMargin = 1e-3;     // pixels; float places of a run are closer
    static constexpr int kMostAround = 4;       // rows beyond a run's own that are read with them
    static constexpr double kMostPixels = 128;  // of a run: farther ones are too coarse in float
    static constexpr double kMostRows = 29;     // of a run, that its registers' windows hold

    enum Way : int { kNothing, kApart, kTogether };

    // Voxels that follow one another on columns, one such piece to an element.
    struct Pieces {
        Doubles z;  // of the first voxel
        Doubles uz;
        Doubles vz;
        Doubles perU;  // by which u changes from a voxel to the next, times both depths
        Doubles perV;
        Doubles spanU;  // the most by which u changes from a run's first voxel to its last
        Doubles spanV;
        Integers way;
    };

    struct Piece {
        double z, uz, vz, perU, perV, spanU, spanV;
    };

    // Where the runs of a piece begin on the view.
    struct Runs {
        alignas(64) Floats u[kRunGroups];  // from pixel (column, row)
        alignas(64) Floats v[kRunGroups];
        alignas(64) Floats z[kRunGroups];
        alignas(64) Floats alongU[kRunGroups];  // to the n-th next voxel, times its depth over n
        alignas(64) Floats alongV[kRunGroups];
        alignas(64) Integers column[kRunGroups];
        alignas(64) Integers row[kRunGroups];
        alignas(64) Integers columns[kRunGroups];  // that the run touches; 0: nothing to add
    };

    // Of a run's first voxel.
    struct First {
        Float u;
        Float v;
        Float z;
        Float alongU;
        Float alongV;
    };
    struct Place {
        Float u;
        Float v;
        Float perDepth;
    };
    // What is known of a column's voxels before pixels are read.
    struct Voxels {
        alignas(64) float u[kBlockVoxels];
        alignas(64) float v[kBlockVoxels];  // beyond the row
        alignas(64) float weight[kBlockVoxels];
        alignas(64) int row[kBlockVoxels];
        alignas(64) int inWindow[kBlockVoxels];
    };

    static Doubles least(Doubles a, Doubles b) { return a < b ? a : b; }
    static Doubles most(Doubles a, Doubles b) { return a < b ? b : a; }
    // A whole number that is at most 1 below, or 0 for nearly 0; faster than by way of integers.
    static Doubles whole(Doubles a) {
        constexpr double kWhole = 0x1p52;  // doubles from here on are whole
        return a < 0.5 ? Doubles{} : (a - 0.5 + kWhole) - kWhole;
    }
    static Doubles size(Doubles a) { return a < 0.0 ? -a : a; }

    static Doubles at(const double (&m)[4], const Doubles& x, const Doubles& y, const Doubles& k) {
        return m[0] * x + m[1] * y + m[2] * k + m[3];
    }

    static void addBlock(const GeneralTask& task, const ColumnsBrick& brick, Index run, int runs) {
        const Index width = brick.x1 - brick.x0;
        const Index count = width * (brick.y1 - brick.y0);
        Doubles x[kBrickGroups] = {};
        Doubles y[kBrickGroups] = {};
        float* voxels[kBrickColumns] = {};
        for (Index i = 0; i < count; ++i) {
            const Index xi = brick.x0 + i % width;
            const Index yi = brick.y0 + i / width;
            x[i / kGroup][i % kGroup] = static_cast<double>(xi);
            y[i / kGroup][i % kGroup] = static_cast<double>(yi);
            voxels[i] = task.slab + (yi * task.nX + xi) * task.columnStride + run * kRunVoxels;
        }
        const Doubles k = Doubles{} + static_cast<double>(run * kRunVoxels);
        for (Index s = 0; s < task.viewCount; ++s)
            for (Index group = 0; group * kGroup < count; ++group) {
                const Pieces pieces =
                    piecesOf(task, task.views[s], x[group], y[group], k, runs * kRunVoxels);
                const Index end = count - group * kGroup;
                for (Index i = 0; i < (end < kGroup ? end : kGroup); ++i)
                    addColumn(task, task.views[s], {x[group][i], y[group][i], k[i]}, pieces, i,
                              runs, voxels[group * kGroup + i]);
            }
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
        const Doubles nearest = most(f, fEnd);
        const Doubles perRun = nearest * nearest * static_cast<double>(kRunVoxels - 1);
        out.spanU = size(out.perU) * perRun + kMargin;
        out.spanV = size(out.perV) * perRun + kMargin;

        const auto lastColumn = static_cast<double>(task.columns - 1);
        const auto before = (out.z > 0.0) & (zEnd > 0.0);
        const auto behind = (out.z <= 0.0) & (zEnd <= 0.0);
        const auto misses =
            before & ((most(u, uEnd) < -kMargin) | (least(u, uEnd) > lastColumn + kMargin) |
                      (most(v, vEnd) < static_cast<double>(task.rowBegin - 1) - kMargin) |
                      (least(v, vEnd) > static_cast<double>(task.rowEnd) + kMargin));
        const auto fits = before & (least(u, uEnd) >= out.spanU) &
                          (most(u, uEnd) + out.spanU < lastColumn) & (out.spanU < kMostPixels) &
                          (out.spanV < static_cast<double>(kPadRows - kMostAround));
        const Doubles zero = {};
        const Doubles way = misses | behind ? zero + static_cast<double>(kNothing)
                            : fits          ? zero + static_cast<double>(kTogether)
                                            : zero + static_cast<double>(kApart);
        out.way = __builtin_convertvector(way, Integers);
        return out;
    }

    // The first voxel of a piece.
    struct Start {
        double x, y, k;
    };

    static void addColumn(const GeneralTask& task, const GeneralView& view, const Start& start,
                          const Pieces& pieces, Index i, int runs, float* voxels) {
        if (pieces.way[i] == kTogether)
            addPiece(task, view,
                     {pieces.z[i], pieces.uz[i], pieces.vz[i], pieces.perU[i], pieces.perV[i],
                      pieces.spanU[i], pieces.spanV[i]},
                     runs, voxels);
        else if (pieces.way[i] == kApart && runs > 1)
            addApart(task, view, start, runs, voxels);
        else if (pieces.way[i] == kApart)
            addSingly(task, view, start, voxels);
    }

    // A column that crosses the view's edge or the source's plane, run by run.
    static void addApart(const GeneralTask& task, const GeneralView& view, const Start& start,
                         int runs, float* voxels) {
        const Doubles x = Doubles{} + start.x;
        const Doubles y = Doubles{} + start.y;
        for (int run = 0; run < runs; run += kGroup) {
            Doubles k{};
            for (int i = 0; i < kGroup; ++i)
                k[i] = start.k + (run + i) * kRunVoxels;
            const Pieces pieces = piecesOf(task, view, x, y, k, kRunVoxels);
            for (int i = 0; i < (runs - run < kGroup ? runs - run : kGroup); ++i)
                addColumn(task, view, {start.x, start.y, k[i]}, pieces, i, 1,
                          voxels + (run + i) * kRunVoxels);
        }
    }

    static void addPiece(const GeneralTask& task, const GeneralView& view, const Piece& piece,
                         int runs, float* voxels) {
        Runs all;
        for (int group = 0; group * kGroup < runs; ++group)
            placeRuns(task, view, piece, group, all);
        const bool windows =
            Simd::kPicks && piece.spanV < kMostRows && (Simd::kDownwards || piece.perV > 0);
        const Float stepZ = Simd::set(static_cast<float>(view.m[2][2]));
        if (windows)
            addByWindows(task, view, all, stepZ, runs, voxels);
        else
            addFetched(task, view, all, stepZ, runs, voxels);
    }

    static const float* pixelsOf(const GeneralTask& task, const GeneralView& view, const Runs& all,
                                 int r) {
        return view.rows + all.column[r / kGroup][r % kGroup] * task.viewColumnStride +
               all.row[r / kGroup][r % kGroup];
    }

    static First firstOf(const Runs& all, int r) {
        const int group = r / kGroup;
        const int i = r % kGroup;
        return {Simd::set(all.u[group][i]), Simd::set(all.v[group][i]), Simd::set(all.z[group][i]),
                Simd::set(all.alongU[group][i]), Simd::set(all.alongV[group][i])};
    }

    static void addByWindows(const GeneralTask& task, const GeneralView& view, const Runs& all,
                             Float stepZ, int runs, float* voxels) {
        Voxels places;
        for (int r = 0; r < runs; ++r) {
            const First first = firstOf(all, r);
            for (int i = 0; i < kRegisters; ++i) {
                const Place place = placeOf(first, stepZ, i);
                const auto [row, fraction] = Simd::split(place.v);
                const int at = r * kRunVoxels + i * kLanes;
                Simd::store(places.u + at, place.u);
                Simd::store(places.v + at, fraction);
                Simd::store(places.weight + at, Simd::mul(place.perDepth, place.perDepth));
                Simd::keepRows(row, places.row + at, places.inWindow + at);
            }
        }
        for (int r = 0; r < runs; ++r) {
            const int columns = all.columns[r / kGroup][r % kGroup];
            if (columns == 0) continue;
            const float* pixels = pixelsOf(task, view, all, r);
            for (int at = r * kRunVoxels; at < (r + 1) * kRunVoxels; at += kLanes) {
                const Float value =
                    columns == 2 ? ofTwo(pixels, task.viewColumnStride, places, at)
                                 : ofMore(pixels, task.viewColumnStride, places, at, columns);
                Simd::store(voxels + at, Simd::fma(Simd::load(places.weight + at), value,
                                                   Simd::load(voxels + at)));
            }
        }
    }

    static void addFetched(const GeneralTask& task, const GeneralView& view, const Runs& all,
                           Float stepZ, int runs, float* voxels) {
        for (int r = 0; r < runs; ++r) {
            if (all.columns[r / kGroup][r % kGroup] == 0) continue;
            const float* pixels = pixelsOf(task, view, all, r);
            const First first = firstOf(all, r);
            for (int i = 0; i < kRegisters; ++i) {
                const Place place = placeOf(first, stepZ, i);
                const Float value = fetched(pixels, task.viewColumnStride, place.u, place.v);
                float* to = voxels + r * kRunVoxels + i * kLanes;
                Simd::store(to, Simd::fma(Simd::mul(place.perDepth, place.perDepth), value,
                                          Simd::load(to)));
            }
        }
    }

    static void placeRuns(const GeneralTask& task, const GeneralView& view, const Piece& piece,
                          int group, Runs& out) {
        const Doubles zero = {};
        Doubles k{};
        for (int i = 0; i < kGroup; ++i)
            k[i] = (group * kGroup + i) * kRunVoxels;
        const Doubles z = piece.z + view.m[2][2] * k;
        const Doubles f = 1.0 / z;
        const Doubles u = (piece.uz + view.m[0][2] * k) * f;
        const Doubles v = (piece.vz + view.m[1][2] * k) * f;
        const Doubles left = u - (piece.perU < 0 ? piece.spanU : 0);
        const double down = piece.perV < 0 ? piece.spanV : 0;
        const auto seen = (v - down < static_cast<double>(task.rowEnd)) &
                          (v - down + piece.spanV > static_cast<double>(task.rowBegin - 1));
        const Doubles column = whole(left);
        const Doubles row = whole(seen ? v - down : zero);
        const Doubles columns = left - column + (2 + piece.spanU);
        out.u[group] = __builtin_convertvector(u - column, Floats);
        out.v[group] = __builtin_convertvector(v - row, Floats);
        out.z[group] = __builtin_convertvector(z, Floats);
        out.alongU[group] = __builtin_convertvector(f * piece.perU, Floats);
        out.alongV[group] = __builtin_convertvector(f * piece.perV, Floats);
        out.column[group] = __builtin_convertvector(column, Integers);
        out.row[group] = __builtin_convertvector(row, Integers);
        out.columns[group] = __builtin_convertvector(seen ? columns : zero, Integers);
    }

    static Place placeOf(const First& first, Float stepZ, int i) {
        const Float lanes = Simd::add(Simd::lanes(), Simd::set(static_cast<float>(i * kLanes)));
        const Float perDepth = Simd::reciprocal(Simd::fma(lanes, stepZ, first.z));
        const Float along = Simd::mul(lanes, perDepth);
        return {Simd::fma(first.alongU, along, first.u), Simd::fma(first.alongV, along, first.v),
                perDepth};
    }

    // Between two rows of a detector column.
    static Float ofColumn(const float* column, const int* rows, Integer inWindow, Float fraction) {
        const auto window = Simd::window(column, rows);
        const Float below = Simd::pick(window, inWindow);
        return Simd::fma(fraction, Simd::sub(Simd::pick(window, Simd::next(inWindow)), below),
                         below);
    }

    // Between two detector columns.
    static Float ofTwo(const float* pixels, Index stride, const Voxels& of, int at) {
        const Integer inWindow = Simd::loadRows(of.inWindow + at);
        const Float fraction = Simd::load(of.v + at);
        const Float left = ofColumn(pixels, of.row + at, inWindow, fraction);
        const Float right = ofColumn(pixels + stride, of.row + at, inWindow, fraction);
        return Simd::fma(Simd::load(of.u + at), Simd::sub(right, left), left);
    }

    // Along the polyline through more of them.
    static Float ofMore(const float* pixels, Index stride, const Voxels& of, int at, int columns) {
        const Integer inWindow = Simd::loadRows(of.inWindow + at);
        const Float fraction = Simd::load(of.v + at);
        Float u = Simd::load(of.u + at);
        Float here = ofColumn(pixels, of.row + at, inWindow, fraction);
        Float value = here;
        for (int c = 1; c < columns; ++c) {
            const Float next = ofColumn(pixels + c * stride, of.row + at, inWindow, fraction);
            const Float share = Simd::least(Simd::most(u, Simd::set(0)), Simd::set(1));
            value = Simd::fma(share, Simd::sub(next, here), value);
            here = next;
            u = Simd::sub(u, Simd::set(1));
        }
        return value;
    }

    // Four pixels for each voxel.
    static Float fetched(const float* pixels, Index stride, Float u, Float v) {
        const Float du = Simd::split(u).fraction;
        const Float dv = Simd::split(v).fraction;
        const Float offset =
            Simd::fma(Simd::sub(u, du), Simd::set(static_cast<float>(stride)), Simd::sub(v, dv));
        const auto pixel = Simd::whole(Simd::split(offset).row, Simd::wholeLanes(0));
        const auto between = [&](const float* from) {
            const auto [below, above] = Simd::gatherPairs(from, pixel);
            return Simd::fma(dv, Simd::sub(above, below), below);
        };
        const Float left = between(pixels);
        return Simd::fma(du, Simd::sub(between(pixels + stride), left), left);
    }

    // A run that crosses the view's edge or the source's plane, voxel by voxel.
    static void addSingly(const GeneralTask& task, const GeneralView& view, const Start& start,
                          float* sums) {
        for (int i = 0; i < kRunVoxels; ++i) {
            const auto line = [&](const double(&m)[4]) {
                return m[0] * start.x + m[1] * start.y + m[2] * (start.k + i) + m[3];
            };
            const double z = line(view.m[2]);
            if (!(z > 0)) continue;
            const double u = line(view.m[0]) / z;
            const double v = line(view.m[1]) / z;
            if (!(u > 0 && u < static_cast<double>(task.columns - 1))) continue;
            if (!(v > static_cast<double>(task.rowBegin - 1) &&
                  v < static_cast<double>(task.rowEnd)))
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
};

}  // namespace
}  // namespace gantry
