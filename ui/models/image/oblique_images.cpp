#include "ui/models/image/oblique_images.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/base/parallel.h"
#include "core/metrics/plane_samples.h"
#include "ui/models/text.h"

namespace gantry {
namespace {

// Combines one pixel of a slab: NaN before the first slice that is in the volume there, and
// infinite once a voxel is not finite.
void combine(double& so, double value, SlabKind kind) {
    if (std::isnan(value)) return;
    if (std::isnan(so) || std::isinf(value))
        so = value;
    else if (kind == SlabKind::mean)
        so += value;
    else if (!std::isinf(so))
        so = kind == SlabKind::maximum ? std::max(so, value) : std::min(so, value);
}

// The raster's own pixels, or one in the middle of each block of them.
PlaneRaster thinned(PlaneRaster raster, Index factor) {
    const double toMiddle = static_cast<double>(factor - 1) / 2;
    raster.firstMm = raster.placeMm({toMiddle, toMiddle});
    raster.columnStepMm = static_cast<double>(factor) * raster.columnStepMm;
    raster.rowStepMm = static_cast<double>(factor) * raster.rowStepMm;
    raster.columns = (raster.columns + factor - 1) / factor;
    raster.rows = (raster.rows + factor - 1) / factor;
    return raster;
}

void sampleSlice(const VoxelData& data, const PlaneRaster& raster, double slice,
                 std::vector<float>& pixels, const std::stop_token& stop) {
    const auto [nX, nY, nZ] = data.grid.voxels;
    const PixelPlane plane = planeIn(data.grid, raster.firstMm + slice * raster.normalStepMm,
                                     raster.columnStepMm, raster.rowStepMm);
    samplePlane({data.voxels.data(), nZ, nY, nX}, plane, raster.columns, raster.rows, pixels.data(),
                availableThreads(), stop);
}

std::vector<float> sampledSlab(const VoxelData& data, const PlaneRaster& raster, const Slab& slab,
                               const std::stop_token& stop) {
    const auto count = static_cast<std::size_t>(raster.columns * raster.rows);
    std::vector<float> pixels(count);
    const Index slices = slicesOf(slab, data.grid, raster);
    if (slices == 1) {
        sampleSlice(data, raster, 0, pixels, stop);
        return pixels;
    }
    const Index behind = slices / 2;
    std::vector<double> combined(count, std::numeric_limits<double>::quiet_NaN());
    std::vector<int> slicesInside(count, 0);
    for (Index slice = 0; slice < slices; ++slice) {
        sampleSlice(data, raster, static_cast<double>(slice - behind), pixels, stop);
        for (std::size_t i = 0; i < count; ++i) {
            combine(combined[i], static_cast<double>(pixels[i]), slab.kind);
            slicesInside[i] += std::isnan(pixels[i]) ? 0 : 1;
        }
    }
    for (std::size_t i = 0; i < count; ++i)
        pixels[i] = static_cast<float>(slab.kind == SlabKind::mean ? combined[i] / slicesInside[i]
                                                                   : combined[i]);
    return pixels;
}

}  // namespace

Index slicesOf(const Slab& slab, const VolumeGrid& grid, const PlaneRaster& raster) {
    if (slab.kind == SlabKind::slice) return 1;
    const double stepMm = length(raster.normalStepMm);
    const auto acrossMm = [&](std::size_t axis, double part) {
        return static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis] * std::abs(part);
    };
    const Vec3& step = raster.normalStepMm;
    const double all = (acrossMm(0, step.x) + acrossMm(1, step.y) + acrossMm(2, step.z)) / stepMm;
    const double wanted = std::round(std::min(slab.thicknessMm, 2 * all) / stepMm);
    return wanted > 1 ? static_cast<Index>(wanted) : 1;
}

GreyImage obliqueImage(const VoxelData& data, const PlaneRaster& raster, const Slab& slab,
                       Index coarseness, const std::stop_token& stop) {
    GreyImage image;
    image.columns = raster.columns;
    image.rows = raster.rows;
    image.pixelAspect = length(raster.rowStepMm) / length(raster.columnStepMm);
    image.unit = data.unit;
    image.nanIsOutside = true;
    const PlaneRaster sampled = thinned(raster, coarseness);
    auto pixels = std::make_shared<std::vector<float>>(sampledSlab(data, sampled, slab, stop));
    if (coarseness > 1) {
        const std::vector<float> coarse = std::move(*pixels);
        pixels->resize(raster.columns * raster.rows);
        float* out = pixels->data();
        for (Index row = 0; row < raster.rows; ++row) {
            const float* from = coarse.data() + row / coarseness * sampled.columns;
            for (Index column = 0; column < raster.columns; ++column)
                *out++ = from[column / coarseness];
        }
    }
    image.pixels = *pixels;
    image.owner = std::move(pixels);
    return image;
}

QString obliqueText(const VolumeGrid& grid, const ObliqueAngles& angles, const PlaneRaster& raster,
                    const Slab& slab) {
    const auto number = [](double degrees) {
        return QString::number(degrees, 'f', 1).replace('-', QChar(0x2212));
    };
    QString text = tr("turned %1°, tilted %2°").arg(number(angles.turnDeg), number(angles.tiltDeg));
    if (slab.kind != SlabKind::slice)
        text +=
            '\n' + slabText(slab.kind, slicesOf(slab, grid, raster), length(raster.normalStepMm));
    return text;
}

}  // namespace gantry
