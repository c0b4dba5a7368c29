#pragma once

#include "core/backproject/simd_kernels.h"

// Included beside columns_kernel.h, so that the same flags apply to both; it uses nothing of the
// standard library either.
namespace gantry {
namespace {

// SIMD lanes are slices, which all use the same two columns of a view with the same weights. The
// sums of as many slices as fit in eight registers stay there while some views are added.
template <class Simd>
class StackKernel {
  public:
    static void addBrick(const StackTask& task, const ColumnsBrick& brick) {
        for (Index s = 0; s < task.viewCount; s += kViews) {
            const Views views = viewsFrom(task, s);
            for (Index y = brick.y0; y < brick.y1; ++y)
                for (Index x = brick.x0; x < brick.x1; ++x)
                    addColumn(task, views, x, y);
        }
    }

  private:
    using Float = typename Simd::Float;
    using Doubles = typename Simd::Doubles;
    using Floats = typename Simd::Floats;
    using Integers = typename Simd::Integers;
    static constexpr int kLanes = Simd::kLanes;
    static constexpr int kGroup = kLanes / 2;
    static constexpr int kViews = 8;  // a brick's part of this many views stays in L1
    static constexpr int kGroups = kViews / kGroup;
    static constexpr int kMaxSums = 8;  // registers; enough to hide the latency of an addition

    // Several views, one a lane.
    struct Views {
        Doubles x[kGroups];
        Doubles y[kGroups];
        Doubles c[kGroups];
        const float* rows;
        int count;
    };

    // The positions of a column of voxels in these views.
    struct Places {
        Integers left[kGroups];
        Floats leftWeight[kGroups];
        Floats rightWeight[kGroups];
    };

    static Views viewsFrom(const StackTask& task, Index first) {
        Views views{};
        const Index left = task.viewCount - first;
        views.count = static_cast<int>(left < kViews ? left : kViews);
        views.rows = task.rows + first * task.viewStride;
        for (int i = 0; i < views.count; ++i) {
            const StackTask::Place& place = task.places[first + i];
            views.x[i / kGroup][i % kGroup] = place.x;
            views.y[i / kGroup][i % kGroup] = place.y;
            views.c[i / kGroup][i % kGroup] = place.c;
        }
        return views;
    }

    static void addColumn(const StackTask& task, const Views& views, Index x, Index y) {
        Places places;
        // The last two columns are zeros: they stand for everything beside the detector.
        const auto beside = static_cast<double>(task.columns - 2);
        for (int group = 0; group < kGroups; ++group) {
            const Doubles u = views.x[group] * static_cast<double>(x) +
                              views.y[group] * static_cast<double>(y) + views.c[group];
            const Doubles none = u - u + beside;
            const auto isSeen = (u > 0.0) & (u < beside);
            const Doubles seen = isSeen ? u : none;
            places.left[group] = __builtin_convertvector(seen, Integers);
            const Doubles share = seen - __builtin_convertvector(places.left[group], Doubles);
            places.leftWeight[group] = __builtin_convertvector(1.0 - share, Floats);
            places.rightWeight[group] = __builtin_convertvector(share, Floats);
        }
        float* voxels = task.slab + (y * task.nX + x) * task.columnStride;
        const auto runs = static_cast<int>(task.slices / kLanes);
        int run = 0;
        for (; run + kMaxSums <= runs; run += kMaxSums)
            addRuns<kMaxSums>(task, views, places, run * kLanes, voxels);
        for (; run + 4 <= runs; run += 4)
            addRuns<4>(task, views, places, run * kLanes, voxels);
        for (; run < runs; ++run)
            addRuns<1>(task, views, places, run * kLanes, voxels);
    }

    template <int kSums>
    static void addRuns(const StackTask& task, const Views& views, const Places& places, Index k,
                        float* voxels) {
        Float sums[kSums];
        for (int r = 0; r < kSums; ++r)
            sums[r] = Simd::load(voxels + k + r * kLanes);
        const float* view = views.rows + k;
        for (int i = 0; i < views.count; ++i, view += task.viewStride) {
            const float* left = view + places.left[i / kGroup][i % kGroup] * task.width;
            const float* right = left + task.width;
            const Float leftWeight = Simd::set(places.leftWeight[i / kGroup][i % kGroup]);
            const Float rightWeight = Simd::set(places.rightWeight[i / kGroup][i % kGroup]);
            for (int r = 0; r < kSums; ++r)
                sums[r] = Simd::fma(leftWeight, Simd::load(left + r * kLanes), sums[r]);
            for (int r = 0; r < kSums; ++r)
                sums[r] = Simd::fma(rightWeight, Simd::load(right + r * kLanes), sums[r]);
        }
        for (int r = 0; r < kSums; ++r)
            Simd::store(voxels + k + r * kLanes, sums[r]);
    }
};

}  // namespace
}  // namespace gantry
