#include "tests/core/project/projection_problems.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <random>

#include "tests/core/geometry/random_geometry.h"

namespace gantry::test {

namespace {

constexpr double kSodMm = 300;

ScanGeometry smallCone(Index scale) {
    ScanGeometry scan;
    scan.cone().sourceToIsocenterMm = kSodMm;
    scan.cone().sourceToDetectorMm = 2 * kSodMm;
    scan.cone().startDeg = 13;
    scan.cone().views = 3;
    scan.detector.columns = 17 * scale;
    scan.detector.rows = 13 * scale;
    const double pitch = 12.0 / static_cast<double>(scale);
    scan.detector.pitchMm = {pitch, 1.1 * pitch};
    return scan;
}

// voxelPx: the width of voxels in pixels at the axis
VolumeGrid smallGrid(const ScanGeometry& scan, Index scale, double voxelPx) {
    VolumeGrid grid;
    grid.voxels = {11 * scale, 9 * scale, 7 * scale};
    const double pitch = voxelPx * scan.detector.pitchMm[0] / scan.magnification();
    grid.pitchMm = {pitch, 1.07 * pitch, 0.9 * pitch};
    grid.centerMm = {2, -3, 1.5};
    return grid;
}

double at(Vec3 a, int axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

// The volume's values, 0 beyond it.
double voxelAt(const VolumeGrid& grid, const std::vector<float>& volume,
               const std::array<Index, 3>& i) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (i[axis] < 0 || i[axis] >= grid.voxels[axis]) return 0;
    return volume[(i[2] * grid.voxels[1] + i[1]) * grid.voxels[0] + i[0]];
}

struct StraightRay {
    Vec3 fromMm;
    Vec3 alongMm;
};

StraightRay rayOf(const ScanGeometry& scan, Index s, double u, double v) {
    const ViewPose pose = viewPose(scan, s);
    const Vec3 pixel = pose.detectorCenterMm +
                       (u - (static_cast<double>(scan.detector.columns) - 1) / 2) * pose.uStepMm +
                       (v - (static_cast<double>(scan.detector.rows) - 1) / 2) * pose.vStepMm;
    if (pose.isParallel) return {pixel, -1 * pose.sourceMm};
    return {pose.sourceMm, pixel - pose.sourceMm};
}

// Whether a column's middle ray makes its largest steps along this axis; rays of an upright
// detector do not step along z.
int stepAxis(const ScanGeometry& scan, const VolumeGrid& grid, Index s, Index u) {
    const double middle = (static_cast<double>(scan.detector.rows) - 1) / 2;
    const Vec3 along = rayOf(scan, s, static_cast<double>(u), middle).alongMm;
    const ViewPose pose = viewPose(scan, s);
    const bool isUpright = std::hypot(pose.vStepMm.x, pose.vStepMm.y) < 1e-9 &&
                           (!pose.isParallel || std::abs(along.z) < 1e-9);
    int best = 0;
    for (int axis = 1; axis < (isUpright ? 2 : 3); ++axis)
        if (std::abs(at(along, axis)) / grid.pitchMm[axis] >
            std::abs(at(along, best)) / grid.pitchMm[best])
            best = axis;
    return best;
}

double josephSum(const ProjectionProblem& problem, const std::vector<float>& volume,
                 const StraightRay& ray, bool isParallel, int axis) {
    const VolumeGrid& grid = problem.grid;
    const Vec3 origin = grid.originMm();
    double sum = 0;
    for (Index plane = 0; plane < grid.voxels[axis]; ++plane) {
        const double planeMm = at(origin, axis) + static_cast<double>(plane) * grid.pitchMm[axis];
        const double t = (planeMm - at(ray.fromMm, axis)) / at(ray.alongMm, axis);
        if (!isParallel && !(t > 0)) continue;
        const Vec3 hit = ray.fromMm + t * ray.alongMm;
        std::array<Index, 3> low{};
        std::array<double, 3> share{};
        for (int i = 0; i < 3; ++i) {
            const double index = (at(hit, i) - at(origin, i)) / grid.pitchMm[i];
            low[i] = i == axis ? plane : static_cast<Index>(std::floor(index));
            share[i] = i == axis ? 0 : index - std::floor(index);
        }
        for (int corner = 0; corner < 8; ++corner) {
            std::array<Index, 3> voxel = low;
            double weight = 1;
            for (int i = 0; i < 3; ++i) {
                const int high = corner >> i & 1;
                voxel[i] += high;
                weight *= high ? share[i] : 1 - share[i];
            }
            sum += weight * voxelAt(grid, volume, voxel);
        }
    }
    return sum * length(ray.alongMm) * grid.pitchMm[axis] / std::abs(at(ray.alongMm, axis));
}

}  // namespace

std::vector<ProjectionProblem> projectionProblems(Index scale) {
    std::vector<ProjectionProblem> problems;
    const auto add = [&](const char* name, const ScanGeometry& scan, double voxelPx) {
        problems.push_back({name, scan, smallGrid(scan, scale, voxelPx)});
    };
    const ScanGeometry cone = smallCone(scale);
    add("cone, voxels of half a pixel", cone, 0.5);
    add("cone, voxels of a pixel", cone, 1);
    add("cone, voxels of a pixel and a half", cone, 1.5);
    add("cone, voxels of three pixels", cone, 3);
    ScanGeometry offset = cone;
    offset.detector.offsetMm = {31, -17};
    offset.cone().sourceOffsetMm = {4, 5};
    offset.cone().arcDeg = -211;
    add("cone with an offset detector", offset, 1);
    ScanGeometry turned = offset;
    turned.detector.rollDeg = 11;
    turned.detector.tiltDeg = -14;
    turned.detector.slantDeg = 3;
    add("cone with a turned detector", turned, 1);
    ScanGeometry parallel = cone;
    parallel.trajectory = ParallelBeam{cone.cone()};
    parallel.detector.offsetMm = {9, 4};
    parallel.detector.pitchMm = {6.0 / static_cast<double>(scale),
                                 5.0 / static_cast<double>(scale)};
    add("parallel beam", parallel, 0.9);
    for (const double tilt : {25.0, 60.0}) {
        ScanGeometry leaning = parallel;
        leaning.detector.tiltDeg = tilt;
        leaning.detector.rollDeg = 2;
        add("laminography", leaning, 1.1);
    }
    add("poses", RandomGeometry(3).jittered(cone, 10, 8), 1);
    add("poses in any direction", RandomGeometry(4).jittered(cone, 40, 80), 1);
    problems.push_back({"source within the volume", cone, smallGrid(cone, scale, 8)});
    return problems;
}

std::vector<float> randomValues(Index count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(0, 1);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values)
        value = uniform(random);
    return values;
}

