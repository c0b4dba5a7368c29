#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/backproject/cpu_kernels.h"
#include "core/base/host_buffer.h"
#include "core/base/types.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// Pixels of random views, the same in every run.
struct RandomViews {
    HostBuffer<float> uniform;  ///< [0, 1)
    HostBuffer<float> noise;    ///< [-0.5, 0.5)
};
[[nodiscard]] RandomViews randomViews(Index pixels);

/// Root mean square of the difference over that of the truth; NaN if any value is NaN.
[[nodiscard]] double relativeRmse(std::span<const float> found, std::span<const float> truth);

/// Updates are counted in powers of 1024, as in the iFDK paper.
inline constexpr double kGiga = 1 << 30;

/// A back-projection to measure: nU² pixels × nP views → nX³ voxels.
struct BenchProblem {
    Index nU = 0;
    Index nP = 0;
    Index nX = 0;

    /// A full circle at 600 and 1200 mm, whose detector is 410 mm wide and high.
    [[nodiscard]] ScanGeometry geometry() const;
    /// The cube of voxels that it sees.
    [[nodiscard]] VolumeGrid grid() const;
    [[nodiscard]] std::string title() const;  ///< "256² × 256 → 256³"
};

/// One SIMD level on one problem.
struct KernelFigures {
    BenchProblem problem;
    SimdLevel level = SimdLevel::portable;
    double plainGups = 0;     ///< scalar algorithm 2 in float, same flags, one thread
    double columnsGups = 0;   ///< cpu_columns, one thread
    double nearGups = 0;      ///< general kernel, one thread, within 1 mm and 0.5° of a circle
    double anyGups = 0;       ///< the same, views turned by up to 20° about each axis
    double uniformError = 0;  ///< relative RMSE against the reference, uniform [0,1) data
    double noiseError = 0;    ///< the same of zero-mean noise
    double generalError = 0;  ///< of the general kernel near a circle, zero-mean noise

    [[nodiscard]] double ratio() const { return columnsGups / plainGups; }
};

/// All cores against one, with the best level.
struct CoreFigures {
    BenchProblem problem;
    int threads = 0;
    double oneGups = 0;
    double allGups = 0;

    [[nodiscard]] double efficiency() const { return allGups / (threads * oneGups); }
};

struct BenchContext {
    std::stop_token stop;
    std::function<void(double fraction)> onProgress;
    double secondsEach = 2;  ///< of one measurement, about
};

/// Every SIMD level of this machine against the plain loop on one thread, and the general kernel
/// against columns: interleaved, the median of three rates. @throws Cancelled, ResourceError
[[nodiscard]] std::vector<KernelFigures> benchKernels(const BenchProblem& problem,
                                                      const BenchContext& context);

[[nodiscard]] CoreFigures benchCores(const BenchProblem& problem, int threads,
                                     const BenchContext& context);

}  // namespace gantry
