#include "ui/scene/schematic/schematic_view.h"

#include <gtest/gtest.h>

#include <QEvent>
#include <QSignalSpy>
#include <QTest>
#include <limits>

#include "tests/ui/scene/scene_fixtures.h"
#include "tests/ui/support/compared_pictures.h"
#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

using test::benchScan;
using test::waitUntil;

class SchematicViewTest : public testing::Test {
  protected:
    SchematicViewTest() {
        view.setScan(scan, grid, true);
        test::show(view, {400, 320});
        EXPECT_TRUE(waitUntil([&] { return view.lastDrawingMs() > 0; }));
        QObject::connect(&view, &SchematicView::gridDragged, &view,
                         [this](const VolumeGrid& dragged, bool isFinal) {
                             grids.push_back(dragged);
                             finals.push_back(isFinal);
                         });
        QObject::connect(&view, &SchematicView::detectorOffsetDragged, &view,
                         [this](double u, double v, bool isFinal) {
                             offsets.push_back({u, v});
                             finals.push_back(isFinal);
                         });
    }
    QImage picture() {
        test::pass(0);
        return view.grab().toImage();
    }
    // The middle of the box' upper face.
    QPoint topHandle() const {
        const double z = static_cast<double>(grid.voxels[2]) / 2 * grid.pitchMm[2];
        return view.widgetPoint(0, 0, z).toPoint();
    }
    QPoint detectorHandle() const {
        const Vec3 at = viewPose(scan, 0).detectorCenterMm;
        return view.widgetPoint(at.x, at.y, at.z).toPoint();
    }

    ScanGeometry scan = benchScan();
    VolumeGrid grid = fitGrid(scan);
    SchematicView view;
    std::vector<VolumeGrid> grids;
    std::vector<QPointF> offsets;
    std::vector<bool> finals;
};

TEST_F(SchematicViewTest, ShowsAPictureOfManyColours) {
    EXPECT_GT(test::colourCount(picture()), 100);
    EXPECT_FALSE(view.isUnavailable());
    EXPECT_FALSE(view.graphicsName().isEmpty());
}

TEST_F(SchematicViewTest, FollowsTheScanAndLooksTheSameAfterwards) {
    const QImage before = picture();
    ScanGeometry longer = scan;
    longer.cone().sourceToDetectorMm = 1900;
    view.setScan(longer, grid, true);
    EXPECT_GT(test::difference(picture(), before), 0.02);
    view.setView(90);
    view.setView(0);
    view.setScan(scan, grid, true);
    EXPECT_EQ(picture(), before);
}

TEST_F(SchematicViewTest, AFaceIsDraggedWithTheMouse) {
    const QImage before = picture();
    test::drag(view, topHandle(), topHandle() - QPoint(0, 25));
    ASSERT_GE(grids.size(), 2U);
    EXPECT_GT(grids.back().voxels[2], grid.voxels[2]);
    EXPECT_EQ(grids.back().voxels[0], grid.voxels[0]);
    EXPECT_EQ(grids.back().pitchMm, grid.pitchMm);
    const auto lowerFace = [](const VolumeGrid& each) { return each.positionMm(0, 0, -0.5).z; };
    EXPECT_NEAR(lowerFace(grids.back()), lowerFace(grid), 1e-9);
    EXPECT_TRUE(finals.back());
    EXPECT_EQ(std::count(finals.begin(), finals.end(), true), 1);
    EXPECT_TRUE(offsets.empty());
    // The box follows, even where nobody answers with another scan.
    EXPECT_GT(test::difference(picture(), before), 0.01);
}

TEST_F(SchematicViewTest, TheDetectorIsDraggedWithTheMouse) {
    test::drag(view, detectorHandle(), detectorHandle() + QPoint(0, -15));
    ASSERT_GE(offsets.size(), 2U);
    EXPECT_GT(offsets.back().y(), 10);  // up, mm
    EXPECT_TRUE(finals.back());
    EXPECT_TRUE(grids.empty());
}

TEST_F(SchematicViewTest, AClickOnAHandleChangesNothing) {
    QTest::mouseClick(&view, Qt::LeftButton, {}, topHandle());
    EXPECT_TRUE(finals.empty());
}

TEST_F(SchematicViewTest, ElsewhereTheMouseMovesTheCameraAndZeroResetsIt) {
    view.setFocus();  // as the first click does
    const QImage before = picture();
    const OrbitCamera home = view.camera();
    test::drag(view, {20, 40}, {120, 60});
    EXPECT_NE(view.camera().azimuthDeg, home.azimuthDeg);
    EXPECT_GT(test::difference(picture(), before), 0.02);
    test::drag(view, {20, 40}, {60, 40}, Qt::MiddleButton);
    EXPECT_NE(view.camera().focusMm, home.focusMm);
    test::wheel(view, {200, 160}, 3);
    EXPECT_GT(view.camera().zoom, home.zoom);
    EXPECT_TRUE(finals.empty());
    const OrbitCamera moved = view.camera();
    QTest::mouseDClick(&view, Qt::LeftButton, {}, {20, 40});
    EXPECT_EQ(view.camera(), moved) << "a double click maximises, and nothing else";
    QTest::keyClick(&view, Qt::Key_0);
    EXPECT_EQ(view.camera(), home);
    // But for edges that fall otherwise.
    EXPECT_TRUE(test::waitUntil([&] { return test::difference(picture(), before) < 0.01; }, 10))
        << test::difference(picture(), before);
}