std::vector<float> projected(Projector& projector, const ProjectionProblem& problem,
                             const std::vector<float>& volume) {
    const auto& [nX, nY, nZ] = problem.grid.voxels;
    const Detector& detector = problem.scan.detector;
    const Index views = problem.scan.views();
    std::vector<float> out(static_cast<std::size_t>(views * detector.rows * detector.columns));
    projector.begin(problem.grid, {0, nZ});
    projector.set({0, nZ}, Span3<const float>(volume.data(), nZ, nY, nX));
    projector.project({0, views}, {out.data(), views, detector.rows, detector.columns}, {});
    return out;
}

std::vector<float> transposed(Projector& projector, const ProjectionProblem& problem,
                              const std::vector<float>& views) {
    const auto& [nX, nY, nZ] = problem.grid.voxels;
    const Detector& detector = problem.scan.detector;
    const Index count = problem.scan.views();
    std::vector<float> out(static_cast<std::size_t>(problem.grid.count()));
    projector.begin(problem.grid, {0, nZ});
    projector.adjoint({0, count},
                      Span3<const float>(views.data(), count, detector.rows, detector.columns), {});
    projector.read({0, nZ}, {out.data(), nZ, nY, nX});
    return out;
}

std::vector<double> josephSums(const ProjectionProblem& problem, const std::vector<float>& volume) {
    const ScanGeometry& scan = problem.scan;
    std::vector<double> sums;
    for (Index s = 0; s < scan.views(); ++s)
        for (Index v = 0; v < scan.detector.rows; ++v)
            for (Index u = 0; u < scan.detector.columns; ++u) {
                const StraightRay ray =
                    rayOf(scan, s, static_cast<double>(u), static_cast<double>(v));
                sums.push_back(josephSum(problem, volume, ray, scan.isParallel(),
                                         stepAxis(scan, problem.grid, s, u)));
            }
    return sums;
}

}  // namespace gantry::test
