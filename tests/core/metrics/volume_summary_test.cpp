#include "core/metrics/volume_summary.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

TEST(VolumeSummary, PreviewTakesEveryFewthVoxelWhereItStands) {
    const VolumeGrid grid = {{300, 3, 131}, {0.5, 0.7, 2}, {10, -4, 7}};
    VolumeSummary summary(grid);
    std::vector<float> voxels(static_cast<std::size_t>(grid.count()));
    for (std::size_t i = 0; i < voxels.size(); ++i)
        voxels[i] = static_cast<float>(i);  // below 2^24: exact
    summary.add(0, {voxels.data(), 131, 3, 300});
    // At most 128 along an axis: every third of 300, all of 3, every second of 131.
    const VolumeGrid& preview = summary.previewGrid();
    EXPECT_EQ(preview.voxels, (std::array<Index, 3>{100, 3, 66}));
    for (const Index z : {0, 1, 65})
        for (const Index y : {0, 2})
            for (const Index x : {0, 1, 99}) {
                EXPECT_EQ(summary.preview()(z, y, x),
                          static_cast<float>((2 * z * 3 + y) * 300 + 3 * x));
                const auto [px, py, pz] = std::array<double, 3>{
                    static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
                const Vec3 found = preview.positionMm(px, py, pz);
                const Vec3 expected = grid.positionMm(3 * px, py, 2 * pz);
                EXPECT_LT(length(found - expected), 1e-10);  // rounding of 10² mm
            }
}

TEST(VolumeSummary, IsPutTogetherFromThatOfSeveralProcesses) {
    const VolumeGrid grid = {{7, 150, 140}, {1, 1, 1}, {}};
    std::vector<float> voxels(static_cast<std::size_t>(grid.count()));
    for (std::size_t i = 0; i < voxels.size(); ++i)
        voxels[i] = static_cast<float>((i * 7919) % 10007) - 500;
    const Index slice = 7 * 150;
    const auto add = [&](VolumeSummary& summary, IndexRange slices) {
        summary.add(slices.begin,
                    {voxels.data() + slices.begin * slice, slices.size(), Index{150}, Index{7}});
    };
    VolumeSummary whole(grid);
    add(whole, {0, 140});
    VolumeSummary first(grid);
    VolumeSummary second(grid);
    add(first, {0, 37});
    add(first, {101, 140});
    add(second, {37, 101});
    first.addSaved({{37, 101}}, second.saveSlices({{37, 101}}));
    EXPECT_EQ(first.save(), whole.save());
    EXPECT_ERROR(first.addSaved({{37, 100}}, second.saveSlices({{37, 101}})), InputError,
                 "does not fit");
}

}  // namespace
}  // namespace gantry