TEST_F(SchematicViewTest, TheKeyboardMovesTheCamera) {
    const OrbitCamera home = view.camera();
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Left);
    QTest::keyClick(&view, Qt::Key_Up);
    QTest::keyClick(&view, Qt::Key_Plus);
    EXPECT_NE(view.camera().azimuthDeg, home.azimuthDeg);
    EXPECT_GT(view.camera().elevationDeg, home.elevationDeg);
    EXPECT_GT(view.camera().zoom, home.zoom);
    QTest::keyClick(&view, Qt::Key_0);
    EXPECT_EQ(view.camera(), home);
}

TEST_F(SchematicViewTest, AHandleUnderThePointerIsMarked) {
    const QImage before = picture();
    const QPoint handle = topHandle();
    QMouseEvent move(QEvent::MouseMove, handle, view.mapToGlobal(QPointF(handle)), Qt::NoButton,
                     Qt::NoButton, {});
    QCoreApplication::sendEvent(&view, &move);
    EXPECT_EQ(view.cursor().shape(), Qt::SizeAllCursor);
    EXPECT_NE(picture(), before);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&view, &leave);
    EXPECT_EQ(picture(), before);
}

// A view that the user turned stays turned when the scan changes; one that was not follows it.
TEST_F(SchematicViewTest, ACameraOfTheUsersStays) {
    test::drag(view, {20, 40}, {120, 60});
    const double azimuth = view.camera().azimuthDeg;
    view.setView(100);
    EXPECT_EQ(view.camera().azimuthDeg, azimuth);
    view.setCamera(SchematicView::Camera::fromSource);
    EXPECT_NEAR(view.camera().azimuthDeg, 100, 1e-9);
    view.setView(120);
    EXPECT_NEAR(view.camera().azimuthDeg, 120, 1e-9);
}

TEST_F(SchematicViewTest, FromTheSourceTheDetectorFillsThePicture) {
    view.setCamera(SchematicView::Camera::fromSource);
    const QPointF centre = view.widgetPoint(0, 600, 0);
    EXPECT_NEAR(centre.x(), 200, 1e-6);
    EXPECT_NEAR(centre.y(), 160, 1e-6);
    const QPointF corner = view.widgetPoint(128 * 1.6, 600, 96 * 1.6);
    EXPECT_TRUE(view.rect().contains(corner.toPoint()));
    EXPECT_GT(corner.x(), 290);
    EXPECT_GT(test::colourCount(picture()), 50);
}

TEST_F(SchematicViewTest, WhatIsWrongLeavesTheLastPictureGreyed) {
    const QImage before = picture();
    ScanGeometry broken = scan;
    broken.cone().sourceToIsocenterMm = std::numeric_limits<double>::quiet_NaN();
    view.setScan(broken, grid, true);
    const QImage greyed = picture();
    EXPECT_NE(greyed, before);
    EXPECT_GT(test::colourCount(greyed), 50);
    test::drag(view, topHandle(), topHandle() - QPoint(0, 25));
    EXPECT_TRUE(finals.empty());
    view.resetCamera();
    view.setScan(scan, grid, true);
    EXPECT_EQ(picture(), before);
}

TEST_F(SchematicViewTest, OddScansAreSurvived) {
    ScanGeometry none = scan;
    none.cone().views = 0;
    view.setScan(none, grid, true);
    (void)picture();
    ScanGeometry tiny = scan;
    tiny.cone().views = 1;
    tiny.detector.columns = tiny.detector.rows = 1;
    view.setScan(tiny, {{1, 1, 1}, {0.1, 0.1, 0.1}, {0, 0, 0}}, true);
    view.setView(1000);
    (void)picture();
    view.setScan(scan, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, true);
    (void)picture();
    view.clear();
    const QImage empty = picture();
    EXPECT_GT(test::colourCount(empty), 2);  // a sentence
    view.setScan(scan, grid, true);
    EXPECT_GT(test::difference(picture(), empty), 0.05);
}

// Counts how often a widget draws itself.
class Drawings : public QObject {
  public:
    explicit Drawings(QWidget& widget) { widget.installEventFilter(this); }
    [[nodiscard]] int count() const { return m_count; }
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::Paint) ++m_count;
        return false;
    }

  private:
    int m_count = 0;
};

TEST_F(SchematicViewTest, ManyChangesAreOnePicture) {
    test::pass(200);
    const Drawings drawings(view);
    for (int i = 0; i < 200; ++i) {
        scan.cone().sourceToDetectorMm = 1000 + i;
        view.setScan(scan, grid, true);
        view.setView(i);
    }
    EXPECT_EQ(drawings.count(), 0);
    EXPECT_TRUE(waitUntil([&] { return drawings.count() > 0; }));
    test::pass(300);
    // The picture, and what lies over it once it is there.
    EXPECT_LE(drawings.count(), 2);
}

using PicturesOfSchematic = SchematicViewTest;

TEST_F(PicturesOfSchematic, LookAsBefore) {
    scan.cone().arcDeg = -200;
    scan.detector.rollDeg = 8;
    view.setScan(scan, grid, true);
    view.setView(25);
    test::comparePictures(view, "schematic");
}

}  // namespace
}  // namespace gantry
