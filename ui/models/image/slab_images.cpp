#include "ui/models/image/slab_images.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "core/base/parallel.h"
#include "ui/models/text.h"

namespace gantry {
namespace {

// These keep a value that is not finite.
double sum(double so, double value) {
    return so + value;
}

double larger(double so, double value) {
    return std::isfinite(so) && (value > so || !std::isfinite(value)) ? value : so;
}

double smaller(double so, double value) {
    return std::isfinite(so) && (value < so || !std::isfinite(value)) ? value : so;
}

// Combines the voxels in `slices` for each value of one row of the image. row: of voxel 0 along the
// normal; strides: from voxel to voxel along the plane's axes
template <class Combine>
void combineRow(const float* row, IndexRange slices, Index normalStride, Index acrossStride,
                std::vector<double>& values, Combine combine) {
    const auto columns = std::ssize(values);
    const float* first = row + slices.begin * normalStride;
    for (Index column = 0; column < columns; ++column)
        values[column] = static_cast<double>(first[column * acrossStride]);
    for (Index slice = slices.begin + 1; slice < slices.end; ++slice) {
        const float* voxels = row + slice * normalStride;
        for (Index column = 0; column < columns; ++column) {
            double& value = values[column];
            value = combine(value, static_cast<double>(voxels[column * acrossStride]));
        }
    }
}

QString kindText(SlabKind kind) {
    switch (kind) {
        case SlabKind::mean:
            return tr("mean");
        case SlabKind::maximum:
            return tr("maximum");
        case SlabKind::minimum:
            return tr("minimum");
        case SlabKind::slice:
            break;
    }
    return {};
}

}  // namespace

IndexRange slicesOf(const Slab& slab, const VolumeGrid& grid, SliceAxis axis, Index index) {
    if (slab.kind == SlabKind::slice) return {index, index + 1};
    const std::size_t normal = planeOf(axis).normal;
    const auto all = static_cast<double>(grid.voxels[normal]);
    const double wanted = std::round(slab.thicknessMm / grid.pitchMm[normal]);
    const auto count = static_cast<Index>(wanted > 1 ? std::min(wanted, 2 * all) : 1);
    const Index begin = index - count / 2;
    return {std::max<Index>(begin, 0), std::min(begin + count, grid.voxels[normal])};
}

GreyImage slabImage(const VoxelData& data, SliceAxis axis, Index index, const Slab& slab,
                    const std::stop_token& stop) {
    const IndexRange slices = slicesOf(slab, data.grid, axis, index);
    if (slices.size() == 1) return sliceImage(data, axis, index);
    constexpr Index kRowsAtOnce = 8;
    const SlicePlane plane = planeOf(axis);
    const auto [nX, nY, nZ] = data.grid.voxels;
    const std::array<Index, 3> strides = {1, nX, nX * nY};
    GreyImage image;
    image.columns = data.grid.voxels[plane.across];
    image.rows = data.grid.voxels[plane.up];
    image.pixelAspect = data.grid.pitchMm[plane.up] / data.grid.pitchMm[plane.across];
    image.unit = data.unit;
    auto pixels = std::make_shared<std::vector<float>>(image.columns * image.rows);
    const auto makeRows = [&](Index begin, Index end, int) {
        std::vector<double> values(image.columns);
        for (Index row = begin; row < end; ++row) {
            const float* voxels = data.voxels.data() + row * strides[plane.up];
            const auto combineBy = [&](auto combine) {
                combineRow(voxels, slices, strides[plane.normal], strides[plane.across], values,
                           combine);
            };
            if (slab.kind == SlabKind::mean) combineBy(sum);
            if (slab.kind == SlabKind::maximum) combineBy(larger);
            if (slab.kind == SlabKind::minimum) combineBy(smaller);
            const double share =
                slab.kind == SlabKind::mean ? 1 / static_cast<double>(slices.size()) : 1;
            std::ranges::transform(values, pixels->begin() + row * image.columns,
                                   [=](double value) { return static_cast<float>(value * share); });
        }
    };
    parallelFor(availableThreads(), image.rows, kRowsAtOnce, makeRows, stop);
    image.pixels = *pixels;
    image.owner = std::move(pixels);
    return image;
}

bool isSlowSlab(const VolumeGrid& grid, SliceAxis axis, const Slab& slab) {
    constexpr Index kMaxCombined = 2'000'000;
    const SlicePlane plane = planeOf(axis);
    const Index slices = slicesOf(slab, grid, axis, grid.voxels[plane.normal] / 2).size();
    const bool isThick = slices > 1;
    return isSlowSlice(grid, axis) ||
           (isThick && slices * grid.voxels[plane.across] * grid.voxels[plane.up] > kMaxCombined);
}

QString slabText(const VolumeGrid& grid, SliceAxis axis, Index index, const Slab& slab) {
    if (slab.kind == SlabKind::slice) return sliceText(grid, axis, index);
    const Index slices = slicesOf(slab, grid, axis, index).size();
    return sliceText(grid, axis, index) + '\n' +
           slabText(slab.kind, slices, grid.pitchMm[planeOf(axis).normal]);
}

QString slabText(SlabKind kind, Index slices, double sliceMm) {
    const QString form = slices == 1 ? tr("%1 of %2 slice, %3") : tr("%1 of %2 slices, %3");
    return form.arg(kindText(kind))
        .arg(slices)
        .arg(lengthText(static_cast<double>(slices) * sliceMm));
}

}  // namespace gantry
