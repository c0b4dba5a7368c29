#include "core/metrics/region.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace gantry {
namespace {

// Mean and variance by Welford's recurrence: one pass, no loss where the mean is large.
class Gather {
  public:
    void add(float value) {
        if (!std::isfinite(value)) {
            ++m_result.notFinite;
            return;
        }
        const double v = static_cast<double>(value);
        m_result.smallest = m_result.voxels == 0 ? v : std::min(m_result.smallest, v);
        m_result.largest = m_result.voxels == 0 ? v : std::max(m_result.largest, v);
        ++m_result.voxels;
        const double off = v - m_result.mean;
        m_result.mean += off / static_cast<double>(m_result.voxels);
        m_squares += off * (v - m_result.mean);
    }

    [[nodiscard]] RegionStatistics result() const {
        RegionStatistics result = m_result;
        if (result.voxels > 1)
            result.standardDeviation =
                std::sqrt(m_squares / static_cast<double>(result.voxels - 1));
        return result;
    }

  private:
    RegionStatistics m_result;
    double m_squares = 0;
};

// Indices along one axis whose centres are within `radius` of `center`.
IndexRange within(const VolumeGrid& grid, std::size_t axis, double center, double radius) {
    const auto n = static_cast<double>(grid.voxels[axis]);
    const double middle = (center - grid.centerMm[axis]) / grid.pitchMm[axis] + (n - 1) / 2;
    const double reach = radius / grid.pitchMm[axis];
    // One more on either side; the distance decides.
    return {static_cast<Index>(std::clamp(std::floor(middle - reach), 0.0, n)),
            static_cast<Index>(std::clamp(std::ceil(middle + reach) + 1, 0.0, n))};
}

}  // namespace

RegionStatistics sphereStatistics(Span3<const float> image, const VolumeGrid& grid, Vec3 centerMm,
                                  double radiusMm) {
    require(image.size(0) == grid.voxels[2] && image.size(1) == grid.voxels[1] &&
                image.size(2) == grid.voxels[0],
            "the volume does not have the shape of its grid");
    if (!std::isfinite(radiusMm) || radiusMm <= 0)
        throw InputError(fmt::format(
            "The region's radius is {} mm; it must be greater than 0 and finite.", radiusMm));
    if (!std::isfinite(centerMm.x) || !std::isfinite(centerMm.y) || !std::isfinite(centerMm.z))
        throw InputError(fmt::format("The region's centre is ({}, {}, {}) mm; it must be finite.",
                                     centerMm.x, centerMm.y, centerMm.z));
    const IndexRange xs = within(grid, 0, centerMm.x, radiusMm);
    const IndexRange ys = within(grid, 1, centerMm.y, radiusMm);
    const IndexRange zs = within(grid, 2, centerMm.z, radiusMm);
    Gather gather;
    for (Index z = zs.begin; z < zs.end; ++z)
        for (Index y = ys.begin; y < ys.end; ++y)
            for (Index x = xs.begin; x < xs.end; ++x) {
                const Vec3 off = grid.positionMm(static_cast<double>(x), static_cast<double>(y),
                                                 static_cast<double>(z)) -
                                 centerMm;
                if (dot(off, off) <= radiusMm * radiusMm) gather.add(image(z, y, x));
            }
    const RegionStatistics result = gather.result();
    if (result.voxels == 0)
        throw InputError(fmt::format(
            "The region of radius {} mm around ({}, {}, {}) mm holds no voxel of the volume with a "
            "finite value. Move or enlarge it.",
            radiusMm, centerMm.x, centerMm.y, centerMm.z));
    return result;
}

}  // namespace gantry
