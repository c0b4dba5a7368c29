#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/job/job_directory.h"
#include "core/phantom/phantom.h"
#include "core/phantom/phantom_file.h"
#include "core/phantom/voxelise.h"
#include "tests/ui/panels/slices_fixture.h"
#include "tests/ui/support/compared_pictures.h"
#include "ui/models/image/region_box.h"
#include "ui/models/image/slice_images.h"
#include "ui/models/text.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/image/histogram_view.h"
#include "ui/widgets/image/image_view.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

using test::kSlicesGrid;
using test::numbered;
using test::waitUntil;

using SlicesPanelTest = test::SlicesPanelFixture;

TEST_F(SlicesPanelTest, CountsHaveNoUnit) {
    test::writeCounts(folder / "stack.mha", {16, 12, 9});
    workspace.volume().open(toText(folder / "stack.mha"));
    ASSERT_TRUE(waitUntil([&] { return workspace.volume().volume() != nullptr; }));
    EXPECT_FALSE(find<QLabel>("value").text().contains("mm"));
    EXPECT_FALSE(find<QLabel>("volumeFacts").text().contains("/mm"));
    QTest::mouseMove(axial, at(*axial, 3, 4));
    ASSERT_TRUE(waitUntil([&] { return !workspace.selection().readout().isEmpty(); }));
    EXPECT_FALSE(workspace.selection().readout().contains("/mm"))
        << workspace.selection().readout().toStdString();
    for (const char* field : {"level", "width"})
        for (const QLabel* label : find<NumberField>(field).findChildren<QLabel*>())
            EXPECT_NE(label->text(), "/mm") << field;
    test::screenshots(panel, "slices-of-counts");
    // Those of the next volume have theirs again.
    openVolume();
    EXPECT_TRUE(find<QLabel>("value").text().endsWith(" /mm"));
}

TEST_F(SlicesPanelTest, WithoutAVolumeItSaysHowToGetOne) {
    bool says = false;
    for (const QLabel* label : panel.findChildren<QLabel*>())
        says |= label->isVisible() && label->text().startsWith("Open a volume");
    EXPECT_TRUE(says);
    test::screenshots(panel, "slices-empty");
}

TEST_F(SlicesPanelTest, OpensAtTheMiddle) {
    openVolume();
    EXPECT_EQ(axial->image().at(4, 3), numbered(4, 3, 5));
    EXPECT_EQ(coronal->image().at(4, 3), numbered(4, 8, 3));
    EXPECT_EQ(sagittal->image().at(4, 3), numbered(10, 4, 3));
    EXPECT_DOUBLE_EQ(sagittal->image().pixelAspect, 2.5);
    EXPECT_EQ(axial->window(), workspace.volume().window());
}

TEST_F(SlicesPanelTest, TheCrosshairIsThatOfTheWholeWindow) {
    openVolume();
    const Vec3 middle = workspace.selection().crossHairMm();
    EXPECT_NEAR(middle.z, 5, 1e-9);
    // Moved elsewhere, between voxels: the nearest ones are shown.
    workspace.selection().setCrossHairMm(middle + Vec3{0.6, -0.9, 1.5});
    EXPECT_EQ(axial->corner(), QStringLiteral("z 6 of 0–10, 6.3 mm"));
    EXPECT_EQ(coronal->image().at(4, 3), numbered(4, 6, 3));
    EXPECT_EQ(sagittal->image().at(4, 3), numbered(11, 4, 3));
    // Moved here, it is moved everywhere.
    emit axial->crosshairMoved({2, 3});
    EXPECT_NEAR(workspace.selection().crossHairMm().x, kSlicesGrid.positionMm(2, 3, 6).x, 1e-9);
    EXPECT_NEAR(workspace.selection().crossHairMm().y, kSlicesGrid.positionMm(2, 3, 6).y, 1e-9);
}

