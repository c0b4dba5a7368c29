#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/base/span3.h"
#include "core/geometry/vec3.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// Statistics of the voxels of a region. NaN and infinite ones are counted and left out of the
/// rest.
struct RegionStatistics {
    double mean = 0;
    double standardDeviation = 0;  ///< of the sample: divided by voxels − 1; 0 for a single voxel
    double smallest = 0;
    double largest = 0;
    Index voxels = 0;
    Index notFinite = 0;
};

/// Accumulates statistics of voxels that come in pieces: mean and variance by Welford's recurrence,
/// which needs one pass and loses nothing where the mean is large. The same voxels in the same
/// order give the same digits, however they are split. Tests: tests/core/metrics/region_test.cpp
class RegionGather {
  public:
    void add(float value);
    void add(std::span<const float> values);
    [[nodiscard]] RegionStatistics result() const;

  private:
    RegionStatistics m_result;
    double m_squares = 0;
};

/// A box in the world by its outer faces, axes along x, y, z.
struct WorldBox {
    std::array<double, 3> lowMm = {0, 0, 0};
    std::array<double, 3> highMm = {0, 0, 0};

    friend bool operator==(const WorldBox&, const WorldBox&) = default;
};

/// The voxels along x, y and z whose centres lie in the box, its faces included.
/// @throws InputError when the box is not finite, a low face lies above the high one, or the box
/// contains no voxel of the grid
/// Tests: tests/core/metrics/region_test.cpp
[[nodiscard]] std::array<IndexRange, 3> voxelsIn(const VolumeGrid& grid, const WorldBox& box);

/// Statistics of these voxels, in memory order.
/// image: [z][y][x], on `grid`
/// @throws InputError as voxelsIn(), and when no voxel of the box has a finite value
/// Tests: tests/core/metrics/region_test.cpp
[[nodiscard]] RegionStatistics boxStatistics(Span3<const float> image, const VolumeGrid& grid,
                                             const WorldBox& box);

/// Counts finite values into bins of equal width from `low` to `high`; both ends are counted.
/// Tests: tests/core/metrics/region_test.cpp
void countInto(std::vector<Index>& bins, double low, double high, std::span<const float> values);

/// Number of bins of every histogram of a region.
inline constexpr std::size_t kRegionBins = 256;
/// Histogram of the voxels of boxStatistics(), from the smallest to the largest value.
/// Tests: tests/core/metrics/region_test.cpp
[[nodiscard]] std::vector<Index> boxHistogram(Span3<const float> image, const VolumeGrid& grid,
                                              const WorldBox& box, const RegionStatistics& found);

/// Statistics of voxels whose centres lie in the sphere, its surface included.
/// image: [z][y][x], on `grid`
/// @throws InputError when the sphere contains no voxel with a finite value, or its radius is not
/// above 0
/// Tests: tests/core/metrics/region_test.cpp
[[nodiscard]] RegionStatistics sphereStatistics(Span3<const float> image, const VolumeGrid& grid,
                                                Vec3 centerMm, double radiusMm);

}  // namespace gantry
