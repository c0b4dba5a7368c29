#pragma once

#include <atomic>
#include <stop_token>
#include <string>
#include <vector>

#include "core/io/volume/volume_levels.h"
#include "core/metrics/line_profile.h"
#include "core/metrics/region.h"

namespace gantry {

/// Statistics of a region of a volume on disk.
struct MeasuredRegion {
    RegionStatistics found;
    double volumeMm3 = 0;     ///< of all voxels, including those that are not finite
    std::vector<Index> bins;  ///< of equal width from the smallest to the largest value
};

/// Reads the finest voxels of a region piece by piece, at most some 10 MiB at a time whatever its
/// size; those of a large region twice, the second time for the histogram. fraction: the part that
/// has been read, for another thread
/// @throws InputError as boxStatistics(), or naming the file that is damaged; ResourceError,
///         Cancelled
/// Tests: tests/core/report/measure_volume_test.cpp
[[nodiscard]] MeasuredRegion measureRegion(const VolumeLevels& levels, const WorldBox& box,
                                           std::atomic<double>& fraction,
                                           const std::stop_token& stop);

/// Values along a line through a volume on disk, in its unit.
struct MeasuredProfile {
    VoxelLine line;
    std::vector<double> values;
};

/// Reads the finest voxels about a line piece by piece, with the result of lineProfile() on the
/// whole volume.
/// @throws InputError as lineProfile(), or naming the file that is damaged; ResourceError;
///         Cancelled
/// Tests: tests/core/report/measure_volume_test.cpp
[[nodiscard]] MeasuredProfile measureProfile(const VolumeLevels& levels, Vec3 fromMm, Vec3 toMm,
                                             const std::stop_token& stop);

/// The figures of a region in a table: name, number and unit, a row each. unit: of the values,
/// "/mm" or "HU"; empty: not known
[[nodiscard]] std::vector<std::vector<std::string>> regionFigures(const RegionStatistics& found,
                                                                  double volumeMm3,
                                                                  const std::string& unit = "/mm");
/// A profile as CSV with a head, one line a sample; truth: as many samples, or empty for none.
/// unit: as above; the columns are named by it, "volume_per_mm", "volume_hu" or "volume"
[[nodiscard]] std::string profileCsv(const VoxelLine& line, const std::vector<double>& values,
                                     const std::vector<double>& truth = {},
                                     const std::string& unit = "/mm");

}  // namespace gantry