TEST_F(SlicesPanelTest, EverySliceNamesTheVolumeItsScanAndItsPlace) {
    openVolume();
    EXPECT_EQ(axial->caption(), "volume.mha");
    EXPECT_EQ(axial->corner(), QStringLiteral("z 5 of 0–10, 5.0 mm"));
    openScan();
    JobSpec made;
    made.scan = workspace.scan().request().job.scan;
    made.output.path = folder / "made.mha";
    made.volume = workspace.scan().request().job.volume;
    (void)JobDirectory::create(jobFolderFor(made.output.path), made);
    openVolume(kSlicesGrid, numbered, "made.mha");
    const QString scan = workspace.scan().title();
    EXPECT_EQ(sagittal->caption(), "made.mha of " + scan);
    test::screenshots(panel, "slices-caption");
}

TEST_F(SlicesPanelTest, AJobsPreviewSaysHowCoarseItIs) {
    openScan();
    JobSpec made;
    made.scan = workspace.scan().request().job.scan;
    made.output.path = folder / "made.mha";
    made.volume = kSlicesGrid;
    for (double& pitchMm : made.volume.pitchMm)
        pitchMm /= 8;
    (void)JobDirectory::create(jobFolderFor(made.output.path), made);
    openVolume(kSlicesGrid, numbered, "made.mha.job/preview.mha");
    EXPECT_EQ(sagittal->caption(), "preview, 1/8, of " + workspace.scan().title());
    test::screenshots(panel, "slices-preview");
}

TEST_F(SlicesPanelTest, AVolumeOfAnotherScanSaysSo) {
    openScan();
    JobSpec made;
    made.scan = workspace.scan().request().job.scan;
    made.scan.name = "walnut";
    made.scan.folder = folder / "elsewhere";
    made.scan.path = made.scan.folder / "scan.json";
    made.output.path = folder / "made.mha";
    made.volume = workspace.scan().request().job.volume;
    (void)JobDirectory::create(jobFolderFor(made.output.path), made);
    openVolume(kSlicesGrid, numbered, "made.mha");
    const QString scan = workspace.scan().title();
    for (const ImageView* view : {axial, coronal, sagittal})
        EXPECT_EQ(view->caption(), "made.mha of walnut; the scan open is " + scan);
    test::screenshots(panel, "slices-other-scan");
    workspace.scan().close();
    EXPECT_EQ(axial->caption(), "made.mha of walnut");
}

TEST_F(SlicesPanelTest, ReadingIsShownAndCanBeCancelled) {
    test::writeVolume(folder / "volume.mha", kSlicesGrid, numbered);
    workspace.volume().open(toText(folder / "volume.mha"));
    EXPECT_TRUE(find<QLabel>("openingText").isVisible());
    EXPECT_TRUE(find<QLabel>("openingText").text().startsWith("Reading"));
    workspace.volume().close();
    workspace.volume().open(toText(folder / "volume.mha"));
    QTest::mouseClick(&find<QPushButton>("cancelOpening"), Qt::LeftButton);
    EXPECT_FALSE(workspace.volume().isOpening());
    EXPECT_FALSE(find<QLabel>("openingText").isVisible());
}

TEST_F(SlicesPanelTest, ReadingAnotherVolumeCanBeCancelledAndTheOneShownStays) {
    openVolume();
    const auto before = workspace.volume().volume();
    auto& cancel = find<QPushButton>("cancelReading");
    EXPECT_FALSE(cancel.isVisible());
    test::writeVolume(folder / "next.mha", kSlicesGrid, numbered);
    workspace.volume().open(toText(folder / "next.mha"));
    EXPECT_TRUE(cancel.isVisible());
    EXPECT_EQ(find<QLabel>("reading").text(), "Reading next.mha, 0 %");
    QTest::mouseClick(&cancel, Qt::LeftButton);
    EXPECT_FALSE(workspace.volume().isOpening());
    EXPECT_FALSE(cancel.isVisible());
    EXPECT_TRUE(find<QLabel>("reading").text().isEmpty());
    EXPECT_EQ(workspace.volume().volume(), before);
    EXPECT_TRUE(axial->isVisible());
}

