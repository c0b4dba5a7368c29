// The fields of a scan's image files, in the geometry's form.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QLineEdit>
#include <QTest>
#include <algorithm>
#include <string>

#include "tests/ui/panels/geometry_fixture.h"

namespace gantry::test {
namespace {

TEST_F(GeometryPanelTest, DarkAndFlatFieldsAreAskedForCountsOnly) {
    open();
    EXPECT_FALSE(editor("projections.dark").isHidden());
    EXPECT_EQ(edit("projections.dark").text(), "dark/*.tif");
    EXPECT_TRUE(editor("projections.flatValue").isHidden());
    auto* kind = editor("projections.kind").findChild<QComboBox*>();
    m_panel.focusField("projections.kind");
    QTest::keyClick(kind, Qt::Key_Down);
    EXPECT_EQ(m_scan.request().job.scan.projections.kind, ProjectionKind::attenuation);
    EXPECT_TRUE(editor("projections.dark").isHidden());
}

TEST_F(GeometryPanelTest, FramesFromAfterTheScanAreGivenAndTakenAway) {
    open();
    const auto files = [&]() -> const ProjectionFiles& {
        return m_scan.request().job.scan.projections;
    };
    EXPECT_FALSE(editor("projections.flatAfter").isHidden());
    EXPECT_TRUE(edit("projections.flatAfter").text().isEmpty());
    EXPECT_EQ(edit("projections.darkAfter").placeholderText(), "none");
    enter("projections.flatAfter", "flat/*.tif");
    enter("projections.darkAfter", "nowhere/*.tif");
    EXPECT_EQ(files().flatAfter, "flat/*.tif");
    EXPECT_EQ(m_scan.undoStack().undoText(), "Change dark field from after the scan");
    const auto isMissed = [&] {
        const auto* problem = editor("projections.darkAfter").findChild<QLabel*>("problem");
        return problem && problem->isVisible() && problem->text().contains("nowhere");
    };
    EXPECT_TRUE(waitUntil(isMissed)) << "said beside the field that names the files";
    m_scan.undoStack().undo();
    EXPECT_TRUE(edit("projections.darkAfter").text().isEmpty());
    ASSERT_TRUE(waitUntil([&] { return m_scan.openScan() != nullptr; }));
    // Frames from after the scan alone would be refused.
    m_panel.focusField("projections.flat");
    edit("projections.flat").selectAll();
    QTest::keyClick(&edit("projections.flat"), Qt::Key_Delete);
    QTest::keyClick(&edit("projections.flat"), Qt::Key_Return);
    EXPECT_TRUE(files().flatAfter.empty());
    EXPECT_TRUE(editor("projections.flatAfter").isHidden());
    m_scan.undoStack().undo();
    EXPECT_EQ(edit("projections.flatAfter").text(), "flat/*.tif");
}

TEST_F(GeometryPanelTest, ABeamMonitorOfAnHdf5FileCanBeLeftUnused) {
    open();
    EXPECT_TRUE(editor("projections.ignoreMonitor").isHidden());
    enter("projections.flat", "scan.nxs");
    m_panel.focusField("projections.ignoreMonitor");
    auto* monitor = editor("projections.ignoreMonitor").findChild<QComboBox*>();
    ASSERT_TRUE(monitor->isVisible());
    EXPECT_EQ(monitor->currentText(), "Used");
    QTest::keyClick(monitor, Qt::Key_Down);
    EXPECT_TRUE(m_scan.request().job.scan.projections.ignoresMonitor);
    m_scan.undoStack().undo();
    EXPECT_FALSE(m_scan.request().job.scan.projections.ignoresMonitor);
    EXPECT_EQ(monitor->currentText(), "Used");
}

}  // namespace
}  // namespace gantry::test
