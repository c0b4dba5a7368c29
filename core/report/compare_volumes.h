#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/geometry/volume_grid.h"
#include "core/io/volume/read_volume.h"
#include "core/metrics/image_error.h"
#include "core/metrics/region.h"
#include "core/phantom/phantom.h"
#include "core/phantom/phantom_file.h"
#include "core/report/report.h"

namespace gantry {

/// A sphere in which a phantom's attenuation is the same everywhere.
struct UniformRegion {
    Vec3 centerMm;
    double radiusMm = 0;
    double attenuation = 0;  ///< 1/mm
};

/// The largest uniform spheres near the mid-plane (within a quarter of the grid's height from
/// z = `midplaneMm`): one for each combination of shapes that overlap, empty space left out. Each
/// keeps two voxels' distance to every surface and is at least three voxels in radius, so that
/// blurred edges do not count; largest first.
/// Tests: tests/core/report/compare_test.cpp
[[nodiscard]] std::vector<UniformRegion> uniformRegions(const Phantom& phantom,
                                                        const VolumeGrid& grid, double midplaneMm);

/// Where the truth of a volume is, and where that was found.
struct TruthPlacement {
    PhantomFile phantom;
    std::string from;  ///< "scan/phantom.json", or "the default placement"
};

/// Where a phantom lies in a reconstructed volume: as in the phantom.json of the scan that the
/// volume's record (provenance) names, if it is of that phantom; otherwise the default placement.
/// @throws InputError when an existing file is damaged
[[nodiscard]] TruthPlacement findTruth(const std::filesystem::path& volume,
                                       const std::string& phantom);

/// The voxels to compare. Without limits: all.
struct ComparedPart {
    std::optional<double> maskRadiusMm;  ///< distance from the rotation axis
    std::optional<IndexRange> slices;
};

struct RegionError {
    UniformRegion region;
    RegionStatistics found;
    double errorPercent = 0;  ///< relative error of the mean
};

struct VolumeComparison {
    ImageError error;
    std::vector<RegionError> regions;  ///< uniform parts of a phantom
    Vec3 maxErrorMm;                   ///< where the largest error is
    bool samePlace = true;             ///< isSamePlace()
};

/// Whether voxels with one index have the same position in both: pitch and centre agree to a
/// thousandth of a voxel.
[[nodiscard]] bool isSamePlace(const VolumeGrid& a, const VolumeGrid& b);

/// @throws InputError when the volumes differ in size, or nothing is left to compare
/// Tests: tests/core/report/compare_test.cpp
[[nodiscard]] VolumeComparison compareVolumes(const Volume& volume, const Volume& truth,
                                              const ComparedPart& part, int threads);

/// Means in the phantom's uniform spheres near the mid-plane against its true attenuation.
[[nodiscard]] std::vector<RegionError> compareRegions(const Volume& volume, const Phantom& phantom);

/// The phantom on a volume's grid, each voxel the mean of supersampling³ points.
[[nodiscard]] Volume voxelised(const Phantom& phantom, const VolumeGrid& grid, int supersampling,
                               int threads);

/// Tables and pictures for the report: see writeComparison().
[[nodiscard]] Comparison comparisonReport(const Volume& volume, const Volume& truth,
                                          const std::string& truthName,
                                          const VolumeComparison& comparison);

/// The errors as a table with a head, for terminals and reports.
[[nodiscard]] std::vector<std::vector<std::string>> errorTable(const ImageError& error,
                                                               const std::string& unit = "/mm");
[[nodiscard]] std::vector<std::vector<std::string>> regionTable(
    const std::vector<RegionError>& regions);

}  // namespace gantry
