#include "ui/panels/geometry/pose_view.h"

#include <gtest/gtest.h>

#include <QAbstractItemModel>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include "core/simulate/jitter.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"
#include "ui/panels/geometry/geometry_panel.h"
#include "ui/panels/shared/scan_field_editor.h"
#include "ui/scene/schematic/schematic_view.h"
#include "ui/widgets/image/profile_plot.h"
#include "ui/workspace/workspace.h"

namespace gantry::test {
namespace {

/// The geometry panel over a real scan of 24 × 16 pixels, with and without poses.
class PoseViewTest : public testing::Test {
  protected:
    void open(bool withPoses) {
        SimulationSpec spec = smallScan();
        if (withPoses) spec.geometry = jittered(spec.geometry, 1, 0.5, 3);
        m_scan.open(toText(makeScan(m_folder / (withPoses ? "posed" : "plain"), spec)));
        ASSERT_TRUE(waitUntil([&] {
            return m_scan.hasScan() && m_scan.inspection() &&
                   (m_scan.geometry().poses() != nullptr) == withPoses;
        }));
        show(m_panel, {420, 1100});
    }
    template <class Widget>
    [[nodiscard]] Widget& child(const char* name) {
        auto* found = m_panel.findChild<Widget*>(name);
        if (!found) throw std::runtime_error(std::string("no widget ") + name);
        return *found;
    }

    TemporaryFolder m_folder;
    test::FakeMachine m_machine;
    Workspace m_workspace{m_machine.machine(), m_machine.program()};
    ScanDocument& m_scan = m_workspace.scan();
    GeometryPanel m_panel{m_workspace};
};

TEST_F(PoseViewTest, IsThereForPosesAlone) {
    open(false);
    EXPECT_FALSE(child<QTableView>("poseTable").isVisible());
    EXPECT_TRUE(child<ScanFieldEditor>("trajectory.sourceToIsocenterMm").isVisible());
    open(true);
    EXPECT_TRUE(child<QTableView>("poseTable").isVisible());
    for (const char* ofCircle : {"trajectory.sourceToIsocenterMm", "trajectory.arcDeg",
                                 "trajectory.views", "trajectory.anglesDeg", "detector.pitchMm[0]"})
        EXPECT_FALSE(child<ScanFieldEditor>(ofCircle).isVisible()) << ofCircle;
    EXPECT_TRUE(child<ScanFieldEditor>("detector.offsetMm[0]").isVisible());
    EXPECT_TRUE(child<QLabel>("meanCircle").text().contains("Sources lie"));
    EXPECT_FALSE(m_scan.hasErrors());
    EXPECT_EQ(child<QTableView>("poseTable").model()->rowCount(),
              static_cast<int>(m_scan.geometry().views()));
}

TEST_F(PoseViewTest, PlotsEveryParameter) {
    open(true);
    auto& parameter = child<QComboBox>("poseParameter");
    for (int i = 0; i < parameter.count(); ++i) {
        parameter.setCurrentIndex(i);
        EXPECT_TRUE(child<ProfilePlot>("posePlot").marks().empty()) << i;
    }
    (void)m_panel.grab();
}

TEST_F(PoseViewTest, EditsANumberUndoablyAndShowsAnOutlier) {
    open(true);
    QAbstractItemModel& model = *child<QTableView>("poseTable").model();
    const CalibratedPoses before = *m_scan.geometry().poses();
    const QModelIndex cell = model.index(5, 5);  // the detector's height in view 5
    EXPECT_FALSE(model.setData(cell, "high", Qt::EditRole));
    ASSERT_TRUE(model.setData(cell, before.poses()[5].detectorCenterMm.z + 60, Qt::EditRole));
    EXPECT_NEAR(m_scan.geometry().poses()->poses()[5].detectorCenterMm.z,
                before.poses()[5].detectorCenterMm.z + 60, 1e-9);
    ASSERT_EQ(child<ProfilePlot>("posePlot").marks().size(), 1U);
    EXPECT_EQ(child<ProfilePlot>("posePlot").marks().front().x, 5);
    EXPECT_TRUE(child<QLabel>("meanCircle").text().contains("view 5 lies farthest"));
    m_scan.undoStack().undo();
    EXPECT_EQ(*m_scan.geometry().poses(), before);
    EXPECT_FALSE(model.flags(model.index(5, 12)) & Qt::ItemIsEditable);
}

TEST_F(PoseViewTest, APoseThatCannotBeIsAProblem) {
    open(true);
    QAbstractItemModel& model = *child<QTableView>("poseTable").model();
    for (const int column : {6, 7, 8})
        model.setData(model.index(2, column), 0.0, Qt::EditRole);
    EXPECT_TRUE(m_scan.hasErrors());
    (void)m_panel.grab();
}

TEST_F(PoseViewTest, TheMeanCircleTakesTheirPlaceUndoably) {
    open(true);
    QTest::mouseClick(&child<QPushButton>("useMeanCircle"), Qt::LeftButton);
    ASSERT_TRUE(m_scan.geometry().isCone());
    EXPECT_FALSE(child<QTableView>("poseTable").isVisible());
    EXPECT_NEAR(m_scan.geometry().cone().sourceToIsocenterMm, 600, 1);
    m_scan.undoStack().undo();
    EXPECT_NE(m_scan.geometry().poses(), nullptr);
    EXPECT_TRUE(child<QTableView>("poseTable").isVisible());
}

}  // namespace
}  // namespace gantry::test
