// A file with several scans: the window asks which one is meant.
#include <gtest/gtest.h>

#include <QInputDialog>
#include <QListView>

#include "tests/support/level_frames.h"
#include "tests/ui/desktop/desk.h"

namespace gantry {
namespace {

using test::Desk;
using test::waitUntil;

TEST(SeveralScans, OfAFileAreAskedFor) {
    Desk desk;
    const std::filesystem::path path = desk.folder() / "night's shift.h5";
    {
        test::Hdf5Writer file(path);
        test::writeNxFrames(file, {5, 900, 300, 310}, {2, 1, 0, 0});
        file.text("/entry2/definition", "NXtomo");
        test::writeFrames(file, "/entry2/instrument/detector/data", {410, 420, 430});
        file.numbers("/entry2/sample/rotation_angle", {0, 60, 120}, "deg");
    }
    desk.drop(path);
    const auto dialog = [&] { return desk.window().findChild<QInputDialog*>("entryDialog"); };
    ASSERT_TRUE(waitUntil([&] { return dialog() && dialog()->isVisible(); }));
    EXPECT_FALSE(desk.workspace().scan().hasScan());
    EXPECT_EQ(dialog()->textValue(), "/entry");
    EXPECT_EQ(dialog()->labelText(), "night's shift.h5 holds 2 scans. Which one is to be opened?");
    test::screenshots(desk.window(), "several-scans");
    QTest::keyClick(dialog()->findChild<QListView*>(), Qt::Key_Down);
    QTest::keyClick(dialog(), Qt::Key_Return);
    ASSERT_TRUE(waitUntil([&] { return desk.workspace().scan().openScan() != nullptr; }));
    EXPECT_EQ(desk.workspace().scan().openScan()->stored.views, 3);
    const ScanFile& scan = desk.workspace().scan().request().job.scan;
    EXPECT_EQ(scan.projections.entry, "/entry2");
}

}  // namespace
}  // namespace gantry
