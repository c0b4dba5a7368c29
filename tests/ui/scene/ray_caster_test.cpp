#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "tests/ui/scene/scene_fixtures.h"
#include "ui/scene/volume/cpu_ray_caster.h"
#include "ui/scene/volume/gpu_ray_caster.h"

namespace gantry {
namespace {

using test::colourCount;
using test::requestFor;

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

// The share of pixels whose opacity differs by more than the light and the smoothing of the
// processor's copy make it; the light is not compared.
double differing(const QImage& a, const QImage& b) {
    int count = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x)
            count += std::abs(qAlpha(a.pixel(x, y)) - qAlpha(b.pixel(x, y))) > 80 ? 1 : 0;
    return static_cast<double>(count) / (a.width() * a.height());
}

// Both see the same object in the same place, however it is coloured and clipped.
TEST(RayCaster, GpuAndProcessorAgreeOnWhereTheObjectIs) {
    const test::Head head(24);
    const auto reduced =
        std::make_shared<const ReducedVolume>(reducedVolume(head.grid, head.voxels, 64));
    GpuRayCaster gpu;
    ASSERT_EQ(gpu.problem(), QString());
    EXPECT_TRUE(gpu.cast(requestFor(head)).isNull());  // no volume yet
    gpu.setVolume(reduced);
    const CpuRayCaster here(*reduced);
    RayCastRequest plain = requestFor(head);
    RayCastRequest maximum = plain;
    maximum.isMaximum = true;
    RayCastRequest coloured = plain;
    coloured.transfer.points = {{0.002, 0, qRgb(255, 0, 0)},
                                {0.003, 0.5, qRgb(255, 0, 0)},
                                {0.008, 0.5, qRgb(255, 0, 0)},
                                {0.010, 0, qRgb(255, 0, 0)}};
    RayCastRequest byGradient = coloured;
    byGradient.transfer.isByGradient = true;
    RayCastRequest clipped = plain;
    clipped.clips = {{{0, 0, 10}, {0, 0, -1}}, {{5, -5, 0}, {1, 2, 0}}};
    RayCastRequest clippedMaximum = clipped;
    clippedMaximum.isMaximum = true;
    // A chequered plane in the head's middle, and nothing of the head on one side of it.
    RayCastRequest sliced = plain;
    QImage chequers(2, 2, QImage::Format_RGB32);
    chequers.fill(Qt::red);
    chequers.setPixel(0, 0, qRgb(0, 0, 255));
    sliced.planes = {{{-50, -50, 0}, {100, 0, 0}, {0, 100, 0}, chequers}};
    sliced.clips = {{{0, 0, 0}, {0, 0, -1}}};
    const RayCastRequest requests[] = {sliced,     plain,   maximum,       coloured,
                                       byGradient, clipped, clippedMaximum};
    for (std::size_t i = 0; i < std::size(requests); ++i) {
        const QImage a = gpu.cast(requests[i]);
        const QImage b = here.cast(requests[i], {});
        ASSERT_EQ(a.size(), b.size());
        EXPECT_GT(colourCount(a), 20);
        EXPECT_LT(differing(a, b), 0.04) << i;
        for (const QImage& image : {a, b}) {
            if (requests[i].planes.empty()) continue;
            // Seen from above: the first pixel's row is at large y.
            const auto colourAt = [&](double x, double y) {
                return image.pixel(plain.camera.viewPoint({x, y, 0}, plain.size).toPoint());
            };
            EXPECT_EQ(colourAt(-30, 30), qRgb(0, 0, 255));
            EXPECT_EQ(colourAt(30, 30), qRgb(255, 0, 0));
            EXPECT_EQ(colourAt(-30, -30), qRgb(255, 0, 0));
        }
    }
}

// A head is in a corner of much air.
TEST(GpuRayCaster, EmptySpaceThatIsSkippedDoesNotShow) {
    const test::Head head(40);
    const Index count = 160;
    const Index at = 100;
    const double pitch = head.grid.pitchMm[0];
    VolumeGrid grid{{count, count, count}, head.grid.pitchMm, {}};
    // The head's own voxels stay where they are.
    for (std::size_t axis = 0; axis < 3; ++axis)
        grid.centerMm[axis] = pitch * (count / 2.0 - static_cast<double>(at) - 20);
    std::vector<float> voxels(static_cast<std::size_t>(grid.count()), 0.0F);
    for (Index z = 0; z < 40; ++z)
        for (Index y = 0; y < 40; ++y)
            std::copy_n(head.voxels.data() + (z * 40 + y) * 40, 40,
                        voxels.data() + ((z + at) * count + y + at) * count + at);
    GpuRayCaster gpu;
    gpu.setVolume(std::make_shared<const ReducedVolume>(reducedVolume(grid, voxels, count)));
    RayCastRequest request = requestFor(head, {400, 300});
    const QImage skipped = gpu.cast(request);
    // So little that nothing of it is seen, and enough to be looked for.
    for (TransferPoint& point : request.transfer.points)
        point.opacity = std::max(point.opacity, 1e-9);
    const QImage followed = gpu.cast(request);
    EXPECT_GT(colourCount(skipped), 100);
    // Steps begin elsewhere, which changes a picture by a level or two.
    EXPECT_LT(test::meanDifference(skipped, followed), 2.5);
}

// What a transfer function makes clear is not there; what is there has its colour.
TEST(RayCaster, TheTransferFunctionColoursAndClears) {
    const test::Head head(48);
    const CpuRayCaster caster(reducedVolume(head.grid, head.voxels, 64));
    RayCastRequest request = requestFor(head);
    const QImage plain = caster.cast(request, {});
    request.transfer.points = {{0.003, 0, qRgb(255, 0, 0)}, {0.008, 0.8, qRgb(255, 0, 0)}};
    const QImage red = caster.cast(request, {});
    const QRgb middle = red.pixel(red.rect().center());
    EXPECT_GT(qRed(middle), 100);
    EXPECT_LT(qBlue(middle), qRed(middle) / 2);
    request.transfer.points = {{3, 0, qRgb(255, 0, 0)}, {4, 0.8, qRgb(255, 0, 0)}};
    EXPECT_EQ(meanAlpha(caster.cast(request, {})), 0);
    // Clear below a value, dense above: the same whether a brick's values come from either side.
    request.transfer.points = {{-1, 0.8, qRgb(0, 0, 255)}, {-0.5, 0, qRgb(0, 0, 255)}};
    EXPECT_EQ(meanAlpha(caster.cast(request, {})), 0);
    EXPECT_GT(meanAlpha(plain), 0.1);
}

// By gradient the inside of matter of one attenuation is clear, its surface is not.
TEST(RayCaster, ByGradientOnlySurfacesAreLeft) {
    const VolumeGrid grid{{41, 37, 33}, {1, 1.1, 1.2}, {4, -2, 1}};
    std::vector<float> box(static_cast<std::size_t>(grid.count()), 0.0F);
    for (Index z = 8; z < 25; ++z)
        for (Index y = 8; y < 29; ++y)
            for (Index x = 8; x < 33; ++x)
                box[static_cast<std::size_t>((z * 37 + y) * 41 + x)] = 1;
    const CpuRayCaster caster(reducedVolume(grid, box, 64));
    RayCastRequest request;
    request.camera.focusMm = {4, -2, 1};
    request.camera.radiusMm = 40;
    request.size = {61, 51};
    request.transfer = windowTransfer({0, 1});
    request.transfer.points.back().opacity = 0.05;
    request.transfer.points[2].opacity = 0.02;
    const auto middle = [&] { return qAlpha(caster.cast(request, {}).pixel(30, 25)); };
    const int filled = middle();
    request.transfer.isByGradient = true;
    EXPECT_LT(middle(), filled * 2 / 3);
    EXPECT_GT(middle(), 5);
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

// The core of a ball is seen where the quarter before it is gone, in its grey of the window.
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
    request.transfer = windowTransfer({0, 1});
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
                request.transfer = windowTransfer({1, 1});
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