TEST_F(SlicesPanelTest, SlicesThatTakeLongAreCollectedInTheBackground) {
    const VolumeGrid tall{{3, 800, 800}, {1, 1, 1}, {}};
    ASSERT_TRUE(isSlowSlice(tall, SliceAxis::x));
    openVolume(tall, [](Index x, Index, Index) { return static_cast<float>(x); });
    ASSERT_TRUE(waitUntil([&] { return !sagittal->image().isEmpty(); }));
    EXPECT_EQ(sagittal->image().at(700, 3), 1);
    test::wheel(*sagittal, {50, 50}, 1);
    test::wheel(*sagittal, {50, 50}, -1);
    test::wheel(*sagittal, {50, 50}, -1);
    EXPECT_TRUE(waitUntil([&] { return sagittal->image().at(700, 3) == 0; }));
}

TEST_F(SlicesPanelTest, TheOtherSlicesFollowTheCrosshair) {
    openVolume();
    QTest::mouseClick(axial, Qt::LeftButton, {}, at(*axial, 2, 13));
    EXPECT_EQ(coronal->image().at(4, 3), numbered(4, 13, 3));
    EXPECT_EQ(sagittal->image().at(4, 3), numbered(2, 4, 3));
    EXPECT_EQ(axial->image().at(4, 3), numbered(4, 3, 5));
    // Up is +z: a click near the top is a high slice.
    test::drag(*coronal, at(*coronal, 10, 5), at(*coronal, 18, 9));
    EXPECT_EQ(axial->image().at(0, 0), numbered(0, 0, 9));
    EXPECT_EQ(sagittal->image().at(0, 0), numbered(18, 0, 0));
    EXPECT_LT(at(*coronal, 10, 9).y(), at(*coronal, 10, 5).y());
    EXPECT_NEAR(find<NumberField>("positionX").value(), 3 + 8 * 0.5, 1e-9);
    EXPECT_NEAR(find<NumberField>("positionZ").value(), 5 + 4 * 1.25, 1e-9);
    EXPECT_EQ(find<QLabel>("value").text(), "91318 /mm");
}

TEST_F(SlicesPanelTest, TheWheelScrollsAndStopsAtTheEnds) {
    openVolume();
    test::wheel(*axial, {50, 50}, 2);
    EXPECT_EQ(axial->image().at(0, 0), numbered(0, 0, 7));
    test::wheel(*axial, {50, 50}, 100);
    EXPECT_EQ(axial->image().at(0, 0), numbered(0, 0, 10));
    sagittal->setFocus();
    QTest::keyClick(sagittal, Qt::Key_PageDown);
    EXPECT_EQ(sagittal->image().at(0, 0), numbered(9, 0, 0));
}

TEST_F(SlicesPanelTest, APositionCanBeTyped) {
    openVolume();
    auto* edit = find<NumberField>("positionY").findChild<QLineEdit*>();
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, "-6.1");
    QTest::keyClick(edit, Qt::Key_Return);
    EXPECT_EQ(coronal->image().at(0, 0), numbered(0, 3, 0));  // at −6.25 mm
}

TEST_F(SlicesPanelTest, OneWindowForAllSlices) {
    openVolume();
    const GreyWindow before = axial->window();
    test::drag(*axial, {60, 60}, {120, 60}, Qt::RightButton);
    EXPECT_GT(workspace.volume().window().width(), 1.1 * before.width());
    EXPECT_EQ(coronal->window(), workspace.volume().window());
    EXPECT_EQ(sagittal->window(), workspace.volume().window());
    EXPECT_NEAR(find<NumberField>("width").value(), axial->window().width(), 1e-6);

    auto* edit = find<NumberField>("level").findChild<QLineEdit*>();
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, "5000");
    QTest::keyClick(edit, Qt::Key_Return);
    EXPECT_NEAR(axial->window().level(), 5000, 1e-6);
    QTest::mouseClick(&find<QPushButton>("automatic"), Qt::LeftButton);
    EXPECT_EQ(axial->window(), before);
}

TEST_F(SlicesPanelTest, TheCrosshairStaysWhereItWasInAnotherVolume) {
    openVolume();
    QTest::mouseClick(axial, Qt::LeftButton, {}, at(*axial, 2, 13));
    VolumeGrid finer = kSlicesGrid;
    finer.voxels = {42, 32, 22};
    finer.pitchMm = {0.25, 0.25, 0.625};
    openVolume(finer, numbered, "finer.mha");
    EXPECT_NEAR(find<NumberField>("positionX").value(), 3 - 8 * 0.5, 0.2);
    EXPECT_NEAR(find<NumberField>("positionY").value(), -4 + 5.5 * 0.5, 0.2);
}

