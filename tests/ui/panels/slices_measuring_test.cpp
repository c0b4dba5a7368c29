// The measuring tools of the slices panel, by real events, against the file's own voxels.
#include <gtest/gtest.h>

#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "core/io/volume/read_volume.h"
#include "core/job/job_directory.h"
#include "core/report/measure_volume.h"
#include "tests/ui/panels/slices_fixture.h"
#include "ui/models/image/plane_raster.h"
#include "ui/models/image/region_box.h"
#include "ui/panels/slices/measurements.h"
#include "ui/widgets/image/histogram_view.h"
#include "ui/widgets/image/profile_plot.h"

namespace gantry {
namespace {

using test::kSlicesGrid;
using test::rough;
using test::waitUntil;

class SlicesMeasuringTest : public test::SlicesPanelFixture {
  protected:
    SlicesMeasuringTest() { openVolume(kSlicesGrid, rough); }

    QString figures() { return find<QLabel>("measureFigures").text(); }
    bool waitForFigure(const char* word) {
        return waitUntil([&] { return figures().contains(QLatin1String(word)); });
    }
    // The place that the panel measures from and to: of whole pixels of the view.
    static Vec3 axialPlace(const ImageView& view, QPoint at) {
        const QPointF pixel = view.pixelAt(at);
        return kSlicesGrid.positionMm(pixel.x(), pixel.y(), 5);
    }
};

TEST_F(SlicesMeasuringTest, ADistanceIsDrawnMovedUndoneAndRemoved) {
    axial->setFocus();
    QTest::keyClick(axial, Qt::Key_D);
    EXPECT_TRUE(find<QToolButton>("measure-distance").isChecked());
    const QPoint from = at(*axial, 3, 4);
    const QPoint to = at(*axial, 15, 9);
    const VoxelIndex before = nearestVoxel(kSlicesGrid, workspace.selection().crossHairMm());
    test::drag(*axial, from, to);
    EXPECT_FALSE(find<QToolButton>("measure-distance").isChecked());
    const double mm = length(axialPlace(*axial, to) - axialPlace(*axial, from));
    EXPECT_EQ(figures(), lengthText(mm));
    // The cross-hair has stayed.
    EXPECT_EQ(nearestVoxel(kSlicesGrid, workspace.selection().crossHairMm()), before);
    test::screenshots(panel, "slices-distance");
    // A click beside its end chooses it, and moves nothing.
    QTest::mouseClick(axial, Qt::LeftButton, Qt::NoModifier, to + QPoint(3, 2));
    EXPECT_EQ(figures(), lengthText(mm));
    // The cross-hair is moved while the figures stay visible; Esc ends the choice.
    QTest::mouseClick(axial, Qt::LeftButton, Qt::NoModifier, at(*axial, 18, 13));
    EXPECT_EQ(figures(), lengthText(mm));
    EXPECT_NE(nearestVoxel(kSlicesGrid, workspace.selection().crossHairMm()), before);
    QTest::keyClick(axial, Qt::Key_Escape);
    EXPECT_FALSE(find<QWidget>("measureResults").isVisible());

    const QPoint elsewhere = at(*axial, 15, 2);
    test::drag(*axial, to, elsewhere);
    const QString moved =
        lengthText(length(axialPlace(*axial, elsewhere) - axialPlace(*axial, from)));
    EXPECT_EQ(figures(), moved);
    QTest::keyClick(axial, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(figures(), lengthText(mm));
    QTest::keyClick(axial, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(figures(), moved);
    QTest::keyClick(axial, Qt::Key_Delete);
    EXPECT_FALSE(find<QWidget>("measureResults").isVisible());
    QTest::keyClick(axial, Qt::Key_Z, Qt::ControlModifier);
    QTest::mouseClick(axial, Qt::LeftButton, Qt::NoModifier,
                      at(*axial, 3, 4));  // chosen by its end
    EXPECT_EQ(figures(), moved);
}

TEST_F(SlicesMeasuringTest, AnAngleIsThreeClicksAndEscEndsATool) {
    QTest::mouseClick(&find<QToolButton>("measure-angle"), Qt::LeftButton);
    QTest::mouseClick(axial, Qt::LeftButton, Qt::NoModifier, at(*axial, 12, 4));
    QTest::mouseClick(axial, Qt::LeftButton, Qt::NoModifier, at(*axial, 4, 4));
    QTest::mouseClick(axial, Qt::LeftButton, Qt::NoModifier, at(*axial, 4, 12));
    EXPECT_EQ(figures(), QStringLiteral("90.0°"));
    axial->setFocus();
    QTest::keyClick(axial, Qt::Key_A);
    EXPECT_TRUE(find<QToolButton>("measure-angle").isChecked());
    QTest::keyClick(axial, Qt::Key_Escape);
    EXPECT_FALSE(find<QToolButton>("measure-angle").isChecked());
}

TEST_F(SlicesMeasuringTest, ARegionsFiguresAreThoseOfTheVolumeInTheFile) {
    axial->setFocus();
    QTest::keyClick(axial, Qt::Key_R);
    const QPoint from = at(*axial, 4, 3);
    const QPoint to = at(*axial, 13, 11);
    test::drag(*axial, from, to);
    ASSERT_TRUE(waitForFigure("standard deviation"));
    const auto* progress =
        find<QWidget>("measureResults").findChild<QTimer*>(QString(), Qt::FindDirectChildrenOnly);
    EXPECT_FALSE(progress->isActive());
    const Volume volume = readVolume(folder / "volume.mha");
    const Vec3 a = axialPlace(*axial, from);
    const Vec3 b = axialPlace(*axial, to);
    const WorldBox box{{std::min(a.x, b.x), std::min(a.y, b.y), a.z - 0.6},
                       {std::max(a.x, b.x), std::max(a.y, b.y), a.z + 0.6}};
    const RegionStatistics found = boxStatistics(volume.span(), volume.grid, box);
    for (const auto& row :
         regionFigures(found, static_cast<double>(found.voxels) * 0.5 * 0.5 * 1.25))
        EXPECT_TRUE(figures().contains(QString::fromStdString(row[0] + ' ' + row[1])))
            << row[0] << ' ' << row[1] << "\n"
            << figures().toStdString();
    EXPECT_TRUE(find<HistogramView>("measureHistogram").isVisible());
    test::screenshots(panel, "slices-measured-region");

    // Its depth is dragged in another slice, and its figures follow.
    const QString flat = figures();
    const QRectF coronalBox =
        rectangleOf({box.lowMm, box.highMm}, planeOf(SliceAxis::y), kSlicesGrid);
    const QPoint top = at(*coronal, coronalBox.center().x(), 5.5);
    test::drag(*coronal, top, at(*coronal, coronalBox.center().x(), 8.4));
    ASSERT_TRUE(waitUntil([&] { return figures() != flat && figures().contains("voxels"); }));
    EXPECT_TRUE(figures().contains(QStringLiteral("voxels %1").arg(4 * found.voxels)))
        << figures().toStdString();
}

TEST_F(SlicesMeasuringTest, AProfileIsPlottedCopiedAndSaved) {
    const QPoint from = at(*axial, 2, 2);
    const QPoint to = at(*axial, 17, 12);
    drawProfile(from, to);
    const Volume volume = readVolume(folder / "volume.mha");
    const VoxelLine line = voxelLine(volume.grid, axialPlace(*axial, from), axialPlace(*axial, to));
    const std::string expected =
        profileCsv(line, lineProfile(volume.span(), line.fromXyz, line.toXyz, line.samples));
    QTest::mouseClick(&find<QPushButton>("measureCopy"), Qt::LeftButton);
    EXPECT_EQ(QGuiApplication::clipboard()->text().toStdString(), expected);
    EXPECT_TRUE(find<ProfilePlot>("measureProfile").isVisible());
    test::screenshots(panel, "slices-profile");

    QTest::mouseClick(&find<QPushButton>("measureSave"), Qt::LeftButton);
    auto* dialog = panel.window()->findChild<QFileDialog*>("profileSaveDialog");
    ASSERT_NE(dialog, nullptr);
    const QString path = toText(folder / "Zahn é 0.5mm.csv");
    emit dialog->fileSelected(path);
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll().toStdString(), expected);
    dialog->close();
}

TEST_F(SlicesMeasuringTest, MeasurementsStayInVolumesOfTheSameBoxAndLeaveWithTheObject) {
    drawProfile(at(*axial, 2, 2), at(*axial, 17, 12));
    VolumeGrid finer = kSlicesGrid;
    finer.voxels = {42, 32, 22};
    finer.pitchMm = {0.25, 0.25, 0.625};
    openVolume(finer, rough, "finer.mha");
    EXPECT_TRUE(find<QLabel>("measureKind").isVisible());
    openVolume({{8, 8, 8}, {0.1, 0.1, 0.1}, {0, 0, 0}}, rough, "tooth.mha");
    EXPECT_FALSE(find<QLabel>("measureKind").isVisible());
    axial->setFocus();
    QTest::keyClick(axial, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_FALSE(find<QLabel>("measureKind").isVisible()) << "it is not undone in another object";
}

TEST_F(SlicesMeasuringTest, AMeasurementOutsideOfARegionOfTheSameScanSaysSo) {
    openScan();
    JobSpec made;
    made.scan = workspace.scan().request().job.scan;
    made.volume = kSlicesGrid;
    for (const char* name : {"whole.mha", "small.mha"}) {
        made.output.path = folder / name;
        (void)JobDirectory::create(jobFolderFor(made.output.path), made);
    }
    openVolume(kSlicesGrid, rough, "whole.mha");
    drawProfile(at(*axial, 2, 2), at(*axial, 17, 12));
    openVolume({{8, 8, 8}, {0.1, 0.1, 0.1}, {0, 0, 0}}, rough, "small.mha");
    ASSERT_TRUE(waitUntil([&] { return find<QLabel>("measureState").isVisible(); }));
    EXPECT_TRUE(find<QLabel>("measureState").text().contains("must be between"));
    EXPECT_FALSE(find<QPushButton>("measureSave").isVisible());
}

TEST(SliceMeasures, LieInASliceWithinHalfAVoxel) {
    const SliceMeasure flat{1, MeasureKind::distance, {{1, 2, 5.6}, {4, 2, 5.6}}};
    EXPECT_TRUE(liesIn(flat, sliceRaster(planeOf(SliceAxis::z), kSlicesGrid, kSlicesGrid,
                                         5)));  // at 5 mm, 1.25 mm thick
    EXPECT_FALSE(liesIn(flat, sliceRaster(planeOf(SliceAxis::z), kSlicesGrid, kSlicesGrid, 6)));
    EXPECT_FALSE(liesIn(flat, sliceRaster(planeOf(SliceAxis::x), kSlicesGrid, kSlicesGrid, 8)));
    EXPECT_EQ(sizeOf(flat), "3 mm");
}

}  // namespace
}  // namespace gantry
