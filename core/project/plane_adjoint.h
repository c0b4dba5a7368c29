#pragma once

#include "core/project/line_kernels.h"

// Included by one source for every instruction set; see core/backproject/columns_kernel.h.
namespace gantry {
namespace {

// The transpose of what ColumnsKernel does for a forward projection. A ray that hits the plane
// between two columns of voxels and between two slices adds to all four. So a voxel gets from a
// detector column the tent-weighted sum of the rows within one voxel of it, which is the same for
// both columns of voxels but for their shares.
template <class Simd>
class PlaneAdjoint {
  public:
    static void addToPlane(const PlaneRays& task) {
        for (Index i = 0; i < task.fanCount; ++i) {
            const PlaneFan& fan = task.fans[i];
            // Along a fan the place in the plane rises or falls throughout.
            const auto before = static_cast<double>(task.columns.begin - 1);
            const auto behind = static_cast<double>(task.columns.end);
            const bool rises =
                placeOf(fan.view, fan.columns.begin) < placeOf(fan.view, fan.columns.end - 1);
            const Index begin = firstBeyond(fan, rises ? before : behind, rises);
            const Index end = firstBeyond(fan, rises ? behind : before, rises);
            for (Index u = begin; u < end; ++u)
                addColumn(task, fan.view, u);
        }
    }

  private:
    using Float = typename Simd::Float;
    using Integer = typename Simd::Integer;
    static constexpr int kLanes = Simd::kLanes;
    static constexpr double kMargin = 1e-3;  // rows; float coordinates of a run are closer

    // The rays of one detector column, and the voxels that they add to.
    struct Column {
        const float* rays;  // row 0
        Index nV;
        double z;        // padded, of row 0
        double zPerRow;  // positive
        double rowsPerVoxel;
        float* left;
        float* right;
        Float leftWeight;
        Float rightWeight;
    };

    // The rows that a run needs, in one register or in two.
    struct Near {
        static constexpr int kRows = kLanes;
        Float rows;
        explicit Near(const float* from) : rows(Simd::load(from)) {}
        Float operator[](Integer row) const { return Simd::pick(rows, row); }
    };
    struct Far {
        static constexpr int kRows = 2 * kLanes;
        Float low;
        Float high;
        explicit Far(const float* from) : low(Simd::load(from)), high(Simd::load(from + kLanes)) {}
        Float operator[](Integer row) const { return Simd::pick(low, high, row); }
    };

    static double placeOf(const ColumnsView& view, Index u) {
        const auto column = static_cast<double>(u);
        return (view.u[0] * column + view.u[2]) / (view.z[0] * column + view.z[2]);
    }

    // The first detector column of the fan that has passed this place.
    static Index firstBeyond(const PlaneFan& fan, double place, bool rises) {
        Index begin = fan.columns.begin;
        Index end = fan.columns.end;
        while (begin < end) {
            const Index middle = begin + (end - begin) / 2;
            const double at = placeOf(fan.view, middle);
            if (rises ? at > place : at < place)
                end = middle;
            else
                begin = middle + 1;
        }
        return begin;
    }

    static void addColumn(const PlaneRays& task, const ColumnsView& view, Index u) {
        const auto column = static_cast<double>(u);
        const double reciprocal = 1.0 / (view.z[0] * column + view.z[2]);
        const double place = (view.u[0] * column + view.u[2]) * reciprocal;
        const double z = (view.v[0] * column + view.v[2]) * reciprocal;
        const double zPerRow = view.vPerVoxel * reciprocal;
        const auto left = static_cast<Index>(place);
        const double share = place - static_cast<double>(left);
        const auto voxels = [&](Index i) {
            const bool isOwn = i >= task.columns.begin && i < task.columns.end;
            return isOwn ? task.plane + i * task.columnStride : task.spare;
        };
        const Column c{view.rows + u * task.rayStride,
                       task.nV,
                       z,
                       zPerRow,
                       1.0 / zPerRow,
                       voxels(left),
                       voxels(left + 1),
                       Simd::set(static_cast<float>(1.0 - share)),
                       Simd::set(static_cast<float>(share))};
        addRuns(c, runsOf(task, z, zPerRow));
    }

