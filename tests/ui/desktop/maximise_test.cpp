// A double click maximises every view of the window, does nothing else, and again restores.
#include <gtest/gtest.h>

#include <QSettings>

#include "tests/ui/desktop/desk.h"
#include "ui/scene/schematic/schematic_view.h"
#include "ui/scene/volume/volume_rendering.h"
#include "ui/widgets/image/image_view.h"

namespace gantry {
namespace {

using test::Desk;
using test::doubleClick;
using test::waitUntil;

Index areaOf(const QWidget& view) {
    return view.isVisible() ? Index{view.width()} * view.height() : 0;
}

// Twice, beside the middle and the handles.
void expectMaximised(QWidget& view) {
    const QRect before(view.mapTo(view.window(), QPoint(0, 0)), view.size());
    const Index small = areaOf(view);
    doubleClick(view, {view.width() / 3, view.height() / 4});
    EXPECT_GT(areaOf(view), small) << view.objectName().toStdString();
    doubleClick(view, {view.width() / 3, view.height() / 4});
    EXPECT_EQ(QRect(view.mapTo(view.window(), QPoint(0, 0)), view.size()), before)
        << view.objectName().toStdString();
}

class Maximise : public testing::Test {
  protected:
    Maximise() {
        QSettings().clear();
        desk = std::make_unique<Desk>();
    }
    void openVolume() {
        const auto scan = desk->makeScan(16, 24) / "scan.json";
        const JobSpec spec = test::jobOf(readScanFile(scan), 16, desk->folder() / "volume.mha");
        (void)test::run(spec);
        desk->drop(spec.output.path);
        ASSERT_TRUE(waitUntil([&] { return desk->workspace().volume().volume() != nullptr; }));
        test::pass(200);
    }
    std::unique_ptr<Desk> desk;
};

TEST_F(Maximise, TheProjectionsAndNothingElse) {
    desk->openScan(desk->makeScan());
    auto& filtered = desk->part<ImageView>("filteredView");
    ASSERT_TRUE(waitUntil([&] { return !filtered.image().isEmpty(); }));
    const Index row = desk->workspace().selection().row();
    for (const char* name : {"rawView", "correctedView", "filteredView"})
        expectMaximised(desk->part<ImageView>(name));
    EXPECT_EQ(desk->workspace().selection().row(), row);
    EXPECT_EQ(desk->workspace().selection().view(), 0);
}

TEST_F(Maximise, TheSlicesAndNothingElse) {
    openVolume();
    const auto cornerOf = [&](const char* name) { return desk->part<ImageView>(name).corner(); };
    const QString corner = cornerOf("sagittalView");
    for (const char* name : {"axialView", "coronalView", "sagittalView"})
        expectMaximised(desk->part<ImageView>(name));
    EXPECT_EQ(cornerOf("sagittalView"), corner) << "the cross-hair has moved";
}

TEST_F(Maximise, TheRenderingAndNothingElse) {
    openVolume();
    desk->window().showTab(MainWindow::Tab::volume);
    auto& rendering = desk->part<VolumeRendering>("volumeRendering");
    ASSERT_TRUE(waitUntil([&] { return rendering.isFinished(); }));
    test::drag(rendering, {100, 100}, {180, 130});
    const OrbitCamera turned = rendering.camera();
    expectMaximised(rendering);
    EXPECT_EQ(rendering.camera(), turned);
}

TEST_F(Maximise, TheDrawingOfTheScannerTakesTheMiddleOfTheWindow) {
    desk->openScan(desk->makeScan());
    auto& schematic = desk->part<SchematicView>("schematic");
    ASSERT_TRUE(waitUntil([&] { return schematic.lastDrawingMs() > 0; }));
    const auto offset = desk->workspace().scan().geometry().detector.offsetMm;
    const Index small = areaOf(schematic);
    doubleClick(schematic, {20, schematic.height() - 40});
    EXPECT_GT(areaOf(schematic), 3 * small);
    test::screenshots(desk->window(), "window-maximised");
    // Another tab wants the middle: the drawing goes back.
    desk->window().showTab(MainWindow::Tab::projections);
    test::pass(50);
    EXPECT_EQ(areaOf(schematic), small);
    expectMaximised(schematic);
    EXPECT_EQ(desk->workspace().scan().geometry().detector.offsetMm, offset);
}

}  // namespace
}  // namespace gantry
