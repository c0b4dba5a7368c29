#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/span3.h"
#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "core/project/projector.h"

namespace gantry::test {

/// A scan and a volume to be projected into it.
struct ProjectionProblem {
    std::string name;
    ScanGeometry scan;
    VolumeGrid grid;
};

/// Every trajectory with detectors in any position, few pixels, odd sizes and anisotropic voxels
/// between half and two pixels wide. scale: multiplies all counts
std::vector<ProjectionProblem> projectionProblems(Index scale);

/// The same numbers in every run, from 0 to 1.
std::vector<float> randomValues(Index count, unsigned seed);

/// A of a whole volume [z][y][x]: [s][v][u].
std::vector<float> projected(Projector& projector, const ProjectionProblem& problem,
                             const std::vector<float>& volume);
/// Aᵀ of all views.
std::vector<float> transposed(Projector& projector, const ProjectionProblem& problem,
                              const std::vector<float>& views);

/// Joseph's sum for every ray in double, written down as it is defined: [s][v][u].
std::vector<double> josephSums(const ProjectionProblem& problem, const std::vector<float>& volume);

/// The largest difference over the largest value of b.
template <class A, class B>
double largestDifference(const std::vector<A>& a, const std::vector<B>& b) {
    double difference = 0;
    double largest = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        difference = std::max(difference, std::abs(static_cast<double>(a[i]) - b[i]));
        largest = std::max(largest, std::abs(static_cast<double>(b[i])));
    }
    return difference / largest;
}

}  // namespace gantry::test
