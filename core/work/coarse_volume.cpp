#include "core/work/coarse_volume.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

constexpr Index kBinnedColumns = 128;  // min., if the detector has as many
constexpr Index kFewestBinnedRows = 8;

Index binningOf(Index columns, Index rows) {
    return std::clamp<Index>(columns / kBinnedColumns, 1,
                             std::max<Index>(1, rows / kFewestBinnedRows));
}

// Slice z as a plane whose pixels are its voxels.
Plane slicePlane(const VolumeGrid& grid, Index z) {
    return orthogonalPlanes(grid, grid.positionMm(0, 0, static_cast<double>(z)))[0];
}

}  // namespace

HostBuffer<float> coarseVolume(const OpenScan& scan, const FilterSpec& filter,
                               const VolumeGrid& grid, Index views, PlanePreview& preview,
                               const std::stop_token& stop) {
    const SourceInfo& info = scan.source->info();
    const Index binning = binningOf(info.columns, info.rows);
    const StackRequest request = {
        .maxViews = views, .rows = {0, info.rows}, .binning = {binning, binning}};
    // Reads one view at a time, because the job uses most of the memory.
    const ViewStack stack = loadViewStack(
        scan, request, 1, [](double) {}, stop);
    const auto acquisition =
        acquisitionOf(stack, binnedGeometry(scan.description.geometry, stack), scan.rows);
    preview.setLineIntegrals(stack.span(), stop);
    preview.setFilter(acquisition, filter);
    preview.filter({0, static_cast<Index>(stack.views.size())}, stop);
    preview.setGeometry(acquisition->geometry.matrices);
    HostBuffer<float> volume(grid.count());
    float* voxels = volume.data();
    for (Index z = 0; z < grid.voxels[2]; ++z) {
        const Plane plane = slicePlane(grid, z);
        const auto slice = preview.render({&plane, 1}, PlanePreview::Precision::exact, stop);
        voxels = std::copy_n(slice.front().data(), slice.front().count(), voxels);
    }
    return volume;
}

Index coarseVolumeBytes(const Detector& detector, const VolumeGrid& grid) {
    const Index binning = binningOf(detector.columns, detector.rows);
    const Index pixels = detector.columns * detector.rows;
    // Counts views as read and as filtered, which may be padded to twice the width; one view as
    // stored, corrected and decoded; the volume and the buffer that it is written from.
    const Index views = kMaxCoarseViews * (pixels / (binning * binning)) * 3;
    return (views + 3 * pixels + 2 * grid.count()) * Index{sizeof(float)};
}

}  // namespace gantry
