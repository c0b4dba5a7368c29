#include "app/bench/parallel_problems.h"

#include <fmt/format.h>

namespace gantry {

namespace {

std::string sizeName(Index size) {
    return size % 1024 == 0 ? fmt::format("{}k", size / 1024) : fmt::format("{}", size);
}

// `slices` slices of size² voxels from as many views, of pixels and voxels 1 mm wide.
ConeProblem parallelProblem(Index size, Index slices) {
    ConeProblem problem;
    problem.name = fmt::format("parallel-{}-{}", sizeName(size), sizeName(slices));
    problem.title = fmt::format("{} × {}, {} views → {}² × {}", sizeName(size), sizeName(slices),
                                sizeName(size), sizeName(size), sizeName(slices));
    auto& beam = problem.geometry.trajectory.emplace<ParallelBeam>();
    beam.arcDeg = 180;
    beam.views = size;
    problem.geometry.detector.columns = size;
    problem.geometry.detector.rows = slices;
    problem.geometry.detector.pitchMm = {1, 1};
    problem.grid.voxels = {size, size, slices};
    problem.grid.pitchMm = {1, 1, 1};
    return problem;
}

}  // namespace

std::vector<ConeProblem> parallelProblems() {
    return {parallelProblem(2048, 512), parallelProblem(512, 512), parallelProblem(1024, 1024),
            parallelProblem(2048, 2048), parallelProblem(4096, 512)};
}

}  // namespace gantry
