// The card's thread, with OpenGL drawn by software.
#include "ui/scene/volume/gpu_thread.h"

#include <gtest/gtest.h>

#include <QThread>
#include <future>
#include <thread>

#include "core/base/error.h"
#include "tests/ui/scene/scene_fixtures.h"
#include "tests/ui/support/ui_test.h"
#include "ui/scene/volume/volume_rendering.h"

namespace gantry {
namespace {

using test::meanDifference;
using test::requestFor;
using test::waitUntil;

std::shared_ptr<const ReducedVolume> reducedHead(const test::Head& head) {
    return std::make_shared<const ReducedVolume>(reducedVolume(head.grid, head.voxels, 64));
}

// Rays begin at places of their own within a step, by which pictures of strips differ a little.
constexpr double kByJitter = 0.5;
constexpr double kShortStep = 0.1;

TEST(GpuRayCaster, StripsAreTheWholePicture) {
    const test::Head head(48);
    GpuRayCaster gpu;
    ASSERT_EQ(gpu.problem(), QString());
    EXPECT_TRUE(gpu.castInStrips(requestFor(head), {}).isNull());  // no volume yet
    gpu.setVolume(reducedHead(head));
    RayCastRequest request = requestFor(head);
    request.stepVoxels = kShortStep;
    for (const bool isMaximum : {false, true}) {
        request.isMaximum = isMaximum;
        const QImage whole = gpu.cast(request);
        const QImage strips = gpu.castInStrips(request, {});
        ASSERT_EQ(strips.size(), request.size);
        EXPECT_GT(test::colourCount(strips), 50);
        EXPECT_LT(meanDifference(whole, strips), kByJitter) << isMaximum;
        // It takes no more than a row's shift to be far from that.
        EXPECT_GT(meanDifference(whole.copy(0, 0, 157, 122), strips.copy(0, 1, 157, 122)),
                  2 * kByJitter)
            << isMaximum;
    }
    std::stop_source stop;
    stop.request_stop();
    EXPECT_TRUE(gpu.castInStrips(request, stop.get_token()).isNull());
    EXPECT_EQ(gpu.problem(), QString());
}

// A picture's fineness is set without VTK's knowledge; it is that of a caster that begins with it.
TEST(GpuRayCaster, CoarsePicturesAreThoseOfACasterOfTheirOwn) {
    const test::Head head(48);
    GpuRayCaster gpu;
    ASSERT_EQ(gpu.problem(), QString());
    gpu.setVolume(reducedHead(head));
    RayCastRequest request = requestFor(head);
    const QImage fine = gpu.cast(request);
    RayCastRequest coarse = request;
    coarse.stepVoxels = 2;
    coarse.pixelsPerRay = 3;
    GpuRayCaster other;
    other.setVolume(reducedHead(head));
    EXPECT_LT(meanDifference(gpu.cast(coarse), other.cast(coarse)), 0.05);
    EXPECT_LT(meanDifference(gpu.cast(request), fine), 0.05);
    EXPECT_GT(meanDifference(gpu.cast(coarse), fine), 0.1);
}

TEST(GpuThread, CastsApartFromTheGuiThread) {
    const test::Head head(32);
    GpuRayCaster here;
    ASSERT_EQ(here.problem(), QString());
    here.setVolume(reducedHead(head));
    GpuThread gpu;
    ASSERT_EQ(gpu.problem(), QString());
    std::promise<std::pair<QImage, QThread*>> made;
    gpu.post([&](GpuRayCaster& caster) { caster.setVolume(reducedHead(head)); });
    gpu.post([&](GpuRayCaster& caster) {
        made.set_value({caster.cast(requestFor(head)), QThread::currentThread()});
    });
    const auto [picture, thread] = made.get_future().get();
    EXPECT_NE(thread, QThread::currentThread());
    EXPECT_LT(meanDifference(picture, here.cast(requestFor(head))), 0.05);
}

TEST(GpuThread, OtherThreadsWaitForAPictureAndAreSentAwayWhenItGoes) {
    const test::Head head(32);
    auto gpu = std::make_unique<GpuThread>();
    ASSERT_EQ(gpu->problem(), QString());
    gpu->post([&](GpuRayCaster& caster) { caster.setVolume(reducedHead(head)); });
    const GpuThread::Cast cast = gpu->waitingCast();
    const auto castElsewhere = [&] {
        return std::async(std::launch::async, [&] { return cast(requestFor(head), {}); });
    };
    EXPECT_GT(test::colourCount(castElsewhere().get()), 50);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(static_cast<void>(cast(requestFor(head), stop.get_token())), Cancelled);
    auto last = castElsewhere();
    gpu.reset();
    try {
        EXPECT_FALSE(last.get().isNull());  // it was quicker
    } catch (const Cancelled&) {
    }
    EXPECT_THROW(castElsewhere().get(), Cancelled);
}

// The view as with a card, whose pictures are slow.
class GpuPicturesTest : public testing::Test {
  protected:
    GpuPicturesTest() {
        view.setSoftwareEnough(true);
        test::show(view, {320, 260});
        view.setVolume(head->grid, head, head->voxels);
        view.setWindow(head->window);
    }
    bool isFinished() {
        return waitUntil([&] { return view.isFinished(); });
    }

    std::shared_ptr<test::Head> head = std::make_shared<test::Head>(96);
    VolumeRendering view;
};

TEST_F(GpuPicturesTest, TurnCoarselyAndRestFinely) {
    ASSERT_TRUE(isFinished());
    ASSERT_TRUE(view.shownVoxels());
    EXPECT_TRUE(view.shownVoxels()->isOnGpu);
    const QImage before = view.grab().toImage();
    EXPECT_GT(test::colourCount(before), 100);
    int pictures = 0;
    QObject::connect(&view, &VolumeRendering::rendered, &view, [&] { ++pictures; });
    test::drag(view, {100, 100}, {180, 130});
    ASSERT_TRUE(isFinished());
    EXPECT_GT(test::difference(view.grab().toImage(), before), 0.05);
    EXPECT_GT(pictures, 0);
    view.resetCamera();
    ASSERT_TRUE(isFinished());
    EXPECT_LT(meanDifference(view.grab().toImage(), before), 1.5);  // as strips are
}

TEST_F(GpuPicturesTest, AreOfTheGpuWhereTheyAreSaved) {
    ASSERT_TRUE(isFinished());
    const auto source = view.pictureSource();
    ASSERT_TRUE(source);
    auto cast = std::async(std::launch::async, [&] { return source->cast(source->request, {}); });
    EXPECT_GT(test::colourCount(cast.get()), 100);
}

TEST_F(GpuPicturesTest, MayGoAndComeWhileTheyAreMade) {
    view.setCutOpen(true);
    test::pass(5);
    view.setCutOpen(false);
    test::pass(5);
    view.clear();
    test::pass(20);
    EXPECT_FALSE(view.isFinished());
    view.setVolume(head->grid, head, head->voxels);
    ASSERT_TRUE(isFinished());
    for (const int ms : {0, 5, 40}) {
        auto other = std::make_unique<VolumeRendering>();
        other->setSoftwareEnough(true);
        other->setVolume(head->grid, head, head->voxels);
        other->resize(300, 200);
        other->show();
        test::pass(ms);
    }
}

}  // namespace
}  // namespace gantry
