#include "gpu/engine/device_rays.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>

#include "core/base/error.h"
#include "core/geometry/vec3.h"
#include "core/project/grid_rays.h"
#include "core/project/plane_rays.h"
#include "gpu/device/cuda_check.h"

namespace gantry {

namespace {

constexpr Index kBatch = gpu::kMaxSpreadFans;  // views of which scaled rays are kept

gpu::RayLine lineOf(const GridRay& ray) {
    gpu::RayLine line{};
    std::ranges::copy(ray.from, line.from);
    std::ranges::copy(ray.along, line.along);
    return line;
}

// Sets the inverse of the matrix of a ray and its changes along u and v: see gpu::pixelOf().
void setToPixel(const GridRays& rays, gpu::RayView& view) {
    const auto vectorOf = [](const std::array<double, 3>& a) { return Vec3{a[0], a[1], a[2]}; };
    const Vec3 along = vectorOf(rays.corner.along);
    const Vec3 u = vectorOf(rays.isParallel ? rays.uStep.from : rays.uStep.along);
    const Vec3 v = vectorOf(rays.isParallel ? rays.vStep.from : rays.vStep.along);
    const double perVolume = 1 / dot(along, cross(u, v));
    const Vec3 rows[3] = {perVolume * cross(u, v), perVolume * cross(v, along),
                          perVolume * cross(along, u)};
    for (int i = 0; i < 3; ++i) {
        view.toPixel[i][0] = rows[i].x;
        view.toPixel[i][1] = rows[i].y;
        view.toPixel[i][2] = rows[i].z;
    }
}

gpu::RayView viewOf(const GridRays& rays) {
    gpu::RayView view{};
    view.corner = lineOf(rays.corner);
    view.uStep = lineOf(rays.uStep);
    view.vStep = lineOf(rays.vStep);
    view.isParallel = rays.isParallel;
    setToPixel(rays, view);
    std::ranges::copy(rays.pitchMm, view.pitchMm);
    return view;
}

template <class T>
void upload(const std::vector<T>& values, DeviceBuffer<T>& buffer, cudaStream_t stream) {
    buffer.reserve(std::ssize(values));
    check(cudaMemcpyAsync(buffer.data(), values.data(), values.size() * sizeof(T),
                          cudaMemcpyHostToDevice, stream),
          "copying rays to the GPU");
}

// The largest box and smaller ones, which most tiles need. roundRows: up to what a box may have
template <class RoundRows>
void chooseBoxes(const gpu::TileBox& largest, gpu::TileBox (&boxes)[gpu::kBoxSizes],
                 const RoundRows& roundRows) {
    constexpr double kParts[gpu::kBoxSizes][2] = {{1, 1}, {0.75, 1}, {0.55, 0.9}, {0.4, 0.8}};
    for (int size = 0; size < gpu::kBoxSizes; ++size) {
        const auto part = [](int count, double of) {
            return static_cast<int>(std::ceil(count * of));
        };
        boxes[size] = {part(largest.columns, kParts[size][0]),
                       std::min(largest.rows, roundRows(part(largest.rows, kParts[size][1])))};
    }
}

double angleBetween(const gpu::RayView& a, const gpu::RayView& b) {
    double products[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        products[0] += a.corner.along[i] * b.corner.along[i];
        products[1] += a.corner.along[i] * a.corner.along[i];
        products[2] += b.corner.along[i] * b.corner.along[i];
    }
    return std::acos(std::clamp(products[0] / std::sqrt(products[1] * products[2]), -1.0, 1.0));
}

// The fans of these views.
IndexRange fansOf(const std::vector<gpu::RayFanOfView>& fans, IndexRange views) {
    const auto at = [&](Index view) {
        return std::ranges::lower_bound(fans, static_cast<int>(view), {},
                                        &gpu::RayFanOfView::view) -
               fans.begin();
    };
    return {at(views.begin), at(views.end)};
}

// Some of a list's fans; views and fans are both in host or both in device memory.
gpu::RayFans launchOf(int axis, const gpu::RayView* views, const gpu::RayFanOfView* fans,
                      IndexRange range) {
    return {views, fans + range.begin, static_cast<int>(range.size()), axis};
}

}  // namespace

DeviceRays::DeviceRays(const DeviceInfo& device, ProjectedViews views, bool tiled)
    : m_device(device), m_views(std::move(views)) {
    makeCurrent(device.number);
    if (tiled && gpu::bestBoxCopy() == gpu::BoxCopy::bulk) m_boxMaps = BoxMaps::find();
    m_scaled.reserve(std::min<Index>(kBatch, std::ssize(m_views.poses)) * viewFloats());
    // What lies behind a column's last row stays 0.
    check(cudaMemset(m_scaled.data(), 0, static_cast<std::size_t>(m_scaled.sizeBytes())),
          "zeroing rays");
}

gpu::RayRows DeviceRays::rows(IndexRange views, float* values) const {
    gpu::RayRows rows;
    rows.values = values;
    rows.firstView = static_cast<int>(views.begin);
    rows.nS = static_cast<int>(views.size());
    rows.nU = static_cast<int>(m_views.columns);
    rows.nV = static_cast<int>(m_views.rows);
    rows.pitchV = static_cast<int>(gpu::pitchOf(m_views.rows));
    return rows;
}

Index DeviceRays::viewFloats(const ProjectedViews& views) {
    return views.columns * gpu::pitchOf(views.rows);
}

Index DeviceRays::bytesNeeded(Index views, Index columns, Index rows) {
    const Index view = columns * gpu::pitchOf(rows) * Index{sizeof(float)};
    return std::min(kBatch, views) * view +
           views * Index{sizeof(gpu::RayView) + 2 * sizeof(gpu::RayFanOfView)};
}

void DeviceRays::addFan(const gpu::RayFanOfView& fan, int axis, bool isUpright) {
    const auto takes = [&](const FanList& list) {
        return list.axis == axis && list.isUpright == isUpright && list.fans.back().view < fan.view;
    };
    const auto found = std::ranges::find_if(m_lists, takes);
    if (found != m_lists.end()) {
        found->fans.push_back(fan);
        return;
    }
    m_lists.emplace_back();
    m_lists.back().axis = axis;
    m_lists.back().isUpright = isUpright;
    m_lists.back().fans.push_back(fan);
}

void DeviceRays::place(const VolumeGrid& slab, cudaStream_t stream) {
    // Iterative methods begin the same slab again and again; its boxes are planned once.
    if (slab == m_grid) return;
    m_grid = slab;
    m_rays.clear();
    m_lists.clear();
    for (std::size_t s = 0; s < m_views.poses.size(); ++s) {
        const GridRays rays = raysOn(slab, m_views.poses[s], m_views.columns, m_views.rows);
        m_rays.push_back(viewOf(rays));
        for (const RayFan& fan : rays.fans) {
            const IndexRange planes =
                planesOf(rays, fan, slab.voxels[static_cast<std::size_t>(fan.axis)]);
            addFan({static_cast<int>(s), static_cast<int>(fan.columns.begin),
                    static_cast<int>(fan.columns.end), static_cast<int>(planes.begin),
                    static_cast<int>(planes.end), fan.forward ? 1.0F : -1.0F},
                   fan.axis, rays.isUpright);
        }
    }
    upload(m_rays, m_raysOnDevice, stream);
    for (FanList& list : m_lists)
        upload(list.fans, list.onDevice, stream);
}

// Views of a tile should be neighbours. Where the next fan is far from the one before, empty ones
// fill the group up, so that each group begins with a fan.
std::vector<gpu::RayFanOfView> DeviceRays::grouped(const FanList& list, IndexRange fans) const {
    const std::span<const gpu::RayFanOfView> all(list.fans.data() + fans.begin,
                                                 static_cast<std::size_t>(fans.size()));
    std::vector<double> angles;
    for (std::size_t i = 1; i < all.size(); ++i)
        angles.push_back(angleBetween(m_rays[static_cast<std::size_t>(all[i - 1].view)],
                                      m_rays[static_cast<std::size_t>(all[i].view)]));
    std::vector<double> sorted = angles;
    std::ranges::sort(sorted);
    const double far = sorted.empty() ? 0 : 1.5 * sorted[sorted.size() / 2] + 1e-6;
    std::vector<gpu::RayFanOfView> groups;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i > 0 && angles[i - 1] > far)
            while (groups.size() % gpu::kRayTileViews != 0)
                groups.push_back({all[i - 1].view, 0, 0, 0, 0, 1});
        groups.push_back(all[i]);
    }
    return groups;
}

