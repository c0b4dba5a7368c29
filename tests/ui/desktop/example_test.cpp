#include <gtest/gtest.h>

#include <QCheckBox>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QStandardPaths>
#include <QTabWidget>

#include "tests/ui/desktop/desk.h"
#include "ui/desktop/help/guide_bar.h"
#include "ui/scene/volume/volume_rendering.h"

namespace gantry {
namespace {

using test::Desk;
using test::waitUntil;

// Makes it the first start: no example has been made.
void forgetExample() {
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
}

TEST(Example, ShowsRoundFromTheProjectionsToTheVolume) {
    forgetExample();
    Desk desk;
    QTest::mouseClick(&desk.part<QPushButton>("tryExample"), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return desk.workspace().scan().openScan() != nullptr; }));
    auto& guide = desk.part<GuideBar>("guideBar");
    auto& text = desk.part<QLabel>("guideText");
    ASSERT_TRUE(waitUntil([&] { return guide.isVisible(); }));
    EXPECT_EQ(guide.step(), 0);
    test::screenshots(desk.window(), "guide");
    // It goes on by itself when what it says has been done.
    desk.workspace().selection().setView(7);
    EXPECT_EQ(guide.step(), 1);
    Request request = desk.workspace().scan().request();
    request.job.scan.geometry.cone().sourceToDetectorMm += 1;
    desk.workspace().scan().edit(request, "Change source–detector distance");
    EXPECT_EQ(guide.step(), 2);
    EXPECT_TRUE(text.text().contains("Ctrl+R"));
    desk.workspace().scan().undoStack().undo();
    auto& button = desk.part<QPushButton>("reconstruct");
    ASSERT_TRUE(waitUntil([&] { return button.isEnabled(); }));
    QTest::mouseClick(&button, Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return guide.step() == 4; }, 120));
    // In the slices the tissues are told apart, and the head is cut open.
    const auto volume = desk.workspace().volume().volume();
    const GreyWindow window = desk.workspace().volume().window();
    EXPECT_LT(window.width(), volume->window.width() / 5);
    EXPECT_TRUE(desk.part<QCheckBox>("cutOpen").isChecked());
    test::screenshots(desk.window(), "example-slices");
    desk.part<QTabWidget>("tabs").setCurrentIndex(2);
    auto& rendering = desk.part<VolumeRendering>("volumeRendering");
    ASSERT_TRUE(waitUntil([&] { return rendering.isFinished(); }));
    test::screenshots(desk.window(), "example-volume");
    QTest::mouseClick(&desk.part<QPushButton>("guideNext"), Qt::LeftButton);
    EXPECT_FALSE(guide.isVisible());
}

TEST(Example, MakingItCanBeCancelled) {
    forgetExample();
    Desk desk;
    QTest::mouseClick(&desk.part<QPushButton>("tryExample"), Qt::LeftButton);
    auto& cancel = desk.part<QPushButton>("cancelExample");
    ASSERT_TRUE(waitUntil([&] { return cancel.isVisible(); }));
    QTest::mouseClick(&cancel, Qt::LeftButton);
    EXPECT_TRUE(desk.part<QPushButton>("tryExample").isVisible());
    test::pass(300);
    EXPECT_FALSE(desk.workspace().scan().hasScan());
}

}  // namespace
}  // namespace gantry
