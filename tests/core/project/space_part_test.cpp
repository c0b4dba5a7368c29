#include "core/project/space_part.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/project/cpu_projector.h"
#include "tests/core/project/projection_problems.h"

namespace gantry {
namespace {

// Line integrals of some slices of a volume of ones in these views: [s][v][u].
std::vector<float> sumsOfPart(const ProjectedViews& views, const VolumeGrid& grid,
                              IndexRange slices) {
    const VolumeGrid slab = grid.slab(slices);
    const auto projector = makeCpuProjector(views, 1);
    const std::vector<float> ones(static_cast<std::size_t>(slab.count()), 1);
    const IndexRange all = {0, slab.voxels[2]};
    projector->begin(slab, all);
    projector->set(all, {ones.data(), slab.voxels[2], slab.voxels[1], slab.voxels[0]});
    const auto count = std::ssize(views.poses);
    std::vector<float> sums(static_cast<std::size_t>(count * views.rows * views.columns));
    projector->project({0, count}, {sums.data(), count, views.rows, views.columns}, {});
    return sums;
}

TEST(SpaceParts, HaveTheRowsThatTheirSlicesAreSeenIn) {
    for (const test::ProjectionProblem& problem : test::projectionProblems(1)) {
        const ProjectedViews views = projectedViews(problem.scan);
        for (const Index count : {Index{2}, Index{3}, problem.grid.voxels[2]}) {
            SCOPED_TRACE(problem.name);
            const std::vector<SpacePart> parts = spaceParts(views, problem.grid, count);
            ASSERT_EQ(std::ssize(parts), count);
            Index slices = 0;
            std::vector<int> owners(static_cast<std::size_t>(views.rows));
            std::vector<bool> isSeen(owners.size());
            for (const SpacePart& part : parts) {
                EXPECT_EQ(part.slices.begin, slices);
                slices = part.slices.end;
                EXPECT_GE(part.slices.size(), problem.grid.voxels[2] / count);
                for (Index v = part.ownRows.begin; v < part.ownRows.end; ++v) {
                    EXPECT_TRUE(part.rows.contains(v));
                    ++owners[static_cast<std::size_t>(v)];
                }
                const std::vector<float> whole = sumsOfPart(views, problem.grid, part.slices);
                const std::vector<float> some =
                    sumsOfPart(withRows(views, part.rows), problem.grid, part.slices);
                const float longest = *std::max_element(whole.begin(), whole.end());
                for (std::size_t i = 0; i < whole.size(); ++i) {
                    const Index line = static_cast<Index>(i) / views.columns;
                    const Index v = line % views.rows;
                    if (whole[i] > 0) isSeen[static_cast<std::size_t>(v)] = true;
                    if (!part.rows.contains(v)) {
                        EXPECT_EQ(whole[i], 0);
                        continue;
                    }
                    const Index at = (line / views.rows * part.rows.size() + v - part.rows.begin) *
                                         views.columns +
                                     static_cast<Index>(i) % views.columns;
                    // Rays that begin in other rows are rounded otherwise.
                    EXPECT_NEAR(some[static_cast<std::size_t>(at)], whole[i], 1e-5 * longest);
                }
            }
            EXPECT_EQ(slices, problem.grid.voxels[2]);
            for (std::size_t v = 0; v < owners.size(); ++v) {
                EXPECT_LE(owners[v], 1) << "row " << v;
                EXPECT_TRUE(owners[v] == 1 || !isSeen[v]) << "row " << v;
            }
        }
    }
}

TEST(SpaceParts, OfParallelBeamsShareFewRows) {
    ScanGeometry scan;
    GantryAngles angles;
    angles.views = 9;
    scan.trajectory = ParallelBeam{angles};
    scan.detector = {.columns = 33, .rows = 60, .pitchMm = {1, 1}};
    VolumeGrid grid;
    grid.voxels = {30, 30, 60};
    grid.pitchMm = {1, 1, 1};
    const std::vector<SpacePart> parts = spaceParts(projectedViews(scan), grid, 3);
    // A voxel reaches into two rows beside its own at most.
    EXPECT_EQ(parts[1].slices, (IndexRange{20, 40}));
    EXPECT_GE(parts[1].rows.begin, 18);
    EXPECT_LE(parts[1].rows.end, 42);
    EXPECT_LE(exchangedBytes(parts, 1, 33, 9), 2 * 4 * 33 * 9 * Index{sizeof(float)});
    EXPECT_EQ(exchangedViews(parts, 33, 9), 9);
}

}  // namespace
}  // namespace gantry
