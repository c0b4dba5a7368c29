#include "app/bench/cone_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "app/bench/kernel_bench.h"
#include "core/prep/rings.h"
#include "core/simulate/jitter.h"

namespace gantry {

namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

// 512, 1k, 2k
std::string shortly(Index count) {
    return count % 1024 == 0 ? fmt::format("{}k", count / 1024) : fmt::format("{}", count);
}

ScanGeometry circle(Index columns, Index views) {
    return BenchProblem{columns, views, columns}.geometry();
}

double widthMm(const Detector& detector) {
    return detector.pitchMm[0] * static_cast<double>(detector.columns);
}

// A cube 5/6 as wide as the detector's image at the isocentre.
VolumeGrid innerCube(const ScanGeometry& scan, Index nX, Index nZ) {
    const double edgeMm = 5.0 / 6 * widthMm(scan.detector) / scan.magnification();
    VolumeGrid grid;
    grid.voxels = {nX, nX, nZ};
    for (std::size_t axis = 0; axis < 3; ++axis)
        grid.pitchMm[axis] = edgeMm / static_cast<double>(grid.voxels[axis]);
    return grid;
}

ConeProblem paperProblem(Index nU, Index nX, Index nZ, const PublishedRates& published) {
    constexpr Index kViews = 1024;
    const ScanGeometry scan = circle(nU, kViews);
    return {fmt::format("{}-{}{}", shortly(nU), shortly(nX),
                        nZ == nX ? "" : fmt::format("x{}", shortly(nZ))),
            fmt::format("{}² × {} → {}{}", shortly(nU), shortly(kViews), shortly(nX),
                        nZ == nX ? "³" : fmt::format("² × {}", shortly(nZ))),
            scan, innerCube(scan, nX, nZ), published};
}

ConeProblem fitted(const std::string& name, const std::string& what, ScanGeometry geometry,
                   const VolumeGrid& grid) {
    const Detector& detector = geometry.detector;
    return {shortly(detector.columns) + "-" + name,
            fmt::format("{}² × {}, {}", shortly(detector.columns), shortly(geometry.views()), what),
            std::move(geometry),
            grid,
            {}};
}

// A quarter of the field of view's volume, in voxels of half the default pitch.
VolumeGrid regionOffAxis(const ScanGeometry& scan) {
    const FieldOfView seen = fieldOfView(scan);
    VolumeGrid grid = fitGrid(scan);
    for (double& pitchMm : grid.pitchMm)
        pitchMm /= 2;
    grid.voxels[2] /= 2;
    grid.centerMm = {0.2 * seen.radiusMm, -0.1 * seen.radiusMm, 0.3 * seen.zMaxMm};
    return grid;
}

}  // namespace

std::vector<ConeProblem> paperProblems() {
    // The figures are the paper's L1-Tran on a V100; RTK, RTK-32, ASTRA, TIGRE and LEAP on an H200.
    return {
        paperProblem(512, 128, 128, {118.0, 0, 0, 0, 0, 0}),
        paperProblem(512, 256, 256, {188.6, 137, 236, 421, 375, 412}),
        paperProblem(512, 512, 512, {206.0, 172, 239, 450, 414, 446}),
        paperProblem(512, 1024, 1024, {211.4, 181, 240, 464, 423, 470}),
        paperProblem(512, 1024, 2048, {212.7, 0, 0, 0, 0, 0}),
        paperProblem(1024, 128, 128, {27.2, 0, 0, 0, 0, 0}),
        paperProblem(1024, 256, 256, {83.7, 0, 0, 0, 0, 0}),
        paperProblem(1024, 512, 512, {190.3, 172, 235, 432, 392, 410}),
        paperProblem(1024, 1024, 1024, {205.7, 178, 238, 452, 411, 425}),
        paperProblem(1024, 1024, 2048, {207.9, 178, 238, 451, 422, 445}),
        paperProblem(2048, 128, 128, {7.7, 0, 0, 0, 0, 0}),
        paperProblem(2048, 256, 256, {24.1, 0, 0, 0, 0, 0}),
        paperProblem(2048, 512, 512, {81.6, 220, 181, 395, 338, 343}),
        paperProblem(2048, 1024, 1024, {186.9, 174, 212, 425, 379, 388}),
        paperProblem(2048, 1024, 2048, {198.7, 0, 0, 0, 0, 0}),
    };
}

