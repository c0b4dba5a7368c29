#pragma once

#include <memory>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "core/iterate/iteration.h"
#include "core/project/host_space.h"

namespace gantry::test {

using Doubles = std::vector<double>;

/// A small cone-beam problem of odd sizes, anisotropic voxels and random views, with its matrix in
/// full: a row for each ray, in the scan's order.
struct DenseProblem {
    ScanGeometry scan;
    VolumeGrid grid;
    std::vector<unsigned char> mask;  ///< [y][x]
    std::vector<float> integrals;
    std::vector<float> counts;
    std::vector<float> start;     ///< a volume, within mask and bounds
    std::vector<Doubles> matrix;  ///< [ray][voxel], 0 outside the mask

    [[nodiscard]] Index views() const { return scan.views(); }
    [[nodiscard]] Index viewRays() const { return scan.detector.rows * scan.detector.columns; }
    [[nodiscard]] bool isFree(Index voxel) const {
        return mask[static_cast<std::size_t>(voxel % std::ssize(mask))] != 0;
    }
    /// A space with these views and mask for so many subsets.
    [[nodiscard]] std::unique_ptr<HostSpace> space(Index subsets, HostSpaceOptions options) const;
    /// A x, and Aᵀ r of the rays of a subset of views: view m, m + M, m + 2M …
    [[nodiscard]] Doubles project(const Doubles& x) const;
    [[nodiscard]] Doubles adjoint(const Doubles& r, Index m, Index subsets) const;
};

/// Random views that are nearly those of a random volume. seed: of all random numbers
DenseProblem denseProblem(unsigned seed);

/// Runs a method from the problem's start. @returns the volume
std::vector<float> iterated(const DenseProblem& problem, const IterativeMethod& method,
                            HostSpaceOptions options = {.threads = 1, .hasCounts = true});

/// The textbook's loops in double, with everything that a method's options say, from the start.
Doubles reference(const DenseProblem& problem, const IterativeMethod& method);

}  // namespace gantry::test
