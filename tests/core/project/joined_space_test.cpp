#include "core/project/joined_space.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/iterate/iteration.h"
#include "core/project/cpu_projector.h"
#include "core/project/host_space.h"
#include "tests/core/project/projection_problems.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

std::unique_ptr<Projector> oneThreaded(ProjectedViews views, int threads) {
    return makeCpuProjector(std::move(views), threads);
}

// A problem in one space, and in parts that are joined.
struct Spaces {
    Spaces(const test::ProjectionProblem& problem, Index parts, Index subsetCount)
        : views(projectedViews(problem.scan)),
          grid(problem.grid),
          subsets(std::ssize(views.poses), subsetCount) {
        const SpaceTask task = {views, grid, subsets};
        whole = std::make_unique<HostSpace>(views, grid, subsets, HostSpaceOptions{}, oneThreaded);
        joined = joinSpaces(task, spaceParts(views, grid, parts), 1, [&](Index, SpacePeers& peers) {
            return std::make_unique<HostSpace>(views, grid, subsets,
                                               HostSpaceOptions{.peers = &peers}, oneThreaded);
        });
        const auto projector = makeCpuProjector(views, 1);
        std::vector<float> integrals =
            test::projected(*projector, problem, test::randomValues(grid.count(), 1));
        const std::vector<float> noise = test::randomValues(std::ssize(integrals), 2);
        for (std::size_t i = 0; i < integrals.size(); ++i)
            integrals[i] *= 1 + 0.02F * (noise[i] - 0.5F);
        const auto count = static_cast<Index>(views.poses.size());
        for (ProjectionSpace* space : {whole.get(), joined.get()})
            space->setViews({0, count},
                            Span3<const float>(integrals.data(), count, views.rows, views.columns),
                            {});
    }

    ProjectedViews views;
    VolumeGrid grid;
    Subsets subsets;
    std::unique_ptr<ProjectionSpace> whole;
    std::unique_ptr<ProjectionSpace> joined;
};

std::vector<float> allOf(ProjectionSpace& space, const IterationVector& vector) {
    std::vector<float> values(static_cast<std::size_t>(vector.parts() * vector.partCount()));
    space.readHeld(vector, 0, values);
    return values;
}

TEST(JoinedSpace, KeepsVectorsAsOneSpaceDoes) {
    for (const test::ProjectionProblem& problem : test::projectionProblems(1)) {
        SCOPED_TRACE(problem.name);
        const Spaces spaces(problem, 3, 1);
        for (const VectorKind kind :
             {VectorKind::volume, VectorKind::gradient, VectorKind::views}) {
            const auto vector = spaces.joined->make(kind, problem.scan.views());
            const std::vector<float> values =
                test::randomValues(vector->parts() * vector->partCount(), 3);
            spaces.joined->write(*vector, 0, values);
            const std::vector<float> kept = allOf(*spaces.joined, *vector);
            ASSERT_EQ(kept.size(), values.size());
            // No part keeps rays that miss the volume.
            for (std::size_t i = 0; i < kept.size(); ++i)
                EXPECT_TRUE(kept[i] == values[i] || (kind == VectorKind::views && kept[i] == 0));
        }
    }
}

TEST(JoinedSpace, MethodsComeToTheVolumeOfOneSpace) {
    IterativeMethod sirt;
    sirt.kind = Sirt{.relaxation = 1, .isAccelerated = true};
    IterativeMethod tv;
    tv.kind = TotalVariation{.viewsPerSubset = 4};
    IterativeMethod cgls;
    cgls.kind = Cgls{};
    for (const test::ProjectionProblem& problem : test::projectionProblems(1))
        for (const IterativeMethod& method : {sirt, tv, cgls}) {
            SCOPED_TRACE(problem.name + std::string(": ") + nameOf(method));
            const Spaces spaces(problem, 3, subsetCount(method, problem.scan.views()));
            std::vector<std::vector<float>> volumes;
            for (ProjectionSpace* space : {spaces.whole.get(), spaces.joined.get()}) {
                Iteration run(*space, method);
                run.begin({});
                for (int i = 0; i < 4; ++i)
                    run.step({});
                volumes.push_back(allOf(*space, run.volume()));
            }
            // Rounding; of conjugate gradients it grows.
            EXPECT_LT(test::largestDifference(volumes[1], volumes[0]), 3e-5);
        }
}

TEST(JoinedSpace, FindsInvalidRaysOnce) {
    const test::ProjectionProblem problem = test::projectionProblems(1)[0];
    const Spaces spaces(problem, 2, 1);
    const Detector& detector = problem.scan.detector;
    // In the middle, where both parts see it.
    std::vector<float> view(static_cast<std::size_t>(detector.rows * detector.columns), 1);
    view[static_cast<std::size_t>(detector.rows / 2 * detector.columns + 2)] =
        std::numeric_limits<float>::quiet_NaN();
    spaces.joined->setViews(
        {1, 2}, Span3<const float>(view.data(), 1, detector.rows, detector.columns), {});
    const InvalidRays found = spaces.joined->findInvalidRays();
    EXPECT_EQ(found.count, 1);
    EXPECT_EQ(found.firstView, 1);
}

TEST(JoinedSpace, OnePartThatFailsEndsAll) {
    const test::ProjectionProblem problem = test::projectionProblems(1)[0];
    const ProjectedViews views = projectedViews(problem.scan);
    const Subsets subsets(std::ssize(views.poses), 1);
    EXPECT_ERROR(
        (void)joinSpaces({views, problem.grid, subsets}, spaceParts(views, problem.grid, 3), 1,
                         [&](Index part, SpacePeers& peers) {
                             if (part == 1) throw ResourceError("no memory for part 1");
                             (void)peers.largest(1);  // waits for the others
                             return std::unique_ptr<ProjectionSpace>();
                         }),
        ResourceError, "no memory for part 1");
    const Spaces spaces(problem, 3, 1);
    const auto x = spaces.joined->make(VectorKind::volume, 0);
    const auto r = spaces.joined->make(VectorKind::views, problem.scan.views());
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW((void)spaces.joined->prepare({}, stop.get_token()), Cancelled);
    (void)spaces.joined->prepare({}, {});
    EXPECT_GT(spaces.joined->residual(*x, {0, problem.scan.views()}, *r, {}).weightedSquares, 0)
        << "it works again";
}

}  // namespace
}  // namespace gantry
