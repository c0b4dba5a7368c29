#include "core/geometry/views/mirror.h"

#include <algorithm>
#include <cmath>

namespace gantry {

namespace {

bool isWhole(double value) {
    // In slices or rows. Coordinates that were stored as floats are no more exact than this.
    constexpr double kTolerance = 1e-6;
    return std::abs(value - std::round(value)) < kTolerance;
}

}  // namespace

std::optional<Index> mirroredSlices(const AlignedViews& geometry, const VolumeGrid& grid) {
    if (!geometry.areAligned()) return std::nullopt;
    const auto last = static_cast<double>(grid.voxels[2] - 1);
    const double sum = last + 2 * (geometry.midplaneMm - grid.centerMm[2]) / grid.pitchMm[2];
    if (!isWhole(sum) || !isWhole(2 * geometry.detector.midplaneRow())) return std::nullopt;
    if (std::round(sum) < 0 || std::round(sum) > 2 * last) return std::nullopt;
    return static_cast<Index>(std::round(sum));
}

IndexRange mirroredRange(const VolumeGrid& grid, Index sum) {
    const Index nZ = grid.voxels[2];
    return {std::max<Index>(0, sum - (nZ - 1)), std::min(nZ, sum + 1)};
}

bool isOwnMirror(const IndexRanges& slices, Index sum) {
    const IndexRange lower = slices.parts().front();
    return slices.parts().back() == IndexRange{sum - lower.end + 1, sum - lower.begin + 1};
}

}  // namespace gantry
