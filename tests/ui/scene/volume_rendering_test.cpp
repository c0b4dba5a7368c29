#include "ui/scene/volume/volume_rendering.h"

#include <gtest/gtest.h>

#include <QTest>
#include <cmath>

#include "tests/ui/scene/scene_fixtures.h"
#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

using test::waitUntil;

class VolumeRenderingTest : public testing::Test {
  protected:
    VolumeRenderingTest() { test::show(view, {320, 260}); }
    void showHead() {
        view.setVolume(head->grid, head, head->voxels);
        view.setWindow(head->window);
        ASSERT_TRUE(isFinished());
    }
    bool isFinished() {
        return waitUntil([&] { return view.isFinished(); });
    }
    QImage picture() { return view.grab().toImage(); }

    std::shared_ptr<test::Head> head = std::make_shared<test::Head>(48);
    VolumeRendering view;
};

TEST_F(VolumeRenderingTest, AHeadIsNeitherBlankNorOfOneColour) {
    showHead();
    EXPECT_GT(test::colourCount(picture()), 100);
}

TEST_F(VolumeRenderingTest, ALongCaptionLeavesThePictureFreeAndIsWholeInAToolTip) {
    showHead();
    const QImage without = picture();
    const QString text = "a_long_name_that_somebody_has_given_to_a_volume.mha of a_scan_with_one";
    view.setCaption(text, false);
    const QRect covered = test::changedArea(without, picture());
    test::screenshots(view, "volume-long-caption");
    EXPECT_GT(covered.width(), 60);
    EXPECT_LE(covered.right(), view.width() / 3 + 2 * kSpacing);
    EXPECT_TRUE(test::toolTipAt(view, covered.center()).contains(text));
    EXPECT_EQ(test::toolTipAt(view, view.rect().center()), QString());
}

TEST_F(VolumeRenderingTest, WithoutAVolumeThereIsASentence) {
    const QImage sentence = picture();
    EXPECT_GT(test::colourCount(sentence), 2);
    EXPECT_FALSE(view.isFinished());
    showHead();
    EXPECT_NE(picture(), sentence);
    view.clear();
    EXPECT_FALSE(view.isFinished());
    EXPECT_EQ(picture(), sentence);
}

TEST_F(VolumeRenderingTest, TurnsZoomsAndComesBack) {
    showHead();
    const QImage before = picture();
    test::drag(view, {100, 100}, {180, 130});
    ASSERT_TRUE(isFinished());
    EXPECT_GT(test::difference(picture(), before), 0.05);
    test::wheel(view, {150, 130}, 2);
    QTest::keyClick(&view, Qt::Key_0);
    test::pass(200);
    ASSERT_TRUE(isFinished());
    EXPECT_EQ(picture(), before);
}

TEST_F(VolumeRenderingTest, RightDragChangesTheWindow) {
    showHead();
    const QImage before = picture();
    std::vector<GreyWindow> windows;
    QObject::connect(&view, &VolumeRendering::windowEdited, &view,
                     [&](const GreyWindow& window) { windows.push_back(window); });
    test::drag(view, {100, 100}, {180, 100}, Qt::RightButton);
    ASSERT_FALSE(windows.empty());
    EXPECT_GT(windows.back().width(), head->window.width());
    ASSERT_TRUE(isFinished());
    EXPECT_GT(test::difference(picture(), before), 0.05);
}

TEST_F(VolumeRenderingTest, TheMaximumIsAnotherMode) {
    showHead();
    const QImage before = picture();
    view.setMode(VolumeRendering::Mode::maximum);
    ASSERT_TRUE(isFinished());
    EXPECT_GT(test::difference(picture(), before), 0.05);
    view.setMode(VolumeRendering::Mode::shaded);
    ASSERT_TRUE(isFinished());
    EXPECT_EQ(picture(), before);
}

TEST_F(VolumeRenderingTest, TheVolumeIsKeptAliveAsLongAsItIsNeeded) {
    const std::weak_ptr<test::Head> watched = head;
    view.setVolume(head->grid, head, head->voxels);
    head.reset();
    ASSERT_TRUE(isFinished());
    EXPECT_FALSE(watched.expired());
    view.clear();
    EXPECT_TRUE(waitUntil([&] { return watched.expired(); }));
}

TEST_F(VolumeRenderingTest, OddVolumesAreSurvived) {
    const VolumeGrid grid{{6, 5, 4}, {1, 1, 1}, {0, 0, 0}};
    for (const float value : {0.0F, 0.02F, std::nanf(""), INFINITY}) {
        const auto voxels =
            std::make_shared<std::vector<float>>(static_cast<std::size_t>(grid.count()), value);
        view.setVolume(grid, voxels, *voxels);
        EXPECT_TRUE(isFinished()) << value;
    }
    const std::vector<float> few(3);
    view.setVolume(grid, nullptr, few);  // fewer than the grid has
    test::pass(20);
    view.setVolume({}, nullptr, {});
    test::pass(20);
    EXPECT_FALSE(view.isFinished());
}

TEST_F(VolumeRenderingTest, MayGoWhileItIsAtWork) {
    for (const int ms : {0, 5, 40}) {
        auto other = std::make_unique<VolumeRendering>();
        other->setVolume(head->grid, head, head->voxels);
        other->setWindow(head->window);
        other->resize(600, 500);
        other->show();
        test::pass(ms);
    }
}

}  // namespace
}  // namespace gantry
