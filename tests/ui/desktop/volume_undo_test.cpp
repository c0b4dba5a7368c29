#include <gtest/gtest.h>

#include <QComboBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>

#include "tests/ui/desktop/desk.h"
#include "tests/ui/workspace/small_volume.h"
#include "ui/models/text.h"
#include "ui/panels/slices/slices_panel.h"
#include "ui/panels/volume/volume_panel.h"
#include "ui/widgets/fields/number_field.h"

namespace gantry {
namespace {

using test::waitUntil;

class VolumeUndo : public testing::Test {
  protected:
    VolumeUndo() {
        desk.openScan(desk.makeScan());
        test::writeVolume(
            desk.folder() / "ball.mha", test::smallGrid(20, 18, 16), [](Index x, Index y, Index z) {
                return x > 5 && y > 4 && z > 3 ? 0.02F : 0.001F * static_cast<float>(x);
            });
        desk.workspace().volume().open(toText(desk.folder() / "ball.mha"));
        EXPECT_TRUE(waitUntil([&] { return desk.workspace().volume().volume() != nullptr; }));
        click(tabOf(desk.window().findChild<VolumePanel*>()));
    }
    int tabOf(QWidget* panel) { return tabs().indexOf(panel); }
    QTabWidget& tabs() { return desk.part<QTabWidget>("tabs"); }
    void click(int tab) {
        QTest::mouseClick(tabs().tabBar(), Qt::LeftButton, {},
                          tabs().tabBar()->tabRect(tab).center());
        EXPECT_EQ(tabs().currentIndex(), tab);
    }
    // To whatever has the focus, as the keyboard does.
    void undo() {
        QWidget* focus = QApplication::focusWidget();
        QTest::keyClick(focus ? focus : &desk.window(), Qt::Key_Z, Qt::ControlModifier);
    }
    double distanceMm() { return desk.workspace().scan().geometry().cone().sourceToDetectorMm; }
    void moveDetector() {
        auto* field = desk.part<QWidget>("trajectory.sourceToDetectorMm").findChild<NumberField*>();
        auto* edit = field->findChild<QLineEdit*>();
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, "1500");
        QTest::keyClick(edit, Qt::Key_Return);
        ASSERT_EQ(distanceMm(), 1500);
    }
    QComboBox& material() { return desk.part<QComboBox>("transferPreset"); }
    void chooseMaterial() {
        material().setFocus();
        QTest::keyClick(&material(), Qt::Key_Down);
        ASSERT_EQ(material().currentIndex(), 1);
    }

    test::Desk desk;
};

TEST_F(VolumeUndo, InTheTabItIsTheTabsOwn) {
    moveDetector();
    chooseMaterial();
    undo();
    EXPECT_EQ(material().currentIndex(), 0);
    EXPECT_EQ(distanceMm(), 1500);
}

TEST_F(VolumeUndo, InAnotherTabItIsTheScansAndTheLookStays) {
    const double before = distanceMm();
    moveDetector();
    chooseMaterial();
    click(0);
    undo();
    EXPECT_EQ(distanceMm(), before);
    EXPECT_EQ(material().currentIndex(), 1);
}

TEST_F(VolumeUndo, AVolumeInAFolderIsComparedToo) {
    test::writeVolume(desk.folder() / "other.ome.zarr", test::smallGrid(20, 18, 16),
                      [](Index, Index, Index) { return 0.01F; });
    desk.window().chooseComparisonFolder();
    auto* dialog = desk.window().findChild<QFileDialog*>("compareFolderDialog");
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(dialog->fileMode(), QFileDialog::Directory);
    emit dialog->fileSelected(toText(desk.folder() / "other.ome.zarr"));
    dialog->close();
    const ComparisonDocument& comparison = desk.workspace().comparison();
    ASSERT_TRUE(waitUntil([&] { return comparison.figures().has_value(); }));
    EXPECT_EQ(tabs().currentIndex(), tabOf(desk.window().findChild<SlicesPanel*>()));
}

}  // namespace
}  // namespace gantry
