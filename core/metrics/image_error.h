#pragma once

#include <array>
#include <stop_token>

#include "core/base/span3.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// Differences between a volume and its truth, in the volume's unit (1/mm) unless stated otherwise.
/// Voxels at which either volume is NaN or infinite are counted and left out of every figure.
struct ImageError {
    double rmse = 0;
    double relativeRmse = 0;  ///< rmse / root mean square of the truth; +Inf when that alone is 0
    double mae = 0;
    double maxError = 0;
    std::array<Index, 3> maxErrorAt{};  ///< x, y, z of that voxel, the first of several
    double peak = 0;                    ///< range of values that PSNR and SSIM are based on
    double psnrDb = 0;  ///< 20·log10(peak / rmse); +Inf when there is no difference at all
    double ssim = 0;    ///< mean over all windows of all slices: see meanSsim; NaN without any
    Index voxels = 0;   ///< that were compared
    Index notFinite = 0;
};

/// image, truth: [z][y][x]. `peak` > 0 replaces the truth's range (largest − smallest compared
/// value; for a truth of one value its size, or 1 if that is 0) in PSNR and SSIM. `mask`, if given,
/// is 1 for the voxels that count (SSIM ignores it). Works by slices on up to `threads` threads;
/// the result does not depend on their number.
/// @throws InputError when the shapes differ, or when no voxel can be compared
/// @throws Cancelled  `stop` was requested
/// Tests: tests/core/metrics/image_error_test.cpp
[[nodiscard]] ImageError imageError(Span3<const float> image, Span3<const float> truth,
                                    double peak = 0, Span3<const unsigned char> mask = {},
                                    int threads = 1, const std::stop_token& stop = {});

/// The same for volumes on different grids: at the image's voxels whose centres lie in the truth,
/// which is interpolated there (trilinear). SSIM is NaN. image, truth: [z][y][x], of imageGrid and
/// truthGrid
/// @throws InputError when no voxel can be compared; Cancelled
/// Tests: tests/core/metrics/image_error_test.cpp
[[nodiscard]] ImageError resampledError(Span3<const float> image, const VolumeGrid& imageGrid,
                                        Span3<const float> truth, const VolumeGrid& truthGrid,
                                        int threads = 1, const std::stop_token& stop = {});

}  // namespace gantry
