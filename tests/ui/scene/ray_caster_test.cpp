#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "tests/ui/scene/scene_fixtures.h"
#include "ui/scene/volume/cpu_ray_caster.h"
#include "ui/scene/volume/gpu_ray_caster.h"

namespace gantry {
namespace {

using test::colourCount;

RayCastRequest requestFor(const test::Head& head, QSize size = {120, 90}) {
    RayCastRequest request;
    request.camera.radiusMm = 60;
    request.camera.azimuthDeg = -35;
    request.camera.elevationDeg = 20;
    request.size = size;
    request.window = head.window;
    return request;
}

double meanAlpha(const QImage& image) {
    double sum = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            sum += qAlpha(image.pixel(x, y));
    return sum / 255 / (image.width() * image.height());
}

TEST(RayCaster, AHeadIsNeitherBlankNorOfOneColour) {
    const test::Head head(48);
    const CpuRayCaster caster(reducedVolume(head.grid, head.voxels, 64));
    for (const bool isMaximum : {false, true}) {
        RayCastRequest request = requestFor(head);
        request.isMaximum = isMaximum;
        const QImage image = caster.cast(request, {});
        EXPECT_EQ(image.size(), request.size);
        EXPECT_GT(colourCount(image), 50);
        EXPECT_EQ(image.pixel(1, 1), 0U);  // clear beside the volume
        EXPECT_GT(meanAlpha(image), 0.1);
        EXPECT_LT(meanAlpha(image), 0.7);
    }
}

// Both see the same object in the same place; the light is not compared.
TEST(RayCaster, CardAndProcessorAgreeOnWhereTheObjectIs) {
    const test::Head head(24);
    const auto reduced =
        std::make_shared<const ReducedVolume>(reducedVolume(head.grid, head.voxels, 64));
    GpuRayCaster card;
    ASSERT_EQ(card.problem(), QString());
    EXPECT_TRUE(card.cast(requestFor(head)).isNull());  // no volume yet
    card.setVolume(reduced);
    const CpuRayCaster here(*reduced);
    for (const bool isMaximum : {false, true}) {
        RayCastRequest request = requestFor(head);
        request.isMaximum = isMaximum;
        const QImage a = card.cast(request);
        const QImage b = here.cast(request, {});
        ASSERT_EQ(a.size(), b.size());
        EXPECT_GT(colourCount(a), 20);
        int differing = 0;
        for (int y = 0; y < a.height(); ++y)
            for (int x = 0; x < a.width(); ++x)
                differing += std::abs(qAlpha(a.pixel(x, y)) - qAlpha(b.pixel(x, y))) > 80 ? 1 : 0;
        EXPECT_LT(differing, a.width() * a.height() / 25) << isMaximum;
    }
}

TEST(RayCaster, ACoarsePictureShowsTheSame) {
    const test::Head head(48);
    const CpuRayCaster caster(reducedVolume(head.grid, head.voxels, 64));
    RayCastRequest request = requestFor(head);
    const QImage fine = caster.cast(request, {});
    request.pixelsPerRay = 4;
    request.stepVoxels = 1;
    const QImage coarse = caster.cast(request, {});
    EXPECT_EQ(coarse.size(), fine.size());
    EXPECT_NEAR(meanAlpha(coarse), meanAlpha(fine), 0.05);
}

// Of a ball the core is seen where the quarter before it is gone, in its grey of the window.
TEST(RayCaster, CutOpenTheInsideIsSeenInItsGrey) {
    const VolumeGrid grid{{41, 37, 33}, {1, 1.1, 1.2}, {4, -2, 1}};
    std::vector<float> ball;
    for (Index z = 0; z < 33; ++z)
        for (Index y = 0; y < 37; ++y)
            for (Index x = 0; x < 41; ++x) {
                const double radius = std::hypot(x - 20, y - 18, z - 16) / 15;
                ball.push_back(radius < 0.7 ? 0.4F : radius < 1 ? 1.0F : 0.0F);
            }
    const CpuRayCaster caster(reducedVolume(grid, ball, 64));
    RayCastRequest request;
    request.camera.focusMm = {4, -2, 1};
    request.camera.radiusMm = 40;
    request.camera.azimuthDeg = -40;
    request.camera.elevationDeg = 15;
    request.size = {101, 91};
    request.window = {0, 1};
    const auto greyAt = [&](Vec3 offset) {
        const Vec3 at = request.camera.focusMm + offset;
        const QPoint pixel = request.camera.viewPoint(at, request.size).toPoint();
        const QRgb colour = caster.cast(request, {}).pixel(pixel);
        EXPECT_GE(qAlpha(colour), 250);
        return qRed(colour);
    };
    const int closed = greyAt({-4, 0, 2});
    request.isCutOpen = true;
    for (const Vec3 onTheCut : {Vec3{-4, 0, 2}, Vec3{0, -5, 2}, Vec3{-3, 0, -5}})
        EXPECT_NEAR(greyAt(onTheCut), 0.4 * 255, 6);
    EXPECT_NEAR(greyAt({-12.8, 0, 0}), 255, 40);  // the rim
    EXPECT_GT(std::abs(closed - greyAt({-4, 0, 2})), 30);
}

TEST(RayCaster, OddVolumesAreSurvived) {
    const test::Head head(16);
    const float nan = std::nanf("");
    const VolumeGrid grids[] = {{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}},
                                {{1, 9, 1}, {1, 0.1, 5}, {0, 0, 0}},
                                {{8, 8, 8}, {1, 1, 1}, {0, 0, 0}}};
    for (const VolumeGrid& grid : grids)
        for (const float value : {0.0F, 1.0F, nan}) {
            const std::vector<float> voxels(static_cast<std::size_t>(grid.count()), value);
            const CpuRayCaster caster(reducedVolume(grid, voxels, 64));
            for (const bool isMaximum : {false, true}) {
                RayCastRequest request = requestFor(head, {20, 20});
                request.isMaximum = isMaximum;
                request.isCutOpen = value > 0;
                EXPECT_EQ(caster.cast(request, {}).size(), request.size);
                request.window = {1, 1};  // no width
                EXPECT_FALSE(caster.cast(request, {}).isNull());
                request.camera.zoom = 40;  // the eye inside
                EXPECT_FALSE(caster.cast(request, {}).isNull());
            }
        }
}

TEST(RayCaster, StopsWhenTold) {
    const test::Head head(16);
    const CpuRayCaster caster(reducedVolume(head.grid, head.voxels, 64));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW((void)caster.cast(requestFor(head), stop.get_token()), Cancelled);
}

}  // namespace
}  // namespace gantry
