#include <gtest/gtest.h>

#include <QDockWidget>
#include <QPushButton>
#include <cstdlib>

#include "tests/ui/desktop/desk.h"
#include "ui/models/image/matter_window.h"
#include "ui/panels/geometry/geometry_panel.h"

namespace gantry {
namespace {

// Takes the manual's pictures anew: build/<preset>/screenshots/manual-*-dark.png, to be copied to
// resources/help/pictures. The scan's path is seen in them, so that it is made in a folder that is
// named by hand and does not look like a test's: GANTRY_MANUAL_SCANS=/scans.
TEST(ManualPictures, AreTaken) {
    const char* folder = std::getenv("GANTRY_MANUAL_SCANS");
    if (!folder) GTEST_SKIP() << "takes pictures only where GANTRY_MANUAL_SCANS names a folder";
    SimulationSpec spec = test::smallScan(90, 256, 256, 409.6);
    spec.name = "head";
    const std::filesystem::path scan = std::filesystem::path(folder) / "head";
    (void)test::simulated(spec, scan);
    test::Desk desk;
    desk.openScan(scan);
    auto& reconstruct = desk.part<QPushButton>("reconstruct");
    ASSERT_TRUE(test::waitUntil([&] { return reconstruct.isEnabled(); }));
    QTest::mouseClick(&reconstruct, Qt::LeftButton);
    VolumeDocument& document = desk.workspace().volume();
    ASSERT_TRUE(test::waitUntil([&] { return document.volume() != nullptr; }, 300));
    document.setWindow(matterWindow(document.volume()->voxels.span()));
    test::pass(3000);
    test::screenshots(desk.window(), "manual-desktop");
    GeometryPanel panel(desk.workspace());
    test::show(panel, {424, 860});
    panel.findChild<QWidget*>("schematic")->setFocus();
    test::pass(1000);
    test::screenshots(panel, "manual-desktop-geometry");
}

}  // namespace
}  // namespace gantry
