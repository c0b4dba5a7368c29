#pragma once

#include "core/backproject/columns_kernel.h"
#include "core/backproject/general_pixels.h"
#include "core/backproject/simd_kernels.h"

// Included with columns_kernel.h, so that both are compiled with the same flags.
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
    using Pixels = GeneralPixels<Simd>;
    using Float = typename Simd::Float;
    static constexpr int kLanes = Simd::kLanes;
    using Doubles = typename Simd::Doubles;
    using Floats = typename Simd::Floats;
    using Integers = typename Simd::Integers;
    static constexpr int kGroup = kLanes / 2;
    static constexpr int kRunVoxels = kColumnAlignment;
    static constexpr int kRegisters = kRunVoxels / kLanes;
    static constexpr int kRunsPerBlock = kBlockVoxels / kRunVoxels;
    static constexpr int kRunGroups = (kRunsPerBlock + kGroup - 1) / kGroup;

    static constexpr double kMargin = 1e-3;     // pixels; float places of a run are closer
    static constexpr int kMostAround = 4;       // rows beyond a run's own that are read with them
    static constexpr double kMostPixels = 128;  // of a run: farther ones are too coarse in float
    static constexpr double kMostRows = 29;     // of a run, that its registers' windows hold
    static constexpr double kFewCrossed = 0.3;  // columns a run; so that most runs lie between two

    static constexpr int kAtEdge = -1;  // for the columns of a run across the first or last one
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

    // Where the runs of a piece begin, in voxels.
    struct Starts {
        alignas(64) double k[kRunGroups * kGroup];
    };
    static constexpr Starts starts() {
        Starts out{};
        for (int i = 0; i < kRunGroups * kGroup; ++i)
            out.k[i] = i * kRunVoxels;
        return out;
    }
    static constexpr Starts kStarts = starts();

    // And where on the view.
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
        const BrickPlaces<Simd> places(task, brick, run * kRunVoxels);
        const Doubles k = Doubles{} + static_cast<double>(run * kRunVoxels);
        for (Index s = 0; s < task.viewCount; ++s)
            for (Index group = 0; group * kGroup < places.count; ++group) {
                const Doubles x = places.x[group];
                const Doubles y = places.y[group];
                const Pieces pieces = piecesOf(task, task.views[s], x, y, k, runs * kRunVoxels);
                const Index end = places.count - group * kGroup;
                for (Index i = 0; i < (end < kGroup ? end : kGroup); ++i)
                    addColumn(task, task.views[s], {x[i], y[i], k[i]}, pieces, i, runs,
                              places.voxels[group * kGroup + i]);
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
        const auto fits = before & (out.spanU < kMostPixels) &
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
            addSingly(task, view, start.x, start.y, start.k, kRunVoxels, voxels);
    }

    // A column that reaches to the source's plane or near it, run by run.
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

    // A piece whose runs have their places.
    struct Column {
        const GeneralTask& task;
        const GeneralView& view;
        const Runs& runs;
        int count;
        float* voxels;

        [[nodiscard]] int columnsOf(int r) const { return runs.columns[r / kGroup][r % kGroup]; }
        [[nodiscard]] const float* pixelsOf(int r) const {
            return view.rows + runs.column[r / kGroup][r % kGroup] * task.viewColumnStride +
                   runs.row[r / kGroup][r % kGroup];
        }
        [[nodiscard]] First firstOf(int r) const {
            const int group = r / kGroup;
            const int i = r % kGroup;
            return {Simd::set(runs.u[group][i]), Simd::set(runs.v[group][i]),
                    Simd::set(runs.z[group][i]), Simd::set(runs.alongU[group][i]),
                    Simd::set(runs.alongV[group][i])};
        }
        [[nodiscard]] Float stepZ() const { return Simd::set(static_cast<float>(view.m[2][2])); }
    };

    // Not inlined, as it is called for columns and for single runs.
    [[gnu::noinline]] static void addPiece(const GeneralTask& task, const GeneralView& view,
                                           const Piece& piece, int count, float* voxels) {
        Runs runs;
        for (int group = 0; group * kGroup < count; ++group)
            placeRuns(task, view, piece, group, runs);
        const Column column{task, view, runs, count, voxels};
        if constexpr (Simd::kPicks)
            if (piece.spanV < kMostRows && (Simd::kDownwards || piece.perV > 0)) {
                if constexpr (kRegisters > 1)
                    addPlaced(column);
                else if (piece.spanU < kFewCrossed)
                    addRuns(column, [](const Pixels& pixels, const Place& place, int columns) {
                        const auto at = Pixels::at(place.u, place.v);
                        return columns == 2 ? pixels.ofTwo(at) : pixels.ofMore(at, 3);
                    });
                else
                    addCounted<3>(column, static_cast<int>(piece.spanU) + 3);
                return;
            }
        addFetched(column);
    }

    // The value of a voxel is value(pixels, place, columns).
    template <class Value>
    static void addRuns(const Column& column, const Value& value) {
        const Float stepZ = column.stepZ();
        for (int r = 0; r < column.count; ++r) {
            const int columns = column.columnsOf(r);
            if (columns == kAtEdge) addAtEdge(column, r);
            if (columns <= 0) continue;
            addRun(column, r, stepZ, [&](const Pixels& pixels, const Place& place) {
                return value(pixels, place, columns);
            });
        }
    }

    template <class Value>
    static void addRun(const Column& column, int r, Float stepZ, const Value& value) {
        const Pixels pixels = {column.pixelsOf(r), column.task.viewColumnStride};
        const First first = column.firstOf(r);
        for (int i = 0; i < kRegisters; ++i) {
            const Place place = placeOf(first, stepZ, i);
            float* to = column.voxels + r * kRunVoxels + i * kLanes;
            Simd::store(to, Simd::fma(Simd::mul(place.perDepth, place.perDepth),
                                      value(pixels, place), Simd::load(to)));
        }
    }

    // Not inlined, as few runs cross the view's first or last column.
    [[gnu::noinline]] static void addAtEdge(const Column& column, int r) {
        const Index end = column.task.columns - 1 - column.runs.column[r / kGroup][r % kGroup];
        addRun(column, r, column.stepZ(), [&](const Pixels& pixels, const Place& place) {
            return pixels.fetchedWithin(place.u, place.v, static_cast<float>(end));
        });
    }

    static void addFetched(const Column& column) {
        addRuns(column, [](const Pixels& pixels, const Place& place, int) {
            return pixels.fetched(place.u, place.v);
        });
    }

    // As many detector columns for all runs of a piece: to read one too many costs less than a
    // branch that the processor predicts wrongly.
    template <int kColumns>
    static void addCounted(const Column& column, int columns) {
        if (columns == kColumns)
            addRuns(column, [](const Pixels& pixels, const Place& place, int) {
                return pixels.ofMore(Pixels::at(place.u, place.v), kColumns);
            });
        else if constexpr (kColumns < Simd::kMostColumns)
            addCounted<kColumns + 1>(column, columns);
        else
            addFetched(column);
    }

    // Where a run is several registers, all places are found first.
    static void addPlaced(const Column& column) {
        Voxels places;
        const Float stepZ = column.stepZ();
        for (int r = 0; r < column.count; ++r) {
            const First first = column.firstOf(r);
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
        for (int r = 0; r < column.count; ++r) {
            const int columns = column.columnsOf(r);
            if (columns == kAtEdge) addAtEdge(column, r);
            if (columns <= 0) continue;
            const Pixels pixels = {column.pixelsOf(r), column.task.viewColumnStride};
            for (int at = r * kRunVoxels; at < (r + 1) * kRunVoxels; at += kLanes) {
                const typename Pixels::At place = {Simd::load(places.u + at),
                                                   Simd::load(places.v + at), places.row + at,
                                                   Simd::loadRows(places.inWindow + at)};
                const Float value =
                    columns == 2 ? pixels.ofTwo(place) : pixels.ofMore(place, columns);
                float* to = column.voxels + at;
                Simd::store(to, Simd::fma(Simd::load(places.weight + at), value, Simd::load(to)));
            }
        }
    }

    static void placeRuns(const GeneralTask& task, const GeneralView& view, const Piece& piece,
                          int group, Runs& out) {
        const Doubles zero = {};
        Doubles k;
        __builtin_memcpy(&k, kStarts.k + group * kGroup, sizeof k);
        const Doubles z = piece.z + view.m[2][2] * k;
        const Doubles f = 1.0 / z;
        const Doubles u = (piece.uz + view.m[0][2] * k) * f;
        const Doubles v = (piece.vz + view.m[1][2] * k) * f;
        const Doubles left = u - (piece.perU < 0 ? piece.spanU : 0);
        const double down = piece.perV < 0 ? piece.spanV : 0;
        const auto seen = (v - down < static_cast<double>(task.rowEnd)) &
                          (v - down + piece.spanV > static_cast<double>(task.rowBegin - 1));
        const auto lastColumn = static_cast<double>(task.columns - 1);
        const auto meets = seen & (left < lastColumn) & (left + piece.spanU > 0.0);
        // Such a run may read one column more than it touches.
        const auto within = (left >= 0.0) & (left + piece.spanU < lastColumn - 1);
        const Doubles column = whole(meets ? left : zero);
        const Doubles row = whole(seen ? v - down : zero);
        const Doubles columns = left - column + (2 + piece.spanU);
        const Doubles kind =
            meets ? (within ? columns : zero + static_cast<double>(kAtEdge)) : zero;
        out.u[group] = __builtin_convertvector(u - column, Floats);
        out.v[group] = __builtin_convertvector(v - row, Floats);
        out.z[group] = __builtin_convertvector(z, Floats);
        out.alongU[group] = __builtin_convertvector(f * piece.perU, Floats);
        out.alongV[group] = __builtin_convertvector(f * piece.perV, Floats);
        out.column[group] = __builtin_convertvector(column, Integers);
        out.row[group] = __builtin_convertvector(row, Integers);
        out.columns[group] = __builtin_convertvector(kind, Integers);
    }

    static Place placeOf(const First& first, Float stepZ, int i) {
        const Float lanes = Simd::add(Simd::lanes(), Simd::set(static_cast<float>(i * kLanes)));
        const Float perDepth = Simd::reciprocal(Simd::fma(lanes, stepZ, first.z));
        const Float along = Simd::mul(lanes, perDepth);
        return {Simd::fma(first.alongU, along, first.u), Simd::fma(first.alongV, along, first.v),
                perDepth};
    }
};

}  // namespace
}  // namespace gantry