    // Padded slices, by whole registers, that are within one voxel of a ray of the column.
    static IndexRange runsOf(const PlaneRays& task, double z, double zPerRow) {
        const auto low = static_cast<double>(task.slices.begin);
        const auto high = static_cast<double>(task.slices.end);
        double first = z - 1;
        double end = z + zPerRow * static_cast<double>(task.nV - 1) + 1;
        first = first > low ? first : low;
        end = end < high ? end : high;
        if (!(first < end)) return {0, 0};
        const auto offset = static_cast<Index>(first) - task.slices.begin;
        return {task.slices.begin + offset / kLanes * kLanes, static_cast<Index>(end) + 1};
    }

    static void addRuns(const Column& c, const IndexRange& runs) {
        // From a run's first row to its last one; two more are read around each of these for a tap.
        const double rows = c.rowsPerVoxel * (kLanes - 1) + kMargin;
        if (c.rowsPerVoxel <= 1 && rows + 2 < Near::kRows)
            addWindows<Near, 1>(c, runs);
        else if (c.rowsPerVoxel <= 1 && rows + 2 < Far::kRows)
            addWindows<Far, 1>(c, runs);
        else if (c.rowsPerVoxel <= 2 && rows + 4 < Far::kRows)
            addWindows<Far, 2>(c, runs);
        else
            addAllRows(c, runs);
    }

    static void store(const Column& c, Index z, Float sum) {
        float* left = c.left + z;
        float* right = c.right + z;
        Simd::store(left, Simd::fma(c.leftWeight, sum, Simd::load(left)));
        Simd::store(right, Simd::fma(c.rightWeight, sum, Simd::load(right)));
    }

    // Two times kTaps rows may be within one voxel of a voxel. A run that begins before the
    // detector's first row reads fewer rows there than its padding has.
    template <class Window, int kTaps>
    static void addWindows(const Column& c, const IndexRange& runs) {
        const Float zPerRow = Simd::set(static_cast<float>(c.zPerRow));
        const Float lanes = Simd::mul(Simd::lanes(), Simd::set(static_cast<float>(c.rowsPerVoxel)));
        const float* padded = c.rays - kPadRows;
        for (Index z = runs.begin; z < runs.end; z += kLanes) {
            const double first = (static_cast<double>(z) - c.z) * c.rowsPerVoxel + kPadRows;
            const auto whole = static_cast<Index>(first);
            const auto fraction = static_cast<float>(first - static_cast<double>(whole));
            const auto [index, share] = Simd::split(Simd::add(lanes, Simd::set(fraction)));
            const Window window(padded + whole - (kTaps - 1));
            // From the first of these rows to the voxel, in voxels, and so on for the next ones.
            Float away = Simd::fma(share, zPerRow, Simd::mul(Simd::set(kTaps - 1), zPerRow));
            Integer row = index;
            Float sum = Simd::mul(Simd::hat(away), window[row]);
            for (int i = 1; i < 2 * kTaps; ++i) {
                away = Simd::sub(away, zPerRow);
                row = Simd::next(row);
                sum = Simd::fma(Simd::hat(away), window[row], sum);
            }
            store(c, z, sum);
        }
    }

    // Where a voxel is wider than a few rows, each row goes to all voxels of a run.
    static void addAllRows(const Column& c, const IndexRange& runs) {
        for (Index z = runs.begin; z < runs.end; z += kLanes) {
            const double below = static_cast<double>(z) - c.z;
            const auto end = static_cast<double>(c.nV);
            double first = (below - 1) * c.rowsPerVoxel;
            double last = (below + kLanes) * c.rowsPerVoxel;
            first = first > 0 ? first : 0;
            last = last < end - 1 ? last : end - 1;
            Float sum = Simd::set(0);
            for (auto v = static_cast<Index>(first); static_cast<double>(v) <= last; ++v) {
                const double away = below - static_cast<double>(v) * c.zPerRow;
                const Float tent =
                    Simd::hat(Simd::add(Simd::lanes(), Simd::set(static_cast<float>(away))));
                sum = Simd::fma(tent, Simd::set(c.rays[v]), sum);
            }
            store(c, z, sum);
        }
    }
};

}  // namespace
}  // namespace gantry