TEST_F(SlicesPanelTest, AnotherObjectOpensInItsMiddle) {
    openVolume();
    QTest::mouseClick(axial, Qt::LeftButton, {}, at(*axial, 2, 13));
    openVolume({{31, 21, 11}, {0.1, 0.1, 0.1}, {40, 0, -7}}, numbered, "tooth.mha");
    EXPECT_NEAR(find<NumberField>("positionX").value(), 40, 1e-6);
    EXPECT_NEAR(find<NumberField>("positionY").value(), 0, 1e-6);
    EXPECT_NEAR(find<NumberField>("positionZ").value(), -7, 1e-6);
    EXPECT_NEAR(workspace.selection().crossHairMm().x, 40, 1e-6);
}

TEST_F(SlicesPanelTest, ThePlaceAndValueUnderThePointerAreTold) {
    openVolume();
    QTest::mouseMove(coronal, at(*coronal, 4, 3));
    ASSERT_TRUE(waitUntil([&] { return !workspace.selection().readout().isEmpty(); }));
    const QString readout = workspace.selection().readout();
    EXPECT_TRUE(readout.contains(" mm")) << readout.toStdString();
    EXPECT_TRUE(readout.endsWith("30804 /mm")) << readout.toStdString();
    // Also when the slice changes below a pointer that rests.
    test::wheel(*coronal, at(*coronal, 4, 3), 2);
    const QString next = workspace.selection().readout();
    EXPECT_TRUE(next.endsWith("31004 /mm")) << next.toStdString();
}

TEST_F(SlicesPanelTest, ADoubleClickMaximisesASlice) {
    openVolume();
    const int width = coronal->width();
    QTest::mouseDClick(coronal, Qt::LeftButton, {}, {50, 50});
    test::pass(20);
    EXPECT_FALSE(axial->isVisible());
    EXPECT_GT(coronal->width(), width * 3 / 2);
    QTest::mouseDClick(coronal, Qt::LeftButton, {}, {50, 50});
    test::pass(20);
    EXPECT_TRUE(axial->isVisible());
    EXPECT_EQ(coronal->width(), width);
}

TEST_F(SlicesPanelTest, TheRegionNeedsAScan) {
    openVolume();
    auto& toggle = find<QPushButton>("regionToggle");
    EXPECT_FALSE(toggle.isEnabled());
    EXPECT_TRUE(toggle.toolTip().contains("Open the scan first"));
    openScan();
    EXPECT_TRUE(toggle.isEnabled());
}

TEST_F(SlicesPanelTest, DraggingTheRegionEditsTheRequest) {
    openScan();
    VolumeGrid shown = region();
    for (double& pitch : shown.pitchMm)
        pitch *= 2;  // a coarse volume, twice as large: the box is in its midst
    openVolume(shown, [](Index x, Index, Index) { return static_cast<float>(x); });
    QTest::mouseClick(&find<QPushButton>("regionToggle"), Qt::LeftButton);
    const VolumeGrid before = region();
    ASSERT_TRUE(workspace.scan().request().volumeIsFitted);
    const QRectF box = rectangleOf(boxOf(before), planeOf(SliceAxis::z), shown);

    // The right edge, to the left.
    const QPoint edge = at(*axial, box.right(), box.center().y());
    test::drag(*axial, edge, edge - QPoint(60, 0));
    const VolumeGrid narrower = region();
    EXPECT_LT(narrower.voxels[0], before.voxels[0]);
    EXPECT_EQ(narrower.voxels[1], before.voxels[1]);
    EXPECT_EQ(narrower.pitchMm, before.pitchMm);
    EXPECT_NEAR(boxOf(narrower).lowMm[0], boxOf(before).lowMm[0], 1e-9);
    EXPECT_FALSE(workspace.scan().request().volumeIsFitted);

    // The upper edge in another view, down.
    const QRectF front = rectangleOf(boxOf(narrower), planeOf(SliceAxis::y), shown);
    const QPoint top = at(*coronal, front.center().x(), front.bottom());
    test::drag(*coronal, top, top + QPoint(0, 40));
    EXPECT_LT(region().voxels[2], before.voxels[2]);
    EXPECT_NEAR(boxOf(region()).lowMm[2], boxOf(before).lowMm[2], 1e-9);
    EXPECT_TRUE(find<QLabel>("regionFacts").isVisible());

    // A drag is one step.
    workspace.scan().undoStack().undo();
    EXPECT_EQ(region(), narrower);
    workspace.scan().undoStack().undo();
    EXPECT_EQ(region(), before);
    EXPECT_TRUE(workspace.scan().request().volumeIsFitted);
}

