#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/backproject/back_projector.h"
#include "core/backproject/cpu_kernels.h"
#include "core/geometry/scan_geometry.h"

namespace gantry::test {

/// A scan of `columns` × `rows` pixels whose fan is about 24° wide: SOD 500 mm, SDD 1000 mm.
ScanGeometry scanOf(Index columns, Index rows, Index views);

/// A grid that fills most of that scan's field of view; along z a voxel steps `rowsPerVoxel` rows
/// at the isocentre.
VolumeGrid gridOf(const ScanGeometry& scan, std::array<Index, 3> voxels, double rowsPerVoxel);

/// The same with a detector that is turned about all its axes.
ScanGeometry turnedScanOf(Index columns, Index rows, Index views);

enum class Noise { uniform, zeroMean };  ///< [0, 1), or normal with mean 0 and variance 1

/// Random views [s][v][u].
std::vector<float> randomViews(const ScanGeometry& scan, Noise noise, std::uint32_t seed = 1);

/// Views that are linear in u and v, between whose pixels interpolation is exact.
inline double linearView(double u, double v) {
    return 3 + 0.25 * u - 0.125 * v;
}
std::vector<float> linearViews(const ScanGeometry& scan);

/// Hands over rows [rows.begin, rows.end) of the views, `batchViews` at a time.
void forEachBatch(const ScanGeometry& scan, const std::vector<float>& views, IndexRange rows,
                  Index batchViews, const std::function<void(const FilteredBatch&)>& take);
/// Adds the views in such batches.
void addViews(BackProjector& projector, const ScanGeometry& scan, const std::vector<float>& views,
              IndexRange rows, Index batchViews);

/// Starts a slab, adds all views and reads it: [z][y][x].
std::vector<float> backProject(BackProjector& projector, const ScanGeometry& scan,
                               const VolumeGrid& grid, IndexRange slices,
                               const std::vector<float>& views, Index batchViews = 32);
std::vector<float> readAll(BackProjector& projector, const VolumeGrid& grid, IndexRange slices);

/// Names the tests of one instruction set.
inline std::string levelName(const testing::TestParamInfo<SimdLevel>& level) {
    const std::string names[] = {"portable", "avx2", "avx512"};
    return names[static_cast<int>(level.param)];
}

/// ‖a − b‖/‖b‖
double relativeRmse(const std::vector<float>& a, const std::vector<float>& b);

/// Expects a back-projector to agree with the reference in double on uniform data to 1e-6, and on
/// zero-mean noise to 5e-6, in relative RMSE. Plain float coordinates miss both by a factor of ten.
void expectAgreement(BackProjector& projector, const ScanGeometry& scan, const VolumeGrid& grid,
                     IndexRange slices);

}  // namespace gantry::test
