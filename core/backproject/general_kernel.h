#pragma once

#include "core/backproject/simd_kernels.h"

// Included beside columns_kernel.h, so that both are compiled with the same flags.
namespace gantry {
namespace {

// Views of any position, added to columns along z. Along a column the place on a view runs one way
// along a line; a run of as many voxels as a SIMD register has lanes crosses few detector columns,
// and of each the rows that it needs lie in one or two registers. Where a run begins is worked out
// in double; within it float suffices, as places are counted from a pixel near all of them.
template <class Simd>
class GeneralKernel {
  public:
    static void addBrick(const GeneralTask& task, const ColumnsBrick& brick) {
        const Index runs = task.zStride / kLanes;
        for (Index run = 0; run < runs; run += kRunsPerBlock) {
            const int count =
                static_cast<int>(runs - run < kRunsPerBlock ? runs - run : kRunsPerBlock);
            for (Index s = 0; s < task.viewCount; ++s)
                for (Index y = brick.y0; y < brick.y1; ++y)
                    for (Index x = brick.x0; x < brick.x1; ++x)
                        addColumn(task, task.views[s], {x, y, run * kLanes}, count,
                                  task.slab + (y * task.nX + x) * task.columnStride + run * kLanes);
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
    static constexpr int kBlockVoxels = 256;  // what a brick touches in a view stays in L1
    static constexpr int kRunsPerBlock = kBlockVoxels / kLanes;
    static constexpr int kGroups = kRunsPerBlock / kGroup;

    static constexpr double kMargin = 1e-3;  // pixels; float places of a run are closer
    static constexpr int kMostColumns = 6;   // beyond them four pixels a voxel are fetched faster
    static constexpr int kMostSpan = 128;  // pixels of a run: farther ones are too coarse in float
    static constexpr double kMostOffset = 4e6;  // that floats count exactly, and split() takes

    enum Way : int { kNothing, kSingly, kTogether };

    // The first voxel of a block.
    struct Start {
        Index x, y, k;
    };

    // The runs of a block as a view sees them, [run].
    struct Runs {
        alignas(64) float u[kRunsPerBlock];  // of the first voxel, from pixel (column, row)
        alignas(64) float v[kRunsPerBlock];
        alignas(64) float z[kRunsPerBlock];
        alignas(64) float alongU[kRunsPerBlock];  // times lanes/z: how far a lane is from there
        alignas(64) float alongV[kRunsPerBlock];
        alignas(64) int column[kRunsPerBlock];
        alignas(64) int row[kRunsPerBlock];
        alignas(64) int columns[kRunsPerBlock];  // that the run touches
        alignas(64) int rows[kRunsPerBlock];
        alignas(64) int way[kRunsPerBlock];
    };

    static Doubles least(Doubles a, Doubles b) { return a < b ? a : b; }
    static Doubles most(Doubles a, Doubles b) { return a < b ? b : a; }
    template <class To, class From>
    static void keep(To* to, From from) {
        for (int i = 0; i < kGroup; ++i)
            to[i] = static_cast<To>(from[i]);
    }

    static Doubles onColumn(const double (&m)[4], const Start& start, const Doubles& k) {
        return m[0] * static_cast<double>(start.x) + m[1] * static_cast<double>(start.y) + m[3] +
               m[2] * k;
    }

    static void setUp(const GeneralTask& task, const GeneralView& view, const Start& start,
                      int group, Runs& out) {
        const Doubles zero = {};
        Doubles k{};
        for (int i = 0; i < kGroup; ++i)
            k[i] = static_cast<double>(start.k + (group * kGroup + i) * kLanes);
        const Doubles z = onColumn(view.m[2], start, k);
        const Doubles zEnd = z + view.m[2][2] * kLanes;
        const Doubles f = 1.0 / z;
        const Doubles fEnd = 1.0 / zEnd;
        const Doubles uz = onColumn(view.m[0], start, k);
        const Doubles vz = onColumn(view.m[1], start, k);
        const Doubles u = uz * f;
        const Doubles v = vz * f;
        const Doubles uEnd = (uz + view.m[0][2] * kLanes) * fEnd;
        const Doubles vEnd = (vz + view.m[1][2] * kLanes) * fEnd;
        const Doubles left = least(u, uEnd) - kMargin;
        const Doubles right = most(u, uEnd) + kMargin;
        const Doubles low = least(v, vEnd) - kMargin;
        const Doubles high = most(v, vEnd) + kMargin;

        const auto lastColumn = static_cast<double>(task.columns - 1);
        const auto before = (z > 0.0) & (zEnd > 0.0);
        const auto behind = (z <= 0.0) & (zEnd <= 0.0);
        const auto misses = before & ((right < 0.0) | (left > lastColumn) |
                                      (high < static_cast<double>(task.rowBegin - 1)) |
                                      (low > static_cast<double>(task.rowEnd)));
        const auto fits = before & (left >= 0.0) & (right < lastColumn) &
                          (right - left < static_cast<double>(kMostSpan)) &
                          (high - low < static_cast<double>(kPadRows - kMostAround));
        const Doubles way = misses | behind ? zero
                            : fits          ? zero + static_cast<double>(kTogether)
                                            : zero + static_cast<double>(kSingly);
        const auto usable = fits & ~misses;
        const auto whole = [&](const Doubles& a) {
            return __builtin_convertvector(usable ? a : zero, Integers);
        };
        const Integers column = whole(left);
        const Integers row = whole(low);
        const int at = group * kGroup;
        keep(out.u + at, u - __builtin_convertvector(column, Doubles));
        keep(out.v + at, v - __builtin_convertvector(row, Doubles));
        keep(out.z + at, z);
        keep(out.alongU + at, view.m[0][2] - u * view.m[2][2]);
        keep(out.alongV + at, view.m[1][2] - v * view.m[2][2]);
        keep(out.column + at, column);
        keep(out.row + at, row);
        keep(out.columns + at, whole(right) - column + 2);
        keep(out.rows + at, whole(high) - row + 2);
        keep(out.way + at, __builtin_convertvector(way, Integers));
    }
    static constexpr int kMostAround = 3;  // rows beyond a run's own that are read with them

    static void addColumn(const GeneralTask& task, const GeneralView& view, const Start& start,
                          int runs, float* voxels) {
        Runs all;
        for (int group = 0; group * kGroup < runs; ++group)
            setUp(task, view, start, group, all);
        const Float depthPerLane =
            Simd::mul(Simd::lanes(), Simd::set(static_cast<float>(view.m[2][2])));
        for (int r = 0; r < runs; ++r) {
            float* sums = voxels + r * kLanes;
            if (all.way[r] == kNothing) continue;
            if (all.way[r] == kSingly)
                addSingly(task, view, {start.x, start.y, start.k + r * kLanes}, sums);
            else
                addRun(task, view, all, r, depthPerLane, sums);
        }
    }

    // A run's places on the view, from its pixel (column, row).
    struct Places {
        Float u;
        Float v;
        Float perDepth;
    };

    static void addRun(const GeneralTask& task, const GeneralView& view, const Runs& runs, int r,
                       Float depthPerLane, float* sums) {
        const Float perDepth = Simd::reciprocal(Simd::add(Simd::set(runs.z[r]), depthPerLane));
        const Float along = Simd::mul(Simd::lanes(), perDepth);
        const Places places = {Simd::fma(Simd::set(runs.alongU[r]), along, Simd::set(runs.u[r])),
                               Simd::fma(Simd::set(runs.alongV[r]), along, Simd::set(runs.v[r])),
                               perDepth};
        const float* pixels =
            view.rows + runs.column[r] * task.viewColumnStride + static_cast<Index>(runs.row[r]);
        const Index stride = task.viewColumnStride;
        const int columns = runs.columns[r];
        Float value;
        if (columns > kMostColumns || runs.rows[r] > 2 * kLanes)
            value = fetched(pixels, stride, places);
        else if (runs.rows[r] <= kLanes)
            value = columns == 2   ? ofTwo<Near>(pixels, stride, places)
                    : columns == 3 ? ofMore<Near>(pixels, stride, places, 3)
                                   : ofMore<Near>(pixels, stride, places, columns);
        else
            value = columns == 2   ? ofTwo<Far>(pixels, stride, places)
                    : columns == 3 ? ofMore<Far>(pixels, stride, places, 3)
                                   : ofMore<Far>(pixels, stride, places, columns);
        Simd::store(
            sums, Simd::fma(Simd::mul(places.perDepth, places.perDepth), value, Simd::load(sums)));
    }

    // The rows of a detector column that a run needs, in one register.
    struct Near {
        Float rows;
        explicit Near(const float* column) : rows(Simd::load(column)) {}
        Float operator[](Integer row) const { return Simd::pick(rows, row); }
    };
    // The same in two.
    struct Far {
        Float low;
        Float high;
        explicit Far(const float* column)
            : low(Simd::load(column)), high(Simd::load(column + kLanes)) {}
        Float operator[](Integer row) const { return Simd::pick(low, high, row); }
    };

    template <class Window>
    static Float onColumnAt(const float* column, Integer row, Float fraction) {
        const Window window(column);
        const Float below = window[row];
        return Simd::fma(fraction, Simd::sub(window[Simd::next(row)], below), below);
    }

    // Between two detector columns.
    template <class Window>
    static Float ofTwo(const float* pixels, Index stride, const Places& at) {
        const auto [row, fraction] = Simd::split(at.v);
        const Float left = onColumnAt<Window>(pixels, row, fraction);
        const Float right = onColumnAt<Window>(pixels + stride, row, fraction);
        return Simd::fma(at.u, Simd::sub(right, left), left);
    }

    // Along the polyline through more of them.
    template <class Window>
    static Float ofMore(const float* pixels, Index stride, const Places& at, int columns) {
        const auto [row, fraction] = Simd::split(at.v);
        Float here = onColumnAt<Window>(pixels, row, fraction);
        Float value = here;
        Float u = at.u;
        for (int c = 1; c < columns; ++c) {
            const Float next = onColumnAt<Window>(pixels + c * stride, row, fraction);
            const Float share = Simd::least(Simd::most(u, Simd::set(0)), Simd::set(1));
            value = Simd::fma(share, Simd::sub(next, here), value);
            here = next;
            u = Simd::sub(u, Simd::set(1));
        }
        return value;
    }

    // Four pixels for each voxel.
    static Float fetched(const float* pixels, Index stride, const Places& at) {
        const Float du = Simd::split(at.u).fraction;
        const Float dv = Simd::split(at.v).fraction;
        const Float offset = Simd::fma(Simd::sub(at.u, du), Simd::set(static_cast<float>(stride)),
                                       Simd::sub(at.v, dv));
        const auto pixel = Simd::whole(Simd::split(offset).row, Simd::wholeLanes(0));
        const auto between = [&](const float* column) {
            const auto [below, above] = Simd::gatherPairs(column, pixel);
            return Simd::fma(dv, Simd::sub(above, below), below);
        };
        const Float left = between(pixels);
        return Simd::fma(du, Simd::sub(between(pixels + stride), left), left);
    }

    // Runs that cross the view's edge or the source's plane, voxel by voxel.
    static void addSingly(const GeneralTask& task, const GeneralView& view, const Start& start,
                          float* sums) {
        for (int i = 0; i < kLanes; ++i) {
            const auto line = [&](const double(&m)[4]) {
                return m[0] * static_cast<double>(start.x) + m[1] * static_cast<double>(start.y) +
                       m[2] * static_cast<double>(start.k + i) + m[3];
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
