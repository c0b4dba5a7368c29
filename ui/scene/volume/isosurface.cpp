#include "ui/scene/volume/isosurface.h"

#include <vtkAppendPolyData.h>
#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "ui/scene/volume/reduced_volume.h"
#include "ui/scene/volume/surface_contour.h"
#include "ui/scene/volume/surface_file.h"

namespace gantry {

namespace {

VoxelBox boxOf(const VolumeGrid& grid, const SurfaceOrder& order) {
    const Vec3 origin = grid.originMm();
    const double origins[] = {origin.x, origin.y, origin.z};
    const auto within = [&](std::size_t axis) {
        // A voxel at an end is included, whatever the rounding.
        constexpr double kSlack = 1e-6;
        const auto place = [&](double mm) { return (mm - origins[axis]) / grid.pitchMm[axis]; };
        const double last = static_cast<double>(grid.voxels[axis] - 1);
        const double low = std::clamp(std::ceil(place(order.lowMm[axis]) - kSlack), 0.0, last + 1);
        const double high = std::clamp(std::floor(place(order.highMm[axis]) + kSlack), -1.0, last);
        return IndexRange{static_cast<Index>(low), static_cast<Index>(high) + 1};
    };
    const VoxelBox box{within(0), within(1), within(2)};
    if (box.x.size() < 1 || box.y.size() < 1 || box.z.size() < 1)
        throw InputError(
            "The clipping box holds no voxel of the volume: make it larger, or clear it, to make "
            "the isosurface.");
    return box;
}

HostBuffer<float> cropped(const VolumeGrid& grid, std::span<const float> voxels,
                          const VoxelBox& box) {
    HostBuffer<float> part(box.x.size() * box.y.size() * box.z.size());
    float* out = part.data();
    for (Index z = box.z.begin; z < box.z.end; ++z)
        for (Index y = box.y.begin; y < box.y.end; ++y) {
            const float* row = voxels.data() + (z * grid.voxels[1] + y) * grid.voxels[0];
            out = std::copy(row + box.x.begin, row + box.x.end, out);
        }
    return part;
}

// Makes the contour a few slices at a time, to report progress and to stop in between.
vtkSmartPointer<vtkPolyData> slabwiseContour(const VolumeGrid& grid, Span3<const float> voxels,
                                             double level, const std::stop_token& stop,
                                             const std::function<void(double share)>& report) {
    constexpr Index kSlabSlices = 16;
    const auto [nX, nY, nZ] = grid.voxels;
    vtkNew<vtkAppendPolyData> all;
    // Slabs share the slice between them.
    for (Index first = 0, last = 0; first == 0 || last < nZ - 1; first = last) {
        if (stop.stop_requested()) throw Cancelled();
        last = std::min(first + kSlabSlices, nZ - 1);
        const Index slices = last + 1 - first;
        SurfaceSlab slab{grid, {voxels.row(first, 0), slices, nY, nX}, {first, last + 1}};
        slab.level = level;
        all->AddInputData(contourOf(slab));
        report(static_cast<double>(last + 1) / static_cast<double>(nZ));
        if (last == 0) break;
    }
    all->Update();
    return all->GetOutput();
}

}  // namespace

Isosurface isosurfaceOf(const VolumeGrid& grid, std::span<const float> voxels,
                        const SurfaceOrder& order, Index maxVoxels, std::atomic<double>& fraction,
                        const std::stop_token& stop) {
    // Approximate parts of the time.
    constexpr double kReduced = 0.3;
    constexpr double kContoured = 0.8;
    const VoxelBox box = boxOf(grid, order);
    const VolumeGrid part = gridOf(grid, box);
    const bool isWhole = part == grid;
    const HostBuffer<float> crop = isWhole ? HostBuffer<float>() : cropped(grid, voxels, box);
    const ReducedVolume reduced =
        reducedVolume(part, isWhole ? voxels : crop.span(), maxVoxels, stop);
    fraction = kReduced;
    const std::vector<float> values(reduced.voxels.begin(), reduced.voxels.end());
    const auto [nX, nY, nZ] = reduced.grid.voxels;
    const Span3<const float> span(values.data(), nZ, nY, nX);
    const auto triangles = slabwiseContour(
        reduced.grid, span, reduced.code(order.attenuation), stop,
        [&](double share) { fraction = kReduced + share * (kContoured - kReduced); });
    addNormals(*triangles, reduced.grid, span, stop);
    Isosurface surface;
    surface.voxelMm = reduced.grid.pitchMm;
    SurfaceMeter meter(reduced.grid);
    forEachTriangle(*triangles, [&](const Triangle& triangle) { meter.add(triangle); });
    surface.size = meter.size();
    surface.mesh = std::make_shared<const SurfaceMesh>(SurfaceMesh{triangles});
    fraction = 1;
    return surface;
}

SurfaceSize saveIsosurface(const VolumeLevels& levels, const SurfaceOrder& order,
                           const std::filesystem::path& path, std::atomic<double>& fraction,
                           const std::stop_token& stop, Index slabVoxels) {
    const VolumeGrid& grid = levels.grids().front();
    const VoxelBox box = boxOf(grid, order);
    const VolumeGrid part = gridOf(grid, box);
    const auto [nX, nY, nZ] = part.voxels;
    const Index step = std::max<Index>(1, slabVoxels / (nX * nY));
    HostBuffer<float> voxels(std::min(step + 1, nZ) * nY * nX);
    SurfaceMeter meter(part);
    const std::unique_ptr<SurfaceFile> file = createSurfaceFile(path);
    // Slabs share the slice between them.
    for (Index first = 0, last = 0; first == 0 || last < nZ - 1; first = last) {
        if (stop.stop_requested()) throw Cancelled();
        last = std::min(first + step, nZ - 1);
        const IndexRange slices{first, last + 1};
        const Span3<float> span(voxels.data(), slices.size(), nY, nX);
        levels.read(0, {box.x, box.y, {box.z.begin + first, box.z.begin + last + 1}}, span,
                    availableThreads());
        SurfaceSlab slab{part, span, slices};
        slab.level = order.attenuation;
        file->beginSlab();
        forEachTriangle(*contourOf(slab), [&](const Triangle& triangle) {
            meter.add(triangle);
            file->add(triangle);
        });
        fraction = static_cast<double>(last + 1) / static_cast<double>(nZ);
        if (last == 0) break;
    }
    file->finish();
    return meter.size();
}

}  // namespace gantry
