#include "core/project/projection_plan.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/project/cpu_projector.h"
#include "tests/core/project/projection_problems.h"

namespace gantry {
namespace {

constexpr Index kWorkingViews = 3;

class ProjectionPlanning : public testing::Test {
  protected:
    ProjectionPlanning() {
        m_problem.scan.cone().views = 100;
        m_views = projectedViews(m_problem.scan);
        m_projector = makeCpuProjector(m_views, 1);
    }
    [[nodiscard]] ProjectionPlan planWith(Index memoryBytes) const {
        return planProjection(*m_projector, m_views, m_problem.grid, kWorkingViews, memoryBytes);
    }

    test::ProjectionProblem m_problem = test::projectionProblems(4)[0];
    ProjectedViews m_views;
    std::unique_ptr<Projector> m_projector;
};

TEST_F(ProjectionPlanning, TakesAllWhereItFits) {
    const ProjectionPlan plan = planWith(1'000'000'000);
    EXPECT_EQ(plan.slabSlices, m_problem.grid.voxels[2]);
    EXPECT_EQ(plan.batchViews, 100);
    EXPECT_EQ(planWith(plan.bytes), plan);
    EXPECT_LT(planWith(plan.bytes - 1).batchViews, 100);
}

TEST_F(ProjectionPlanning, NeverTakesMoreThanIsAllowed) {
    Index whole = planWith(1'000'000'000).bytes;
    Index lastViews = 100;
    bool hasSlabs = false;
    for (; whole > 2'400'000; whole -= 50'000) {
        const ProjectionPlan plan = planWith(whole);
        EXPECT_LE(plan.bytes, whole);
        EXPECT_GE(plan.slabSlices, 1);
        EXPECT_GE(plan.batchViews, 1);
        if (plan.slabSlices == m_problem.grid.voxels[2]) {
            EXPECT_FALSE(hasSlabs);
            EXPECT_LE(plan.batchViews, lastViews);
            lastViews = plan.batchViews;
        } else {
            hasSlabs = true;
        }
    }
    EXPECT_TRUE(hasSlabs);
}

TEST_F(ProjectionPlanning, SaysWhatIsNeededAtLeast) {
    try {
        (void)planWith(10'000);
        FAIL();
    } catch (const ResourceError& error) {
        EXPECT_NE(std::string(error.what()).find("10.0 kB may be used"), std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace gantry