// Planned once for each range of fans: iterations ask for the same again and again.
const DeviceRays::GroupedFans& DeviceRays::groupsOf(FanList& list, IndexRange range,
                                                    const gpu::RaySlab& slab,
                                                    const gpu::RayRows& rows, cudaStream_t stream) {
    const auto [found, isNew] = list.sums.try_emplace({range.begin, range.end});
    GroupedFans& groups = found->second;
    if (!isNew) return groups;
    groups.fans = grouped(list, range);
    upload(groups.fans, groups.onDevice, stream);
    groups.boxes = planSums(
        launchOf(list.axis, m_rays.data(), groups.fans.data(), {0, std::ssize(groups.fans)}), slab,
        rows, m_device);
    return groups;
}

void DeviceRays::sum(FanList& list, IndexRange views, const gpu::RaySlab& slab,
                     const gpu::RayRows& rows, cudaStream_t stream) {
    const IndexRange range = fansOf(list.fans, views);
    if (range.empty()) return;
    const gpu::RayFans ungrouped =
        launchOf(list.axis, m_raysOnDevice.data(), list.onDevice.data(), range);
    if (!m_boxMaps || !list.isUpright) {
        check(gpu::sumAnyRays(ungrouped, slab, rows, 0, slab.n[list.axis], stream), "projecting");
        return;
    }
    const GroupedFans& groups = groupsOf(list, range, slab, rows, stream);
    const IndexRange all = {0, std::ssize(groups.fans)};
    const gpu::RayFans host = launchOf(list.axis, m_rays.data(), groups.fans.data(), all);
    const RayBoxes& boxes = groups.boxes;
    const int planes = slab.n[list.axis];
    if (!boxes.isTiled) {
        check(gpu::sumAnyRays(ungrouped, slab, rows, 0, planes, stream), "projecting");
        return;
    }
    gpu::TileRaysTask task;
    task.tiles.fans = launchOf(list.axis, m_raysOnDevice.data(), groups.onDevice.data(), all);
    task.tiles.across = slab.n[1 - list.axis];
    task.tiles.viewsAtOnce = boxes.viewsAtOnce;
    task.slab = slab;
    task.rows = rows;
    task.stages = boxes.stages;
    chooseBoxes(boxes.largest, task.boxes, bankedRows);
    BoxedArray array;
    array.data = slab.voxels;
    array.elementBytes = 8;
    array.sizes = {slab.pitchZ / 2, slab.n[0], slab.n[1]};
    array.strideBytes = {slab.stride(0) * 4, slab.stride(1) * 4};
    gpu::TileMaps maps{};
    for (int size = 0; size < gpu::kBoxSizes; ++size) {
        const gpu::TileBox& box = task.boxes[size];
        maps.map[size] = list.axis == 0 ? m_boxMaps->map(array, {box.rows / 2, 1, box.columns})
                                        : m_boxMaps->map(array, {box.rows / 2, box.columns, 1});
    }
    gpu::RayTiles tiles = task.tiles;
    tiles.fans = host;
    for (int first = 0; first < planes; first += gpu::kMaxRayPlanes) {
        tiles.planeBegin = first;
        tiles.planes = std::min(gpu::kMaxRayPlanes, planes - first);
        if (!gpu::divide(tiles)) {
            check(gpu::sumAnyRays(ungrouped, slab, rows, first, first + tiles.planes, stream),
                  "projecting");
            continue;
        }
        const gpu::RayFans fansOnDevice = task.tiles.fans;
        task.tiles = tiles;
        task.tiles.fans = fansOnDevice;
        check(gpu::sumTileRays(task, maps, stream), "projecting");
    }
}

