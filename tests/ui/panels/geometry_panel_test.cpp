#include "ui/panels/geometry/geometry_panel.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <limits>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/ui/panels/geometry_fixture.h"
#include "tests/ui/support/compared_pictures.h"
#include "ui/models/text.h"
#include "ui/panels/geometry/geometry_presets.h"
#include "ui/scene/schematic/schematic_view.h"

namespace gantry::test {
namespace {

TEST_F(GeometryPanelTest, ShowsTheScanWithUnitsAndWhatItMeans) {
    open();
    EXPECT_EQ(edit("trajectory.sourceToDetectorMm").text(), "1200");
    EXPECT_EQ(derived("magnification"), "2 ×");
    EXPECT_EQ(derived("voxel"), "8 mm");
    EXPECT_EQ(derived("step"), "20°");
    const auto* columns = editor("detector.columns").findChild<QLabel*>("fixed");
    EXPECT_TRUE(columns->isVisible()) << "the images say how many there are";
    EXPECT_EQ(columns->text(), "24 px");
    ASSERT_TRUE(
        waitUntil([&] { return m_panel.findChild<SchematicView*>()->lastDrawingMs() > 0; }));
    screenshots(m_panel, "geometry-panel");
    m_panel.focusField("projections.badPixels");
    screenshots(m_panel, "geometry-panel-images");
}

TEST_F(GeometryPanelTest, ATypedDistanceChangesTheScanAndCanBeUndone) {
    open();
    enter("trajectory.sourceToDetectorMm", "1500");
    EXPECT_EQ(m_scan.geometry().cone().sourceToDetectorMm, 1500);
    EXPECT_EQ(derived("magnification"), "2.5 ×");
    EXPECT_EQ(m_scan.undoStack().undoText(), "Change source–detector distance");
    m_scan.undoStack().undo();
    EXPECT_EQ(m_scan.geometry().cone().sourceToDetectorMm, 1200);
    EXPECT_EQ(edit("trajectory.sourceToDetectorMm").text(), "1200");
    EXPECT_EQ(derived("magnification"), "2 ×");
}

TEST_F(GeometryPanelTest, TheFocusStaysWhereOneTypesAndTabGoesToTheNextField) {
    open();
    const auto isIn = [](const QLineEdit& edit) { return QApplication::focusWidget() == &edit; };
    QLineEdit& sdd = edit("trajectory.sourceToDetectorMm");
    enter("trajectory.sourceToDetectorMm", "1500");
    EXPECT_TRUE(isIn(sdd));
    // An error below the field moves rows, and not the focus.
    enter("trajectory.sourceToDetectorMm", "400");
    EXPECT_TRUE(m_scan.hasErrors());
    EXPECT_TRUE(isIn(sdd));
    m_scan.undoStack().undo();
    EXPECT_EQ(sdd.text(), "1500");
    EXPECT_TRUE(isIn(sdd));
    m_scan.undoStack().redo();
    EXPECT_TRUE(isIn(sdd));
    m_scan.undoStack().undo();
    type("trajectory.sourceToDetectorMm", "1300");
    QTest::keyClick(&sdd, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_TRUE(isIn(sdd));
    type("trajectory.sourceToDetectorMm", "1300");
    QTest::keyClick(&sdd, Qt::Key_Tab);
    EXPECT_EQ(m_scan.geometry().cone().sourceToDetectorMm, 1300);
    const QWidget* next = QApplication::focusWidget();
    ASSERT_NE(next, nullptr);
    EXPECT_GT(next->mapTo(&m_panel, QPoint()).y(), sdd.mapTo(&m_panel, QPoint()).y());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Backtab, Qt::ShiftModifier);
    EXPECT_TRUE(isIn(sdd));
}

TEST_F(GeometryPanelTest, TheFocusStaysInTheRowOfANumberThatIsUndone) {
    open();
    ScanFieldEditor& row = editor("projections.saturationValue");
    auto& given = *row.findChild<QCheckBox*>();
    m_panel.focusField("projections.saturationValue");
    ASSERT_FALSE(given.isChecked());
    QTest::keyClick(&given, Qt::Key_Space);
    ASSERT_TRUE(given.isChecked());
    QTest::keyClick(&given, Qt::Key_Tab);
    ASSERT_TRUE(edit("projections.saturationValue").hasFocus());
    m_scan.undoStack().undo();
    EXPECT_FALSE(given.isChecked());
    EXPECT_TRUE(row.isAncestorOf(QApplication::focusWidget()));
}

TEST_F(GeometryPanelTest, WhatIsBeingTypedDoesNotGoToAnotherScan) {
    open();
    type("trajectory.sourceToDetectorMm", "1500");
    m_scan.open(toText(makeScan(m_folder / "next")));
    ASSERT_TRUE(
        waitUntil([&] { return m_scan.requestInFile().job.scan.folder == m_folder / "next"; }));
    EXPECT_EQ(edit("trajectory.sourceToDetectorMm").text(), "1200");
    edit("trajectory.sourceToDetectorMm").clearFocus();
    EXPECT_EQ(m_scan.geometry().cone().sourceToDetectorMm, 1200);
}

TEST_F(GeometryPanelTest, ADetectorNearerThanTheObjectIsSaidBesideTheFieldWhileTyping) {
    open();
    type("trajectory.sourceToDetectorMm", "400");
    ScanFieldEditor& sdd = editor("trajectory.sourceToDetectorMm");
    ASSERT_TRUE(waitUntil([&] { return sdd.problem().contains("nearer than the object"); }));
    EXPECT_EQ(m_scan.geometry().cone().sourceToDetectorMm, 1200) << "not applied yet";
    QTest::keyClick(&edit("trajectory.sourceToDetectorMm"), Qt::Key_Escape);
    ASSERT_TRUE(waitUntil([&] { return sdd.problem().isEmpty(); }));
    enter("trajectory.sourceToDetectorMm", "400");
    EXPECT_TRUE(m_scan.hasErrors());
    EXPECT_TRUE(sdd.problem().contains("source–detector 400 mm, source–object 600 mm"));
    EXPECT_EQ(derived("magnification"), "–");
    enter("detector.rollDeg", "70");
    screenshots(m_panel, "geometry-panel-problems");
    m_scan.undoStack().undo();
    m_scan.undoStack().undo();
    EXPECT_TRUE(sdd.problem().isEmpty());
}

TEST_F(GeometryPanelTest, ABeamThatIsPracticallyParallelIsSaid) {
    open();
    auto* note = m_panel.findChild<QLabel*>("beamNote");
    EXPECT_FALSE(note->isVisible());
    enter("trajectory.sourceToDetectorMm", "50001 m");
    enter("trajectory.sourceToIsocenterMm", "50000 m");
    EXPECT_TRUE(note->text().startsWith("The beam is practically parallel"));
    EXPECT_TRUE(note->isVisible());
}

TEST_F(GeometryPanelTest, LinkedPitchesStayEqual) {
    open();
    auto* link = editor("detector.pitchMm[0]").findChild<QToolButton*>("link");
    if (!link) link = editor("detector.pitchMm[1]").findChild<QToolButton*>("link");
    ASSERT_TRUE(link && link->isChecked());
    enter("detector.pitchMm[0]", "15");
    EXPECT_EQ(m_scan.geometry().detector.pitchMm[1], 15);
    enter("detector.pitchMm[1]", "14");
    EXPECT_EQ(m_scan.geometry().detector.pitchMm[0], 14);
    QTest::mouseClick(link, Qt::LeftButton);
    enter("detector.pitchMm[1]", "13");
    EXPECT_EQ(m_scan.geometry().detector.pitchMm[0], 14);
    EXPECT_EQ(m_scan.geometry().detector.pitchMm[1], 13);
}

TEST_F(GeometryPanelTest, TheDirectionTurnsTheArcRound) {
    open();
    m_panel.focusField("trajectory.direction");
    auto* direction = editor("trajectory.direction").findChild<QComboBox*>();
    QTest::keyClick(direction, Qt::Key_Down);
    EXPECT_EQ(m_scan.geometry().cone().arcDeg, -360);
    EXPECT_EQ(edit("trajectory.arcDeg").text(), "360");
}

TEST_F(GeometryPanelTest, ADragOfALabelIsOneStepToUndo) {
    open();
    m_panel.focusField("trajectory.sourceToIsocenterMm");
    QLabel* label = nullptr;
    for (auto* each : m_panel.findChildren<QLabel*>())
        if (each->text() == "Source–object") label = each;
    ASSERT_TRUE(label);
    drag(*label, {5, 10}, {45, 10});
    EXPECT_EQ(m_scan.geometry().cone().sourceToIsocenterMm, 640);
    EXPECT_EQ(m_scan.undoStack().count(), 1);
    drag(*label, {5, 10}, {15, 10});
    EXPECT_EQ(m_scan.undoStack().count(), 2);
    m_scan.undoStack().undo();
    EXPECT_EQ(m_scan.geometry().cone().sourceToIsocenterMm, 640);
}

TEST_F(GeometryPanelTest, ResetTakesAllEditsBackAndCanBeUndone) {
    open();
    auto* reset = m_panel.findChild<QToolButton*>("resetToFile");
    EXPECT_FALSE(reset->isEnabled());
    enter("trajectory.sourceToDetectorMm", "1500");
    enter("detector.rollDeg", "1");
    QTest::mouseClick(reset, Qt::LeftButton);
    EXPECT_EQ(m_scan.geometry(), m_scan.requestInFile().job.scan.geometry);
    EXPECT_FALSE(reset->isEnabled());
    m_scan.undoStack().undo();
    EXPECT_EQ(m_scan.geometry().detector.rollDeg, 1);
}

TEST_F(GeometryPanelTest, TheAxisIsGivenInPixelsAsWell) {
    open();
    // 24 columns of 16 mm: the middle is column 11.5, and an offset moves the axis the other way.
    enter("detector.offsetMm[0]", "10.25 px");
    EXPECT_DOUBLE_EQ(m_scan.geometry().detector.offsetMm[0], 1.25 * 16);
    EXPECT_EQ(edit("detector.axisColumn").text(), "10.25");
    enter("detector.offsetMm[0]", "-2.5 px off");
    EXPECT_DOUBLE_EQ(m_scan.geometry().detector.offsetMm[0], -40);
    EXPECT_EQ(edit("detector.axisColumn").text(), "14");
    enter("detector.axisColumn", "12");
    EXPECT_DOUBLE_EQ(m_scan.geometry().detector.offsetMm[0], -8);
    EXPECT_EQ(edit("detector.offsetMm[0]").text(), "-8");
    enter("detector.axisColumn", "1 px off");
    EXPECT_DOUBLE_EQ(m_scan.geometry().detector.offsetMm[0], 16);
    enter("detector.offsetMm[0]", "3");
    EXPECT_DOUBLE_EQ(m_scan.geometry().detector.offsetMm[0], 3) << "a bare number is in mm";
    for (const char* text : {"1", "10.5 p", "10.5 px o"}) {
        type("detector.offsetMm[0]", text);
        EXPECT_EQ(editor("detector.offsetMm[0]").problem(), "") << text;
        QTest::keyClick(&edit("detector.offsetMm[0]"), Qt::Key_Escape);
    }
    enter("detector.axisColumn", "40");
    EXPECT_TRUE(editor("detector.offsetMm[0]")
                    .problem()
                    .startsWith("The rotation axis falls outside the detector"));
    screenshots(m_panel, "geometry-panel-axis");
}

TEST_F(GeometryPanelTest, PresetsAreCompleteAndSound) {
    open();
    const std::vector<GeometryPreset> presets = geometryPresets();
    ASSERT_GE(presets.size(), 6U);
    for (const GeometryPreset& preset : presets) {
        SCOPED_TRACE(preset.name.toStdString());
        EXPECT_GT(preset.sentence.size(), 40);
        choose("presetsMenu", preset.name);
        EXPECT_TRUE(m_scan.problems().empty()) << m_scan.problems().front().message;
        EXPECT_EQ(m_scan.undoStack().undoText(), "Preset: " + preset.name);
    }
    EXPECT_EQ(m_scan.geometry().detector.columns, 24) << "the images' own size stays";
    m_scan.undoStack().setIndex(0);
    EXPECT_EQ(m_scan.geometry().cone().sourceToDetectorMm, 1200);
}

TEST(GeometryPreset, AMisspeltFieldIsRefused) {
    EXPECT_THROW(
        (void)parsePreset(R"({"gantryPreset": 1, "name": "x", "fields": {"sod": 1}})", "x"),
        InputError);
    EXPECT_THROW((void)parsePreset("{", "x"), InputError);
}

TEST_F(GeometryPanelTest, AnglesComeFromATextFileAndGoAgain) {
    open();
    const auto file = m_folder / "angles.txt";
    std::string text = "# logged\n";
    for (int s = 0; s < 18; ++s)
        text += std::to_string(20 * s + 5) + "\n";
    writeFileAtomically(file, text);
    m_panel.focusField("trajectory.anglesDeg");
    auto& angles = editor("trajectory.anglesDeg");
    QTest::mouseClick(angles.findChild<QPushButton*>("loadAngles"), Qt::LeftButton);
    chooseFile(m_panel, "loadAnglesDialog", toText(file));
    ASSERT_TRUE(waitUntil([&] { return !m_scan.geometry().cone().anglesDeg.empty(); }));
    EXPECT_EQ(angles.findChild<QLabel*>("anglesText")->text(), "18 listed angles, 5° to 345°");
    EXPECT_FALSE(editor("trajectory.arcDeg").isVisible());
    screenshots(m_panel, "geometry-panel-angles");
    QTest::mouseClick(angles.findChild<QPushButton*>("useEvenSteps"), Qt::LeftButton);
    EXPECT_TRUE(m_scan.geometry().cone().anglesDeg.empty());
    EXPECT_EQ(m_scan.geometry().cone().startDeg, 5);
    EXPECT_EQ(m_scan.geometry().cone().arcDeg, 360);
}

TEST_F(GeometryPanelTest, AFileThatListsNoAnglesIsRefusedBesideTheField) {
    open();
    const auto file = m_folder / "notes.txt";
    writeFileAtomically(file, "12.5\nno angle\n");
    auto& angles = editor("trajectory.anglesDeg");
    QTest::mouseClick(angles.findChild<QPushButton*>("loadAngles"), Qt::LeftButton);
    chooseFile(m_panel, "loadAnglesDialog", toText(file));
    ASSERT_TRUE(waitUntil([&] { return angles.problem().contains("is not an angle"); }));
    EXPECT_TRUE(m_scan.geometry().cone().anglesDeg.empty());
}

TEST_F(GeometryPanelTest, DragsInTheSchematicAreEdits) {
    open();
    auto* schematic = m_panel.findChild<SchematicView*>();
    emit schematic->detectorOffsetDragged(3, 0, false);
    emit schematic->detectorOffsetDragged(8, -2, true);
    EXPECT_EQ(m_scan.geometry().detector.offsetMm[0], 8);
    EXPECT_EQ(m_scan.undoStack().count(), 1);
    EXPECT_EQ(m_scan.undoStack().undoText(), "Move detector");
    EXPECT_EQ(edit("detector.offsetMm[0]").text(), "8");
    VolumeGrid grid = m_scan.request().job.volume;
    grid.voxels = {10, 10, 10};
    emit schematic->gridDragged(grid, true);
    EXPECT_FALSE(m_scan.request().volumeIsFitted);
    EXPECT_EQ(m_scan.request().job.volume.voxels[0], 10);
    EXPECT_EQ(m_scan.undoStack().undoText(), "Change region of interest");
}

// With the mouse, the volume fitted anew at every step: the handle stays where the pointer is.
TEST_F(GeometryPanelTest, TheDetectorIsDraggedUnderThePointer) {
    open();
    auto* schematic = m_panel.findChild<SchematicView*>();
    const auto handle = [schematic] {
        const Vec3 at = schematic->handles().back().positionMm;
        return schematic->widgetPoint(at.x, at.y, at.z);
    };
    ASSERT_EQ(schematic->handles().back().kind, SchematicHandle::Kind::detector);
    const QPoint from = handle().toPoint();
    const QPoint to = from + QPoint(7, -6);
    drag(*schematic, from, to);
    pass(300);
    EXPECT_LT((handle() - to).manhattanLength(), 3);
    EXPECT_NE(m_scan.geometry().detector.offsetMm[1], 0);
    EXPECT_EQ(m_scan.undoStack().count(), 1);
    m_scan.undoStack().undo();
    EXPECT_EQ(m_scan.geometry().detector.offsetMm[1], 0);
}

TEST_F(GeometryPanelTest, NothingIsWiderThanANarrowDock) {
    open();
    EXPECT_LE(m_panel.minimumSizeHint().width(), 320);
    show(m_panel, {320, 700});
    for (auto* each : m_panel.findChildren<ScanFieldEditor*>()) {
        if (!each->isVisible()) continue;
        EXPECT_LE(each->mapTo(&m_panel, QPoint(each->width(), 0)).x(), 320)
            << each->objectName().toStdString();
    }
}

TEST_F(GeometryPanelTest, NumbersThatAreNoneAreSurvivedAndSaid) {
    open();
    Request request = m_scan.request();
    request.job.scan.geometry.cone().sourceToIsocenterMm = std::numeric_limits<double>::quiet_NaN();
    request.job.scan.geometry.detector.pitchMm = {0, -1};
    request.job.scan.geometry.detector.columns = 0;
    request.job.scan.geometry.cone().views = 0;
    m_scan.edit(request, "Spoil");
    EXPECT_FALSE(editor("trajectory.sourceToIsocenterMm").problem().isEmpty());
    EXPECT_FALSE(editor("detector.pitchMm[1]").problem().isEmpty());
    EXPECT_FALSE(editor("detector.columns").problem().isEmpty());
    EXPECT_TRUE(edit("detector.columns").isVisible()) << "what contradicts the images is editable";
    EXPECT_EQ(derived("voxel"), "–");
    enter("detector.columns", "1");
    enter("trajectory.views", "1e30");
    m_scan.undoStack().setIndex(0);
    EXPECT_TRUE(m_scan.problems().empty());
}

TEST_F(GeometryPanelTest, WithoutAScanThereIsASentence) {
    show(m_panel, {340, 600});
    EXPECT_FALSE(m_panel.findChild<QToolButton*>("presets")->isVisible());
    m_panel.focusField("trajectory.arcDeg");
}

using PicturesOfGeometry = GeometryPanelTest;

TEST_F(PicturesOfGeometry, LookAsBefore) {
    open();
    ASSERT_TRUE(
        waitUntil([&] { return m_panel.findChild<SchematicView*>()->lastDrawingMs() > 0; }));
    comparePictures(m_panel, "geometry");
}

}  // namespace
}  // namespace gantry::test
