#pragma once

#include "core/backproject/simd_kernels.h"

// Each instruction set has one source file that includes this. Everything is in an anonymous
// namespace, and nothing of the standard library is used, so that the linker cannot take a function
// compiled for a wider machine than the one it runs on.
namespace gantry {
namespace {

constexpr int kBrickColumns = kBrickSide * kBrickSide;
constexpr int kBlockVoxels = 256;  // of a half; a brick's part of a view stays in L1

// Where a brick's columns are, and each one's voxels from firstVoxel on.
template <class Simd>
struct BrickPlaces {
    using Doubles = typename Simd::Doubles;
    static constexpr int kGroup = Simd::kLanes / 2;

    Index count;
    Doubles x[kBrickColumns / kGroup] = {};
    Doubles y[kBrickColumns / kGroup] = {};
    float* voxels[kBrickColumns] = {};

    template <class Task>
    BrickPlaces(const Task& task, const ColumnsBrick& brick, Index firstVoxel)
        : count((brick.x1 - brick.x0) * (brick.y1 - brick.y0)) {
        const Index width = brick.x1 - brick.x0;
        for (Index i = 0; i < count; ++i) {
            const Index xi = brick.x0 + i % width;
            const Index yi = brick.y0 + i / width;
            x[i / kGroup][i % kGroup] = static_cast<double>(xi);
            y[i / kGroup][i % kGroup] = static_cast<double>(yi);
            voxels[i] = task.slab + (yi * task.nX + xi) * task.columnStride + firstVoxel;
        }
    }
};

// A run is as many voxels of a column as a SIMD register has lanes. Coordinates are double up to
// the first voxel of a run; within it float suffices, because it is relative to the run's first
// row.
template <class Simd>
class ColumnsKernel {
  public:
    static void addBrick(const ColumnsTask& task, const ColumnsBrick& brick) {
        const Index runs = task.zStride / kLanes;
        for (Index run = 0; run < runs; run += kRunsPerBlock) {
            const int count =
                static_cast<int>(runs - run < kRunsPerBlock ? runs - run : kRunsPerBlock);
            if (task.pairs)
                addBlock<2>(task, brick, run, count);
            else
                addBlock<1>(task, brick, run, count);
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
    static constexpr int kBrickGroups = kBrickColumns / kGroup;
    static constexpr int kRunsPerBlock = kBlockVoxels / kLanes;
    static constexpr int kRunGroups = kRunsPerBlock / kGroup;

    static constexpr double kMargin = 1e-3;  // rows; float coordinates of a run are closer
    // no detector has as many rows, and no step is as large
    static constexpr int kFarRow = 1 << 26;
    static constexpr double kMaxStep = 1 << 22;

    // What the voxels of each of a brick's columns share in one view.
    struct Columns {
        Doubles row[kBrickGroups];     // of the block's first voxel
        Doubles step[kBrickGroups];    // rows a voxel
        Integers first[kBrickGroups];  // runs [first, end) of the block touch the view
        Integers end[kBrickGroups];
        Integers left[kBrickGroups];      // detector column
        Floats leftWeight[kBrickGroups];  // the weight and the share of the detector column
        Floats rightWeight[kBrickGroups];
    };

    // The first rows of a column's runs.
    struct Runs {
        Integers row[kRunGroups];
        Floats fraction[kRunGroups];
    };

    struct Column {
        const float* left;
        const float* right;
        Index halfRows;
        Float leftWeight;
        Float rightWeight;
        Float lanes;     // rows from a run's first voxel to each of its voxels
        int wholeStep;   // rows a voxel to be added to these, for scattered rows only
        Index rowBegin;  // all rows outside are 0
        Index rowEnd;
        float* voxels;
        Index halfVoxels;
    };

    // The rows that a run needs, blended from two detector columns, held in one register.
    struct Near {
        static constexpr double kMaxRows = kLanes - 2 - kMargin;
        Float rows;
        Near(const Column& c, Index row, Index half) : rows(blend(c, row + half * c.halfRows)) {}
        Float operator[](Integer row) const { return Simd::pick(rows, row); }
    };

    // The same in two registers.
    struct Far {
        static constexpr double kMaxRows = 2 * kLanes - 2 - kMargin;
        Float low;
        Float high;
        Far(const Column& c, Index row, Index half)
            : low(blend(c, row + half * c.halfRows)),
              high(blend(c, row + half * c.halfRows + kLanes)) {}
        Float operator[](Integer row) const { return Simd::pick(low, high, row); }
    };

    // Any rows, fetched one by one.
    struct Scattered {
        const Column& c;
        Index row;
        Index offset;
        Scattered(const Column& column, Index first, Index half)
            : c(column), row(first), offset(first + half * column.halfRows) {}
        Float operator[](Integer lane) const {
            const Integer inside = Simd::clamp(Simd::whole(lane, Simd::wholeLanes(c.wholeStep)),
                                               static_cast<int>(c.rowBegin - 1 - row),
                                               static_cast<int>(c.rowEnd - row));
            return Simd::fma(c.rightWeight, Simd::gather(c.right + offset, inside),
                             Simd::mul(c.leftWeight, Simd::gather(c.left + offset, inside)));
        }
    };

    static Float blend(const Column& c, Index at) {
        return Simd::fma(c.rightWeight, Simd::load(c.right + at),
                         Simd::mul(c.leftWeight, Simd::load(c.left + at)));
    }

    template <int kHalves>
    static void addBlock(const ColumnsTask& task, const ColumnsBrick& brick, Index run, int runs) {
        const BrickPlaces<Simd> places(task, brick, run * kLanes);
        for (Index s = 0; s < task.viewCount; ++s) {
            const ColumnsView& view = task.views[s];
            Columns columns;
            for (int group = 0; group < kBrickGroups; ++group)
                setUp(task, view, places.x[group], places.y[group],
                      static_cast<double>(run * kLanes), runs, columns, group);
            for (Index i = 0; i < places.count; ++i)
                addColumn<kHalves>(task, view, columns, i / kGroup, i % kGroup, places.voxels[i]);
        }
    }

    static void setUp(const ColumnsTask& task, const ColumnsView& view, const Doubles& x,
                      const Doubles& y, double k, int runs, Columns& out, int group) {
        const Doubles zero = {};
        const Doubles z = view.z[0] * x + view.z[1] * y + view.z[2];
        const Doubles reciprocal = 1.0 / z;
        const Doubles u = (view.u[0] * x + view.u[1] * y + view.u[2]) * reciprocal;
        const Doubles step = view.vPerVoxel * reciprocal;
        const Doubles row = (view.v[0] * x + view.v[1] * y + view.v[2]) * reciprocal + step * k;
        const auto seen = (z > 0.0) & (u > 0.0) & (u < static_cast<double>(task.columns - 1));

        const Doubles uSeen = seen ? u : zero;
        const Integers left = __builtin_convertvector(uSeen, Integers);
        const Doubles share = uSeen - __builtin_convertvector(left, Doubles);
        const Doubles weight = task.isWeighted ? reciprocal * reciprocal : zero + 1.0;
        const Doubles all = zero + static_cast<double>(runs);
        const Doubles runsPerRow = 1.0 / (step * static_cast<double>(kLanes));
        Doubles first = (static_cast<double>(task.rowBegin - 1) - row) * runsPerRow;
        first = first > 0.0 ? first : zero;
        first = first < all ? first : all;
        Doubles end = (static_cast<double>(task.rowEnd) - row) * runsPerRow + 1.0;
        end = end > 0.0 ? end : zero;
        end = end < all ? end : all;
        end = seen ? end : zero;

        out.row[group] = row;
        out.step[group] = step;
        out.first[group] = __builtin_convertvector(first, Integers);
        out.end[group] = __builtin_convertvector(end, Integers);
        out.left[group] = left;
        out.leftWeight[group] = __builtin_convertvector((1.0 - share) * weight, Floats);
        out.rightWeight[group] = __builtin_convertvector(share * weight, Floats);
    }

    template <int kHalves>
    static void addColumn(const ColumnsTask& task, const ColumnsView& view, const Columns& columns,
                          Index group, Index i, float* voxels) {
        const int first = columns.first[group][i];
        const int end = columns.end[group][i];
        if (first >= end) return;
        Runs runs;
        const double step = columns.step[group][i];
        splitRuns(columns.row[group][i], step * kLanes, end, runs);
        const double span = step * (kLanes - 1);
        // Where a step takes a run beyond two registers, its whole rows are kept apart, so that the
        // rest is as exact as a small step.
        const bool scattered = span >= Far::kMaxRows;
        const int whole = scattered ? static_cast<int>(step < kMaxStep ? step : kMaxStep) : 0;
        const float* left = view.rows + columns.left[group][i] * task.viewColumnStride;
        const Column column{
            left,
            left + task.viewColumnStride,
            task.halfRows,
            Simd::set(columns.leftWeight[group][i]),
            Simd::set(columns.rightWeight[group][i]),
            Simd::mul(Simd::lanes(), Simd::set(static_cast<float>(step - whole))),
            whole,
            task.rowBegin,
            task.rowEnd,
            voxels,
            task.zStride,
        };
        if (span < Near::kMaxRows)
            addRuns<kHalves, Near>(column, first, end, runs);
        else if (!scattered)
            addRuns<kHalves, Far>(column, first, end, runs);
        else
            addRuns<kHalves, Scattered>(column, first, end, runs);
    }

    // Rows are clamped to a range that converts to integers; anything beyond it touches no view.
    static void splitRuns(double row, double perRun, int end, Runs& out) {
        const Doubles zero = {};
        const Doubles max = zero + 2.0 * kFarRow;
        for (int group = 0; group * kGroup < end; ++group) {
            Doubles run{};
            for (int i = 0; i < kGroup; ++i)
                run[i] = group * kGroup + i;
            Doubles at = row + run * perRun + static_cast<double>(kFarRow);
            at = at > 0.0 ? at : zero;
            at = at < max ? at : max;
            const Integers whole = __builtin_convertvector(at, Integers);
            out.row[group] = whole - kFarRow;
            out.fraction[group] =
                __builtin_convertvector(at - __builtin_convertvector(whole, Doubles), Floats);
        }
    }

    template <int kHalves, class Window>
    static void addRuns(const Column& c, int first, int end, const Runs& runs) {
        for (int r = first; r < end; ++r) {
            const Index row = runs.row[r / kGroup][r % kGroup];
            const float fraction = runs.fraction[r / kGroup][r % kGroup];
            const auto [index, share] = Simd::split(Simd::add(Simd::set(fraction), c.lanes));
            const Integer next = Simd::next(index);
            for (int half = 0; half < kHalves; ++half) {
                const Window window(c, row, half);
                const Float below = window[index];
                const Float above = window[next];
                float* voxels = c.voxels + half * c.halfVoxels + r * kLanes;
                const Float sum = Simd::add(Simd::load(voxels), below);
                Simd::store(voxels, Simd::fma(share, Simd::sub(above, below), sum));
            }
        }
    }
};

}  // namespace
}  // namespace gantry
