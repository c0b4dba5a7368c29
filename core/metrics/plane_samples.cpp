#include "core/metrics/plane_samples.h"

#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "core/metrics/trilinear.h"

namespace gantry {
namespace {

bool isInside(Span3<const float> volume, const std::array<double, 3>& xyz) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double max = static_cast<double>(volume.size(2 - static_cast<int>(axis))) - 0.5;
        if (!(xyz[axis] >= -0.5 - kVoxelRounding && xyz[axis] <= max + kVoxelRounding))
            return false;
    }
    return true;
}

}  // namespace

PixelPlane planeIn(const VolumeGrid& grid, Vec3 firstMm, Vec3 columnStepMm, Vec3 rowStepMm) {
    const auto inVoxels = [&](Vec3 mm) {
        return std::array{mm.x / grid.pitchMm[0], mm.y / grid.pitchMm[1], mm.z / grid.pitchMm[2]};
    };
    return {inVoxels(firstMm - grid.originMm()), inVoxels(columnStepMm), inVoxels(rowStepMm)};
}

void samplePlane(Span3<const float> volume, const PixelPlane& plane, Index columns, Index rows,
                 float* pixels, int threads, const std::stop_token& stop) {
    constexpr Index kRowsAtOnce = 8;
    const auto sampleRows = [&](Index begin, Index end, int) {
        for (Index row = begin; row < end; ++row)
            for (Index column = 0; column < columns; ++column) {
                std::array<double, 3> at{};
                for (std::size_t axis = 0; axis < 3; ++axis)
                    at[axis] = plane.first[axis] +
                               static_cast<double>(column) * plane.columnStep[axis] +
                               static_cast<double>(row) * plane.rowStep[axis];
                float& pixel = pixels[row * columns + column];
                if (!isInside(volume, at)) {
                    pixel = std::numeric_limits<float>::quiet_NaN();
                    continue;
                }
                const auto value = static_cast<float>(trilinear(volume, at));
                pixel = std::isfinite(value) ? value : std::numeric_limits<float>::infinity();
            }
    };
    parallelFor(threads, rows, kRowsAtOnce, sampleRows, stop);
}

}  // namespace gantry