TEST_F(SlicesPanelTest, TheRegionGoesWithItsScan) {
    openScan();
    openVolume();
    QTest::mouseClick(&find<QPushButton>("regionToggle"), Qt::LeftButton);
    workspace.scan().close();
    EXPECT_FALSE(find<QPushButton>("regionToggle").isChecked());
    EXPECT_FALSE(find<QPushButton>("regionToggle").isEnabled());
}

TEST_F(SlicesPanelTest, VoxelsWithoutANumberAreCounted) {
    openVolume(kSlicesGrid, [](Index x, Index y, Index z) {
        const bool isOdd = x == 10 && y == 8 && z > 2 && z < 6;
        return isOdd ? std::numeric_limits<float>::quiet_NaN() : numbered(x, y, z);
    });
    auto& warning = find<QLabel>("volumeWarning");
    EXPECT_TRUE(warning.text().startsWith("3 voxels")) << warning.text().toStdString();
    EXPECT_EQ(find<QLabel>("value").text(), "not a number");
}

TEST_F(SlicesPanelTest, AVolumeOfOneVoxelAndATruncatedOneAreSurvived) {
    openVolume({{1, 1, 1}, {1, 1, 1}, {}}, numbered, "one.mha");
    EXPECT_EQ(axial->image().columns, 1);
    test::wheel(*coronal, {50, 50}, 1);
    test::writeVolume(folder / "cut.mha", kSlicesGrid, numbered);
    std::filesystem::resize_file(folder / "cut.mha", 900);
    workspace.volume().open(toText(folder / "cut.mha"));
    ASSERT_TRUE(waitUntil([&] { return !workspace.volume().isOpening(); }));
    EXPECT_EQ(axial->image().columns, 1);  // what was open stays
    workspace.volume().close();
    EXPECT_FALSE(axial->isVisible());
    EXPECT_TRUE(axial->image().isEmpty());
}

TEST_F(SlicesPanelTest, FitsIntoASmallWindow) {
    openScan();
    openVolume();
    QTest::mouseClick(&find<QPushButton>("regionToggle"), Qt::LeftButton);
    find<QComboBox>("slabKind").setCurrentText("Mean");
    panel.resize(720, 460);
    test::pass(50);
    EXPECT_LE(panel.minimumSizeHint().width(), 720);
    EXPECT_LE(panel.minimumSizeHint().height(), 460);
}

using PicturesOfSlices = test::SlicesPanelFixture;

TEST_F(PicturesOfSlices, LookAsBefore) {
    openScan();
    const PhantomFile phantom{"shepp-logan", {.scaleMm = 5, .centerMm = {}, .density = 0.02}};
    const VolumeGrid grid{{160, 160, 80}, {0.07, 0.07, 0.14}, {}};
    HostBuffer<float> voxels(grid.count());
    voxelisePhantom(makePhantom(phantom.phantom, phantom.placement), grid, {0, 80}, 1, 2,
                    {voxels.data(), 80, 160, 160});
    openVolume(grid, [&](Index x, Index y, Index z) {
        return x > 150 && y == 80 ? std::numeric_limits<float>::quiet_NaN()
                                  : voxels[(z * 160 + y) * 160 + x];
    });
    QTest::mouseClick(&find<QPushButton>("regionToggle"), Qt::LeftButton);
    test::comparePictures(panel, "slices");
}

}  // namespace
}  // namespace gantry
