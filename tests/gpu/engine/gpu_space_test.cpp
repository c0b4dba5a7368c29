#include "gpu/engine/gpu_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/iterate/iteration.h"
#include "core/project/cpu_projector.h"
#include "core/project/host_space.h"
#include "core/project/joined_space.h"
#include "tests/core/project/projection_problems.h"
#include "tests/gpu/support/device.h"

namespace gantry {
namespace {

constexpr Index kSubsets = 3;

// A method's space in host memory, and on a GPU.
struct Spaces {
    std::unique_ptr<ProjectionSpace> host;
    std::unique_ptr<ProjectionSpace> device;
};

class GpuSpace : public testing::Test {
  protected:
    void SetUp() override { GANTRY_NEEDS_DEVICE(); }

    static Spaces spacesOf(const test::ProjectionProblem& problem, const Subsets& subsets,
                           bool hasCounts) {
        const ProjectedViews views = projectedViews(problem.scan);
        Spaces spaces;
        spaces.host = std::make_unique<HostSpace>(
            views, problem.grid, subsets, HostSpaceOptions{.threads = 2, .hasCounts = hasCounts},
            [](ProjectedViews stored, int threads) {
                return makeCpuProjector(std::move(stored), threads);
            });
        spaces.device =
            makeGpuSpace(test::testDevice(), {views, problem.grid, subsets, hasCounts}, {}, 0);
        return spaces;
    }

