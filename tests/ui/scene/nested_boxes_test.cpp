// Boxes of finer voxels within a volume, by the processor and by the card.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/ui/scene/scene_fixtures.h"
#include "ui/scene/volume/cpu_ray_caster.h"
#include "ui/scene/volume/detail_boxes.h"
#include "ui/scene/volume/gpu_ray_caster.h"

namespace gantry {
namespace {

using test::meanDifference;

using Reduced = std::shared_ptr<const ReducedVolume>;

Reduced reducedOf(const VolumeGrid& grid, std::span<const float> voxels) {
    const Index max = *std::max_element(grid.voxels.begin(), grid.voxels.end());
    return std::make_shared<const ReducedVolume>(reducedVolume(grid, voxels, max));
}

Reduced boxOf(const test::Head& head, const VoxelBox& box) {
    std::vector<float> voxels;
    for (Index z = box.z.begin; z < box.z.end; ++z)
        for (Index y = box.y.begin; y < box.y.end; ++y)
            for (Index x = box.x.begin; x < box.x.end; ++x)
                voxels.push_back(head.voxels[static_cast<std::size_t>(
                    (z * head.grid.voxels[1] + y) * head.grid.voxels[0] + x)]);
    return reducedOf(gridOf(head.grid, box), voxels);
}

// Two boxes of the same voxels, one in the other, off the centre.
std::vector<Reduced> sameBoxes(const test::Head& head) {
    return {boxOf(head, {{6, 38}, {11, 41}, {9, 36}}), boxOf(head, {{10, 27}, {17, 31}, {15, 30}})};
}

std::vector<RayCastRequest> looks(const test::Head& head) {
    RayCastRequest plain;
    plain.camera.radiusMm = 60;
    plain.camera.azimuthDeg = -35;
    plain.camera.elevationDeg = 20;
    plain.size = {120, 90};
    plain.window = head.window;
    plain.transfer = windowTransfer(head.window);
    // Thin matter shows what is drawn twice, or not at all, or in the wrong order.
    RayCastRequest thin = plain;
    thin.transfer.points = {{0.002, 0, qRgb(255, 0, 0)},
                            {0.004, 0.05, qRgb(255, 0, 0)},
                            {0.008, 0.05, qRgb(0, 0, 255)},
                            {0.012, 0.1, qRgb(0, 255, 0)}};
    RayCastRequest below = thin;
    below.camera.elevationDeg = -70;
    below.camera.azimuthDeg = 200;
    RayCastRequest within = thin;
    within.camera.zoom = 12;
    RayCastRequest maximum = plain;
    maximum.isMaximum = true;
    RayCastRequest byGradient = plain;
    byGradient.transfer.isByGradient = true;
    RayCastRequest clipped = thin;
    clipped.clips = {{{0, 0, 10}, {0, 0, -1}}, {{5, -5, 0}, {1, 2, 0}}};
    return {plain, thin, below, within, maximum, byGradient, clipped};
}

// Steps begin anew at each box's face, which changes a picture by a level or two.
constexpr double kSteps = 2.5;

TEST(NestedBoxes, OfTheSameVoxelsDoNotShowByTheProcessor) {
    const test::Head head(48);
    const CpuRayCaster whole(*reducedOf(head.grid, head.voxels));
    CpuRayCaster::Boxes boxes;
    for (const Reduced& box : sameBoxes(head))
        boxes.push_back(std::make_shared<const CpuRayCaster>(*box));
    std::vector<RayCastRequest> requests = looks(head);
    requests.push_back(requests.front());
    requests.back().isCutOpen = true;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const QImage plain = whole.cast(requests[i], {});
        EXPECT_GT(test::colourCount(plain), 20) << i;
        EXPECT_LT(meanDifference(plain, whole.cast(requests[i], {}, boxes)), kSteps) << i;
    }
}

TEST(NestedBoxes, OfTheSameVoxelsDoNotShowByTheGpu) {
    const test::Head head(48);
    GpuRayCaster gpu;
    ASSERT_EQ(gpu.problem(), QString());
    EXPECT_FALSE(gpu.takeBox(sameBoxes(head)));  // no volume yet
    gpu.setVolume(reducedOf(head.grid, head.voxels));
    const std::vector<RayCastRequest> requests = looks(head);
    std::vector<QImage> plain;
    for (const RayCastRequest& request : requests)
        plain.push_back(gpu.cast(request));
    const std::vector<Reduced> boxes = sameBoxes(head);
    EXPECT_TRUE(gpu.takeBox(boxes));
    EXPECT_TRUE(gpu.takeBox(boxes));
    EXPECT_FALSE(gpu.takeBox(boxes));
    for (std::size_t i = 0; i < requests.size(); ++i) {
        EXPECT_GT(test::colourCount(plain[i]), 20) << i;
        EXPECT_LT(meanDifference(plain[i], gpu.cast(requests[i])), kSteps) << i;
    }
    // Without them it is as it was.
    EXPECT_FALSE(gpu.takeBox({}));
    EXPECT_LT(meanDifference(plain[1], gpu.cast(requests[1])), 0.1);
}

// A bead of a few fine voxels, of which the coarse ones have no trace.
TEST(NestedBoxes, ShowWhatCoarserVoxelsDoNot) {
    const VolumeGrid coarse{{20, 20, 20}, {5, 5, 5}, {0, 0, 0}};
    const VolumeGrid fine{{41, 41, 41}, {0.5, 0.5, 0.5}, {12, -8, 6}};
    const std::vector<float> nothing(static_cast<std::size_t>(coarse.count()), 0.0F);
    std::vector<float> bead(static_cast<std::size_t>(fine.count()), 0.0F);
    for (Index z = 18; z < 23; ++z)
        for (Index y = 18; y < 23; ++y)
            for (Index x = 18; x < 23; ++x)
                bead[static_cast<std::size_t>((z * 41 + y) * 41 + x)] = 0.05F;
    RayCastRequest request;
    request.camera.radiusMm = 60;
    request.camera.azimuthDeg = 30;
    request.camera.elevationDeg = 20;
    request.size = {240, 180};
    request.window = {0, 0.05};
    request.transfer = windowTransfer(request.window);
    const QPoint at = request.camera.viewPoint({12, -8, 6}, request.size).toPoint();
    const CpuRayCaster whole(*reducedOf(coarse, nothing));
    const Reduced box = reducedOf(fine, bead);
    GpuRayCaster gpu;
    ASSERT_EQ(gpu.problem(), QString());
    gpu.setVolume(reducedOf(coarse, nothing));
    for (const bool isMaximum : {false, true}) {
        request.isMaximum = isMaximum;
        EXPECT_EQ(qAlpha(whole.cast(request, {}).pixel(at)), 0);
        EXPECT_EQ(qAlpha(gpu.cast(request).pixel(at)), 0);
    }
    while (gpu.takeBox({box})) {
    }
    const auto finer = std::make_shared<const CpuRayCaster>(*box);
    for (const bool isMaximum : {false, true}) {
        request.isMaximum = isMaximum;
        for (const QImage& image : {whole.cast(request, {}, {finer}), gpu.cast(request)}) {
            EXPECT_GT(qAlpha(image.pixel(at)), 60) << isMaximum;
            EXPECT_EQ(qAlpha(image.pixel(at + QPoint(40, 0))), 0) << isMaximum;
        }
    }
}

}  // namespace
}  // namespace gantry
