#include "core/project/cpu_projector.h"

#include <algorithm>
#include <utility>

#include "core/backproject/columns_layout.h"
#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/project/grid_rays.h"
#include "core/project/line_kernels.h"
#include "core/project/padded_slab.h"
#include "core/project/plane_rays.h"

namespace gantry {

namespace {

constexpr int kBrick = kBrickSide * kBrickSide;  // detector columns that are walked together
constexpr Index kBatchBytes = 16 << 20;          // of views; about a level 3 cache
constexpr Index kPlanesBytes = 8 << 20;          // of planes that all views of a batch walk in turn
constexpr Index kTileBytes = 256 << 10;          // of a plane; a part of a level 2 cache

class CpuProjector final : public Projector {
  public:
    CpuProjector(ProjectedViews views, int threads, SimdLevel level)
        : m_views(std::move(views)),
          m_threads(threads),
          m_columnsKernels(simdKernels(level)),
          m_lines(lineKernels(level)) {}

    void begin(const VolumeGrid& grid, IndexRange slices) override {
        const VolumeGrid slab = grid.slab(slices);
        m_slab.reset(slab.voxels, m_threads);
        m_slices = slices;
        // Iterative methods begin the same slab again and again, for some of the views.
        if (slab == m_raysGrid) return;
        m_raysGrid = slab;
        m_rays.clear();
        for (const ViewPose& pose : m_views.poses)
            m_rays.push_back(raysOn(slab, pose, m_views.columns, m_views.rows));
    }

    void set(IndexRange slices, Span3<const float> voxels) override {
        m_slab.set(inSlab(slices), voxels, m_threads);
    }

    void read(IndexRange slices, Span3<float> out) override {
        m_slab.read(inSlab(slices), out, m_threads);
    }

    void project(IndexRange views, Span3<float> out, const std::stop_token& stop) override {
        forEachBatch(views, out, [&](IndexRange batch, Span3<float> part) {
            fillWithZeros(m_rows.data(), batch.size() * sumsLayout().count(), m_threads);
            for (const int axis : {0, 1})
                sumUpright(batch, axis, stop);
            sumOthers(batch, stop);
            addSums(batch, part, stop);
        });
    }

    void adjoint(IndexRange views, Span3<const float> rays, const std::stop_token& stop) override {
        forEachBatch(views, rays, [&](IndexRange batch, Span3<const float> part) {
            transposeViews(part, 0, viewLayout(), m_rows.data(), m_threads, stop);
            scaleRays(batch, stop);
            for (const int axis : {0, 1})
                addUpright(batch, axis, stop);
            for (const int axis : {0, 1, 2})
                addOthers(batch, axis, stop);
        });
        m_slab.clearBehind(m_threads);
    }

    [[nodiscard]] Index bytesNeeded(const VolumeGrid& grid, Index slices) const override {
        const Index rows = batchViews() * viewLayout().viewStride(m_views.columns);
        return PaddedSlab::bytesNeeded({grid.voxels[0], grid.voxels[1], slices}) +
               rows * Index{sizeof(float)};
    }

  private:
    // A view of a batch and its fan that step along one axis.
    struct FanOfView {
        Index s;  // in the batch
        const GridRays* rays;
        const RayFan* fan;
    };

    [[nodiscard]] IndexRange inSlab(IndexRange slices) const {
        return {slices.begin - m_slices.begin, slices.end - m_slices.begin};
    }
    // The layouts of views [s][u][v] whose rays are spread, and of those that are summed.
    [[nodiscard]] ViewLayout viewLayout() const { return {0, m_views.rows, 0, 1}; }
    [[nodiscard]] SlabLayout sumsLayout() const { return {m_views.columns, 1, m_views.rows, 1}; }
    [[nodiscard]] float* sumsOf(Index s, Index u) {
        return m_rows.data() + s * sumsLayout().count() + u * sumsLayout().columnStride();
    }
    [[nodiscard]] float* raysOf(Index s, Index u) {
        const ViewLayout layout = viewLayout();
        return m_rows.data() + s * layout.viewStride(m_views.columns) +
               (u + 1) * layout.columnStride() + kPadRows;
    }
    [[nodiscard]] Index batchViews() const {
        const Index bytes = viewLayout().viewStride(m_views.columns) * Index{sizeof(float)};
        const Index views = std::clamp<Index>(kBatchBytes / bytes, 4, 32);
        return std::min(views, static_cast<Index>(m_views.poses.size()));
    }

    template <class T, class Work>
    void forEachBatch(IndexRange views, Span3<T> all, const Work& work) {
        require(all.size(0) == views.size() && all.size(1) == m_views.rows &&
                    all.size(2) == m_views.columns,
                "views of another size than the projector's");
        makeRoom(m_rows, batchViews() * viewLayout().viewStride(m_views.columns));
        for (Index s = 0; s < views.size(); s += batchViews()) {
            const IndexRange batch = {s, std::min(s + batchViews(), views.size())};
            work({views.begin + batch.begin, views.begin + batch.end}, all.slices(batch));
        }
    }