std::vector<ConeProblem> defaultGrids(Index columns, Index views) {
    std::vector<ConeProblem> problems;
    const auto add = [&](const char* name, const char* what, const ScanGeometry& geometry,
                         const VolumeGrid& grid) {
        problems.push_back(fitted(name, what, geometry, grid));
    };
    for (const Index width : {columns / 2, columns, 2 * columns}) {
        const ScanGeometry scan = circle(width, views);
        add("default", "default volume", scan, fitGrid(scan));
    }
    const ScanGeometry scan = circle(columns, views);
    const double halfWidthMm = widthMm(scan.detector) / 2;
    add("cube", "cube of 5/6 of its image", scan, innerCube(scan, columns, columns));
    ScanGeometry magnified = scan;
    magnified.cone().sourceToIsocenterMm = scan.cone().sourceToDetectorMm / 8;
    add("magnified", "magnification 8", magnified, fitGrid(magnified));
    ScanGeometry wide = scan;
    wide.cone().sourceToDetectorMm = halfWidthMm / std::tan(20 / kDegrees);
    wide.cone().sourceToIsocenterMm = wide.cone().sourceToDetectorMm / 2;
    add("wide", "cone of 40°", wide, fitGrid(wide));
    add("half", "half as many voxels across", scan, fitGrid(scan, columns / 2));
    add("region", "region off the axis, half the pitch", scan, regionOffAxis(scan));
    ScanGeometry shortScan = scan;
    const double fanDeg = 2 * kDegrees * std::atan(halfWidthMm / scan.cone().sourceToDetectorMm);
    shortScan.cone().arcDeg = 182 + fanDeg;
    add("short", "short scan", shortScan, fitGrid(shortScan));
    ScanGeometry rolled = scan;
    rolled.detector.rollDeg = 1;
    add("rolled", "detector rolled by 1°", rolled, fitGrid(rolled));
    return problems;
}

std::vector<ConeProblem> correctedScans(Index columns, Index views) {
    const ScanGeometry scan = circle(columns, views);
    std::vector<ConeProblem> problems;
    const auto add = [&](const std::string& name, const std::string& what,
                         std::vector<std::string> options) {
        problems.push_back(fitted(name, what, scan, fitGrid(scan)));
        problems.back().options = std::move(options);
    };
    const std::string zingers = "3";  // times the median: more than random counts mostly are
    const std::string phase = "60,100,500";
    const std::string wavelets(name(RingMethod::wavelets));
    const std::string sorting(name(RingMethod::sorting));
    add("zingers", "zingers replaced", {"--zingers", zingers});
    add(wavelets, "rings removed by wavelets", {"--rings", wavelets});
    add(sorting, "rings removed by sorting", {"--rings", sorting});
    add("phase", "phase retrieved", {"--phase", phase});
    add("corrected", "zingers, phase and rings by sorting",
        {"--zingers", zingers, "--phase", phase, "--rings", sorting});
    // Counts that are random have no air, nor an object that ends.
    const std::string air = fmt::format("0,0,{},{}", columns, std::max<Index>(2, columns / 16));
    add("flux", "each view divided by its air", {"--flux", "air", "--air", air});
    add("plane", "each view divided by a plane through its air", {"--flux", "plane", "--air", air});
    add("extended", "rows extended like a cylinder's",
        {"--truncation", "cylinder", "--object-attenuation", "0.02"});
    return problems;
}

ConeProblem posedProblem(Index columns, Index views) {
    constexpr double kMm = 12;
    constexpr double kDeg = 2;
    const ScanGeometry scan = circle(columns, views);
    return fitted("poses", "poses off their circle by 2 % and 2°", jittered(scan, kMm, kDeg, 1),
                  fitGrid(scan));
}

}  // namespace gantry
