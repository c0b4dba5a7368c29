#include "app/bench/cone_problems.h"

#include <fmt/format.h>

#include "app/bench/kernel_bench.h"

namespace gantry {

namespace {

constexpr Index kViews = 1024;

// 512, 1k, 2k
std::string shortly(Index count) {
    return count % 1024 == 0 ? fmt::format("{}k", count / 1024) : fmt::format("{}", count);
}

}  // namespace

ScanGeometry ConeProblem::geometry() const {
    return BenchProblem{nU, kViews, nX}.geometry();
}

VolumeGrid ConeProblem::grid() const {
    const ScanGeometry scan = geometry();
    const double edgeMm =
        5.0 / 6 * scan.detector.pitchMm[0] * static_cast<double>(nU) / scan.magnification();
    VolumeGrid grid;
    grid.voxels = {nX, nX, nZ};
    for (std::size_t axis = 0; axis < 3; ++axis)
        grid.pitchMm[axis] = edgeMm / static_cast<double>(grid.voxels[axis]);
    return grid;
}

std::string ConeProblem::name() const {
    return fmt::format("{}-{}{}", shortly(nU), shortly(nX),
                       nZ == nX ? "" : fmt::format("x{}", shortly(nZ)));
}

std::string ConeProblem::title() const {
    return fmt::format("{}² × {} → {}{}", shortly(nU), shortly(kViews), shortly(nX),
                       nZ == nX ? "³" : fmt::format("² × {}", shortly(nZ)));
}

const std::vector<ConeProblem>& coneProblems() {
    // The paper's L1-Tran on a V100; RTK, RTK-32, ASTRA, TIGRE and LEAP on an H200.
    static const std::vector<ConeProblem> problems = {
        {512, 128, 128, {118.0, 0, 0, 0, 0, 0}},
        {512, 256, 256, {188.6, 137, 236, 421, 375, 412}},
        {512, 512, 512, {206.0, 172, 239, 450, 414, 446}},
        {512, 1024, 1024, {211.4, 181, 240, 464, 423, 470}},
        {512, 1024, 2048, {212.7, 0, 0, 0, 0, 0}},
        {1024, 128, 128, {27.2, 0, 0, 0, 0, 0}},
        {1024, 256, 256, {83.7, 0, 0, 0, 0, 0}},
        {1024, 512, 512, {190.3, 172, 235, 432, 392, 410}},
        {1024, 1024, 1024, {205.7, 178, 238, 452, 411, 425}},
        {1024, 1024, 2048, {207.9, 178, 238, 451, 422, 445}},
        {2048, 128, 128, {7.7, 0, 0, 0, 0, 0}},
        {2048, 256, 256, {24.1, 0, 0, 0, 0, 0}},
        {2048, 512, 512, {81.6, 220, 181, 395, 338, 343}},
        {2048, 1024, 1024, {186.9, 174, 212, 425, 379, 388}},
        {2048, 1024, 2048, {198.7, 0, 0, 0, 0, 0}},
    };
    return problems;
}

}  // namespace gantry