    [[nodiscard]] std::vector<FanOfView> fansAlong(int axis, IndexRange batch,
                                                   bool areUpright) const {
        std::vector<FanOfView> fans;
        for (Index view = batch.begin; view < batch.end; ++view)
            for (const RayFan& fan : m_rays[view].fans)
                if (fan.axis == axis && m_rays[view].isUpright == areUpright)
                    fans.push_back({view - batch.begin, &m_rays[view], &fan});
        return fans;
    }

    // The padded column in front of a plane's first one.
    [[nodiscard]] float* planeAt(int axis, Index plane) {
        const Index z = -PaddedSlab::firstZ();
        return axis == 0 ? m_slab.at(plane, -1, z) : m_slab.at(-1, plane, z);
    }

    // Planes are walked some at a time, so that the next view finds them in the cache.
    void sumUpright(IndexRange batch, int axis, const std::stop_token& stop) {
        std::vector<FanOfView> bricks;
        std::vector<IndexRange> columns;
        for (const FanOfView& one : fansAlong(axis, batch, true))
            for (Index u = one.fan->columns.begin; u < one.fan->columns.end; u += kBrick) {
                bricks.push_back(one);
                columns.push_back({u, std::min(u + kBrick, one.fan->columns.end)});
            }
        const Index planeBytes =
            m_slab.voxels()[1 - axis] * m_slab.strides()[0] * Index{sizeof(float)};
        const Index atOnce = std::clamp<Index>(kPlanesBytes / planeBytes, 8, 64);
        const Index planes = m_slab.voxels()[axis];
        for (Index first = 0; first < planes; first += atOnce) {
            const IndexRange some = {first, std::min(first + atOnce, planes)};
            parallelFor(
                m_threads, std::ssize(bricks), 4,
                [&](Index begin, Index end, int) {
                    for (Index i = begin; i < end; ++i)
                        sumBrick(bricks[i], columns[i], axis, some);
                },
                stop);
        }
    }

    void sumBrick(const FanOfView& one, IndexRange columns, int axis, IndexRange planes) {
        const IndexRange all = planesOf(*one.rays, *one.fan, m_slab.voxels()[axis]);
        std::vector<ColumnsView> views;
        for (Index plane = std::max(planes.begin, all.begin); plane < std::min(planes.end, all.end);
             ++plane) {
            views.push_back(onPlane(*one.rays, axis, plane));
            views.back().rows = planeAt(axis, plane);
        }
        ColumnsTask task{};
        task.views = views.data();
        task.viewCount = std::ssize(views);
        task.columns = m_slab.voxels()[1 - axis] + 2;
        task.viewColumnStride = m_slab.strides()[1 - axis];
        task.rowBegin = kPadRows;
        task.rowEnd = kPadRows + m_slab.voxels()[2];
        task.slab = sumsOf(one.s, 0);
        task.nX = m_views.columns;
        task.columnStride = sumsLayout().columnStride();
        task.zStride = sumsLayout().zStride();
        m_columnsKernels.addBrick(task, {columns.begin, columns.end, 0, 1});
    }

    // Calls work(values, bundle, planes) for the rays of a column of a fan, some at a time.
    template <class Work>
    void forEachBundle(const FanOfView& one, Index u, IndexRange planes, const Work& work) {
        const IndexRange all = planesOf(*one.rays, *one.fan, m_slab.voxels()[one.fan->axis]);
        const IndexRange hit = {std::max(planes.begin, all.begin), std::min(planes.end, all.end)};
        if (hit.empty()) return;
        for (Index v = 0; v < m_views.rows; v += kRayRows) {
            RayBundle bundle(*one.rays, *one.fan, u, {v, std::min(v + kRayRows, m_views.rows)},
                             m_slab.voxels(), m_slab.strides());
            for (Index first = hit.begin / kRayPlanes * kRayPlanes; first < hit.end;
                 first += kRayPlanes)
                work(v, bundle.through(
                            {std::max(first, hit.begin), std::min(first + kRayPlanes, hit.end)},
                            m_slab.at(0, 0, 0)));
        }
    }

    void sumOthers(IndexRange batch, const std::stop_token& stop) {
        for (const int axis : {0, 1, 2})
            for (const FanOfView& one : fansAlong(axis, batch, false))
                parallelFor(
                    m_threads, one.fan->columns.size(), 4,
                    [&](Index begin, Index end, int) {
                        for (Index i = begin; i < end; ++i) {
                            const Index u = one.fan->columns.begin + i;
                            forEachBundle(one, u, {0, m_slab.voxels()[axis]},
                                          [&](Index v, const RayTask& task) {
                                              m_lines.sumRays(task, sumsOf(one.s, u) + v);
                                          });
                        }
                    },
                    stop);
    }