void DeviceRays::project(const gpu::RaySlab& slab, const gpu::RayRows& rows, cudaStream_t stream) {
    for (FanList& list : m_lists)
        sum(list, {rows.firstView, rows.firstView + rows.nS}, slab, rows, stream);
}

// Planned once, as groupsOf().
const std::vector<SpreadLayer>& DeviceRays::layersOf(FanList& list, IndexRange fans,
                                                     const gpu::RaySlab& slab) {
    const auto [found, isNew] = list.spreads.try_emplace({fans.begin, fans.end});
    if (isNew && m_boxMaps && list.isUpright)
        found->second =
            planSpreads(launchOf(list.axis, m_rays.data(), list.fans.data(), fans), slab, m_device);
    return found->second;
}

void DeviceRays::spread(FanList& list, IndexRange fans, const gpu::RayRows& rows,
                        const gpu::RaySlab& slab, cudaStream_t stream) {
    const std::vector<SpreadLayer>& layers = layersOf(list, fans, slab);
    gpu::TileSpreadTask task;
    task.fans = launchOf(list.axis, m_raysOnDevice.data(), list.onDevice.data(), fans);
    task.rows = rows;
    task.slab = slab;
    if (layers.empty()) check(gpu::spreadAnyRays(task.fans, rows, slab, stream), "spreading rays");
    BoxedArray array;
    array.data = rows.values;
    array.elementBytes = 8;
    array.sizes = {rows.pitchV / 2, rows.nU, rows.nS};
    array.strideBytes = {std::int64_t{rows.pitchV} * 4, std::int64_t{rows.pitchV} * rows.nU * 4};
    for (const auto& [slices, boxes] : layers) {
        task.sliceBegin = static_cast<int>(slices.begin);
        task.sliceEnd = static_cast<int>(slices.end);
        task.shape = boxes.shape;
        task.maxColumns = boxes.maxColumns;
        task.stages = boxes.stages;
        chooseBoxes(boxes.largest, task.boxes, [](int count) { return (count + 3) / 4 * 4; });
        gpu::TileMaps maps{};
        for (int size = 0; size < gpu::kBoxSizes; ++size)
            maps.map[size] =
                m_boxMaps->map(array, {task.boxes[size].rows / 2, task.boxes[size].columns, 1});
        check(gpu::spreadTileRays(task, maps, stream), "spreading rays");
    }
}

void DeviceRays::adjoint(const gpu::RayRows& all, const gpu::RaySlab& slab, cudaStream_t stream,
                         const float* weights) {
    const Index end = all.firstView + all.nS;
    for (Index begin = all.firstView; begin < end; begin += kBatch) {
        const IndexRange batch = {begin, std::min(begin + kBatch, end)};
        gpu::RayRows rows = all;
        rows.firstView = static_cast<int>(batch.begin);
        rows.nS = static_cast<int>(batch.size());
        const Index place = all.at(rows.firstView, 0, 0);
        rows.values = all.values + place;
        gpu::RayRows scaled = rows;
        scaled.values = m_scaled.data();
        for (FanList& list : m_lists) {
            const IndexRange fans = fansOf(list.fans, batch);
            if (fans.empty()) continue;
            check(gpu::scaleRays(
                      launchOf(list.axis, m_raysOnDevice.data(), list.onDevice.data(), fans), rows,
                      weights ? weights + place : nullptr, scaled, stream),
                  "scaling rays");
            spread(list, fans, scaled, slab, stream);
        }
    }
}

}  // namespace gantry