    // Gives both the line integrals of a random volume, some of them wrong, and counts.
    static void setViews(const Spaces& spaces, const test::ProjectionProblem& problem,
                         bool hasCounts) {
        const auto projector = makeCpuProjector(projectedViews(problem.scan), 2);
        std::vector<float> integrals =
            test::projected(*projector, problem, test::randomValues(problem.grid.count(), 1));
        const std::vector<float> noise = test::randomValues(std::ssize(integrals), 2);
        std::vector<float> counts;
        for (std::size_t i = 0; i < integrals.size(); ++i) {
            integrals[i] *= 1 + 0.02F * (noise[i] - 0.5F);
            counts.push_back(i % 17 == 0 ? 0 : 1000 * std::exp(-integrals[i] / 20));
        }
        const Detector& detector = problem.scan.detector;
        const auto spanOf = [&](const std::vector<float>& values) {
            return Span3<const float>(values.data(), problem.scan.views(), detector.rows,
                                      detector.columns);
        };
        for (ProjectionSpace* space : {spaces.host.get(), spaces.device.get()})
            space->setViews({0, problem.scan.views()}, spanOf(integrals),
                            hasCounts ? spanOf(counts) : Span3<const float>{});
    }
};

std::vector<float> valuesIn(IterationSpace& space, const IterationVector& vector) {
    std::vector<float> values(static_cast<std::size_t>(vector.parts() * vector.partCount()));
    space.read(vector, 0, values);
    return values;
}

// A slice with a free disc.
std::vector<unsigned char> discOf(const VolumeGrid& grid) {
    std::vector<unsigned char> mask;
    const auto middleX = static_cast<double>(grid.voxels[0]) / 2;
    const auto middleY = static_cast<double>(grid.voxels[1]) / 2;
    for (Index y = 0; y < grid.voxels[1]; ++y)
        for (Index x = 0; x < grid.voxels[0]; ++x)
            mask.push_back(std::hypot((static_cast<double>(x) - middleX) / middleX,
                                      (static_cast<double>(y) - middleY) / middleY) < 0.9
                               ? 1
                               : 0);
    return mask;
}

// Single precision, in another order. A voxel that few rays touch, with little weight each, has the
// relative error of these weights, which agree to 2e-5 of the largest: so single voxels may be
// further apart.
void expectNear(const std::vector<float>& volume, const std::vector<float>& expected,
                double tolerance) {
    double differences = 0;
    double squares = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double value = expected[i];
        differences += (volume[i] - value) * (volume[i] - value);
        squares += value * value;
    }
    EXPECT_LT(std::sqrt(differences / squares), tolerance);
    EXPECT_LT(test::largestDifference(volume, expected), 5 * tolerance);
}

// Runs so many iterations of the method in both.
void expectSameVolumes(const Spaces& spaces, const IterativeMethod& method, int iterations,
                       double tolerance) {
    std::vector<std::vector<float>> volumes;
    for (ProjectionSpace* space : {spaces.host.get(), spaces.device.get()}) {
        Iteration run(*space, method);
        run.begin({});
        for (int i = 0; i < iterations; ++i)
            run.step({});
        volumes.push_back(valuesIn(*space, run.volume()));
    }
    expectNear(volumes[1], volumes[0], tolerance);
}

TEST_F(GpuSpace, KeepsWhatIsWritten) {
    const test::ProjectionProblem problem = test::projectionProblems(1)[1];
    const Subsets subsets(problem.scan.views(), 1);
    const Spaces spaces = spacesOf(problem, subsets, false);
    for (const VectorKind kind : {VectorKind::volume, VectorKind::gradient, VectorKind::views}) {
        const auto vector = spaces.device->make(kind, problem.scan.views());
        std::vector<float> values = test::randomValues(vector->parts() * vector->partCount(), 1);
        spaces.device->write(*vector, 0, values);
        EXPECT_EQ(valuesIn(*spaces.device, *vector), values);
        std::vector<float> part(static_cast<std::size_t>(vector->partCount()), 5);
        spaces.device->write(*vector, 2, part);
        std::copy(part.begin(), part.end(), values.begin() + 2 * vector->partCount());
        EXPECT_EQ(valuesIn(*spaces.device, *vector), values);
        EXPECT_THROW(spaces.device->read(*vector, vector->parts(), part), InternalError);
    }
}

TEST_F(GpuSpace, PreparesAsHostMemoryDoes) {
    const std::vector<test::ProjectionProblem> problems = test::projectionProblems(1);
    for (const test::ProjectionProblem& problem : problems)
        for (const RowWeights weights : {RowWeights::one, RowWeights::chord, RowWeights::counts}) {
            SCOPED_TRACE(problem.name);
            // Weights do not depend on where rays are.
            if (weights != RowWeights::chord && &problem != &problems.back()) continue;
            const bool hasCounts = weights == RowWeights::counts;
            const Subsets subsets(problem.scan.views(), kSubsets);
            const Spaces spaces = spacesOf(problem, subsets, hasCounts);
            setViews(spaces, problem, hasCounts);
            const std::vector<unsigned char> disc = discOf(problem.grid);
            std::vector<ResidualSums> sums;
            std::vector<PreparedViews> prepared;
            std::vector<std::vector<float>> volumes;
            for (ProjectionSpace* space : {spaces.host.get(), spaces.device.get()}) {
                space->setMask({disc.data(), 1, problem.grid.voxels[1], problem.grid.voxels[0]});
                EXPECT_EQ(space->findInvalidRays().count, 0);
                prepared.push_back(space->prepare({.weights = weights,
                                                   .subsets = kSubsets,
                                                   .hasColumnWeights = true,
                                                   .modelError = 0.02},
                                                  {}));
                const auto x = space->make(VectorKind::volume, 0);
                const auto r = space->make(VectorKind::views, subsets.largest());
                ResidualSums all;
                for (Index m = 0; m < kSubsets; ++m) {
                    all += space->residual(*x, subsets.range(m), *r, {});
                    space->update(*x, 0.8, *r, subsets.range(m), {});
                }
                sums.push_back(all);
                volumes.push_back(valuesIn(*space, *x));
            }
            EXPECT_EQ(prepared[1].usedRays, prepared[0].usedRays);
            EXPECT_NEAR(prepared[1].level / prepared[0].level, 1, 1e-5);
            EXPECT_NEAR(prepared[1].weightedSquares / prepared[0].weightedSquares, 1, 1e-5);
            EXPECT_NEAR(sums[1].weightedSquares / sums[0].weightedSquares, 1, 1e-5);
            if (hasCounts) {
                EXPECT_NEAR(sums[1].chiSquares / sums[0].chiSquares, 1, 1e-4);
            }
            // Three views alone touch many voxels with little weight.
            expectNear(volumes[1], volumes[0], 4e-5);
        }
}

TEST_F(GpuSpace, NumbersThatAreNoneAreFound) {
    const test::ProjectionProblem problem = test::projectionProblems(1)[1];
    const Subsets subsets(problem.scan.views(), kSubsets);
    const Spaces spaces = spacesOf(problem, subsets, false);
    const Detector& detector = problem.scan.detector;
    std::vector<float> view(static_cast<std::size_t>(detector.rows * detector.columns), 1);
    view[3] = NAN;
    view[7] = INFINITY;
    spaces.device->setViews({2, 3}, {view.data(), 1, detector.rows, detector.columns}, {});
    const InvalidRays found = spaces.device->findInvalidRays();
    EXPECT_EQ(found.count, 2);
    EXPECT_EQ(found.firstView, 2);
}

// Every method through the same iterations, on the same numbers.
TEST_F(GpuSpace, MethodsComeToTheVolumeOfHostMemory) {
    struct Case {
        IterativeMethod method;
        double tolerance;  // rounding grows in conjugate gradients
    };
    IterativeMethod sirt;
    sirt.kind = Sirt{.relaxation = 1, .isAccelerated = true};
    sirt.bounds.max = 0.9F;
    IterativeMethod osSart;
    osSart.kind = OsSart{.viewsPerSubset = 2};
    osSart.useCounts = true;
    IterativeMethod cgls;
    cgls.kind = Cgls{};
    IterativeMethod tv;
    tv.kind = TotalVariation{.viewsPerSubset = 2};
    for (const auto& [method, tolerance] :
         {Case{sirt, 1e-5}, Case{osSart, 1e-5}, Case{cgls, 1e-3}, Case{tv, 1e-5}}) {
        SCOPED_TRACE(nameOf(method));
        const test::ProjectionProblem problem = test::projectionProblems(1)[1];
        const Index views = problem.scan.views();
        const Spaces spaces =
            spacesOf(problem, Subsets(views, subsetCount(method, views)), method.useCounts);
        setViews(spaces, problem, method.useCounts);
        expectSameVolumes(spaces, method, 20, tolerance);
    }
}

// Two parts on one device exchange as two devices do.
TEST_F(GpuSpace, PartsComeToTheVolumeOfHostMemory) {
    IterativeMethod tv;
    tv.kind = TotalVariation{.viewsPerSubset = 2};
    tv.useCounts = true;
    IterativeMethod cgls;
    cgls.kind = Cgls{};
    for (const test::ProjectionProblem& problem : test::projectionProblems(1))
        for (const IterativeMethod& method : {tv, cgls}) {
            SCOPED_TRACE(problem.name + std::string(": ") + nameOf(method));
            const ProjectedViews views = projectedViews(problem.scan);
            const Subsets subsets(problem.scan.views(), subsetCount(method, problem.scan.views()));
            Spaces spaces = spacesOf(problem, subsets, method.useCounts);
            const SpaceTask whole = {views, problem.grid, subsets, method.useCounts};
            spaces.device = joinSpaces(whole, spaceParts(views, problem.grid, 2), 1,
                                       [&](Index, SpacePeers& peers) {
                                           SpaceTask part = whole;
                                           part.peers = &peers;
                                           return makeGpuSpace(test::testDevice(), part, {}, 0);
                                       });
            setViews(spaces, problem, method.useCounts);
            expectSameVolumes(spaces, method, 5, 1e-5);
        }
}

TEST_F(GpuSpace, GivesTheSameBitsEveryTime) {
    const test::ProjectionProblem problem = test::projectionProblems(4)[0];
    const Index views = problem.scan.views();
    IterativeMethod method;
    method.kind = TotalVariation{};
    std::vector<std::vector<float>> volumes;
    for (int i = 0; i < 2; ++i) {
        const Spaces spaces = spacesOf(problem, Subsets(views, subsetCount(method, views)), false);
        setViews(spaces, problem, false);
        Iteration run(*spaces.device, method);
        run.begin({});
        for (int step = 0; step < 3; ++step)
            run.step({});
        volumes.push_back(valuesIn(*spaces.device, run.volume()));
    }
    EXPECT_EQ(volumes[1], volumes[0]);
}

}  // namespace
}  // namespace gantry