    // Scales a column's sums or rays; several threads at once, each with its own columns.
    template <class Take>
    void forEachColumn(IndexRange batch, const std::stop_token& stop, const Take& take) {
        parallelFor(
            m_threads, batch.size(), 1,
            [&](Index begin, Index end, int) {
                std::vector<float> distances(static_cast<std::size_t>(m_views.rows));
                for (Index s = begin; s < end; ++s) {
                    const GridRays& rays = m_rays[batch.begin + s];
                    for (const RayFan& fan : rays.fans)
                        for (Index u = fan.columns.begin; u < fan.columns.end; ++u) {
                            rays.planeDistancesMm(fan, u, m_views.rows, distances.data());
                            take(s, u, distances.data());
                        }
                }
            },
            stop);
    }

    void addSums(IndexRange batch, Span3<float> out, const std::stop_token& stop) {
        forEachColumn(batch, stop, [&](Index s, Index u, const float* distances) {
            float* sums = sumsOf(s, u);
            for (Index v = 0; v < m_views.rows; ++v)
                sums[v] *= distances[v];
            // By whole cache lines of the views.
            const bool isLineEnd = (u + 1) % kColumnAlignment == 0 || u + 1 == m_views.columns;
            const Index first = u / kColumnAlignment * kColumnAlignment;
            for (Index v = 0; isLineEnd && v < m_views.rows; ++v)
                for (Index i = first; i <= u; ++i)
                    out.row(s, v)[i] += sumsOf(s, i)[v];
        });
    }

    void scaleRays(IndexRange batch, const std::stop_token& stop) {
        forEachColumn(batch, stop, [&](Index s, Index u, const float* distances) {
            float* rays = raysOf(s, u);
            for (Index v = 0; v < m_views.rows; ++v)
                rays[v] *= distances[v];
        });
    }

    // Each thread owns some columns of voxels of a plane at a time, and adds to no others.
    void addUpright(IndexRange batch, int axis, const std::stop_token& stop) {
        const std::vector<FanOfView> fans = fansAlong(axis, batch, true);
        if (fans.empty()) return;
        const Index columns = m_slab.voxels()[1 - axis];
        const Index columnFloats = m_slab.strides()[0];
        const Index width = std::clamp<Index>(kTileBytes / (columnFloats * Index{sizeof(float)}), 8,
                                              std::max<Index>(8, columns));
        const Index tiles = (columns + width - 1) / width;
        makeRoom(m_spare, columnFloats * m_threads);
        fillWithZeros(m_spare.data(), columnFloats * m_threads, 1);
        parallelFor(
            m_threads, m_slab.voxels()[axis] * tiles, 1,
            [&](Index begin, Index end, int worker) {
                for (Index i = begin; i < end; ++i) {
                    const Index first = i % tiles * width + 1;
                    addTile(fans, axis, i / tiles, {first, std::min(first + width, columns + 1)},
                            m_spare.data() + worker * columnFloats);
                }
            },
            stop);
    }

    void addTile(const std::vector<FanOfView>& all, int axis, Index plane, IndexRange columns,
                 float* spare) {
        std::vector<PlaneFan> fans;
        for (const FanOfView& one : all) {
            if (!planesOf(*one.rays, *one.fan, m_slab.voxels()[axis]).contains(plane)) continue;
            fans.push_back({onPlane(*one.rays, axis, plane), one.fan->columns});
            fans.back().view.rows = raysOf(one.s, 0);
        }
        PlaneRays task{};
        task.fans = fans.data();
        task.fanCount = std::ssize(fans);
        task.nV = m_views.rows;
        task.rayStride = viewLayout().columnStride();
        task.plane = planeAt(axis, plane);
        task.columnStride = m_slab.strides()[1 - axis];
        task.columns = columns;
        task.slices = {kPadRows, kPadRows + m_slab.voxels()[2]};
        task.spare = spare;
        m_lines.addToPlane(task);
    }

    // Each thread owns some planes at a time.
    void addOthers(IndexRange batch, int axis, const std::stop_token& stop) {
        const std::vector<FanOfView> fans = fansAlong(axis, batch, false);
        if (fans.empty()) return;
        parallelFor(
            m_threads, m_slab.voxels()[axis], kRayPlanes,
            [&](Index begin, Index end, int) {
                for (const FanOfView& one : fans)
                    for (Index u = one.fan->columns.begin; u < one.fan->columns.end; ++u)
                        forEachBundle(one, u, {begin, end}, [&](Index v, const RayTask& task) {
                            m_lines.spreadRays(task, raysOf(one.s, u) + v);
                        });
            },
            stop);
    }

    ProjectedViews m_views;
    int m_threads;
    const SimdKernels& m_columnsKernels;
    const LineKernels& m_lines;
    IndexRange m_slices;
    PaddedSlab m_slab;
    VolumeGrid m_raysGrid;
    std::vector<GridRays> m_rays;  // [s], on this grid
    HostBuffer<float> m_rows;      // of a batch: [s][u][v], rays or their sums
    HostBuffer<float> m_spare;     // a column a thread
};

}  // namespace

std::unique_ptr<Projector> makeCpuProjector(ProjectedViews views, int threads, SimdLevel level) {
    return std::make_unique<CpuProjector>(std::move(views), threads, level);
}

}  // namespace gantry
