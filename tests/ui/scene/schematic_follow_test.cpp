#include <gtest/gtest.h>

#include <QTest>
#include <cmath>

#include "tests/ui/scene/scene_fixtures.h"
#include "tests/ui/support/ui_test.h"
#include "ui/scene/schematic/schematic_scale.h"
#include "ui/scene/schematic/schematic_shape.h"
#include "ui/scene/schematic/schematic_view.h"

namespace gantry {
namespace {

using Kind = SchematicHandle::Kind;

struct Scanner {
    const char* name;
    ScanGeometry scan;
    Index view = 0;
    double azimuthDeg = -58;
    double elevationDeg = 28;
};

ScanGeometry scanOf(double sodMm, double sddMm, Index columns, Index rows, double pitchMm) {
    ScanGeometry scan = test::benchScan();
    scan.cone().sourceToIsocenterMm = sodMm;
    scan.cone().sourceToDetectorMm = sddMm;
    scan.detector.columns = columns;
    scan.detector.rows = rows;
    scan.detector.pitchMm = {pitchMm, pitchMm};
    return scan;
}

std::vector<Scanner> scanners() {
    ScanGeometry offset = scanOf(541, 949, 311, 203, 1.1);
    offset.detector.offsetMm = {83.5, -21};
    offset.cone().sourceOffsetMm = {3, 1};
    return {{"bench", test::benchScan()},
            {"bench turned", test::benchScan(), 77, 31, 12},
            {"bench from above", test::benchScan(), 0, -10, 74},
            {"edge-on", test::benchScan(), 58},
            {"off-centre", offset, 140},
            {"long SDD", scanOf(23, 1870, 511, 403, 0.2)},
            {"far source", scanOf(2.53e6, 2.5304e6, 640, 480, 0.0065), 20},
            {"two rows", scanOf(600, 1100, 640, 2, 0.2), 11}};
}

// A schematic in a window, with what it says was dragged to; it answers as the panel does.
class Stage {
  public:
    explicit Stage(const Scanner& scanner) : m_scan(scanner.scan), m_grid(fitGrid(m_scan)) {
        view.setScan(m_scan, m_grid, true);
        view.setView(scanner.view);
        test::show(view, {421, 330});
        EXPECT_TRUE(test::waitUntil([&] { return view.lastDrawingMs() > 0; }));
        OrbitCamera camera = view.camera();
        camera.azimuthDeg = scanner.azimuthDeg;
        camera.elevationDeg = scanner.elevationDeg;
        view.look(camera);
        QObject::connect(&view, &SchematicView::detectorOffsetDragged, &view,
                         [this](double u, double v) {
                             m_scan.detector.offsetMm = {u, v};
                             view.setScan(m_scan, m_grid, true);
                         });
        QObject::connect(&view, &SchematicView::gridDragged, &view, [this](const VolumeGrid& grid) {
            m_grid = grid;
            view.setScan(m_scan, m_grid, true);
        });
    }
    QPointF handleAt(Kind kind, int axis, int side) const {
        for (const SchematicHandle& handle : view.handles())
            if (handle.isSame({kind, axis, side, {}})) {
                const Vec3 at = handle.positionMm;
                return view.widgetPoint(at.x, at.y, at.z);
            }
        return {-1, -1};
    }
    const ScanGeometry& scan() const { return m_scan; }
    const VolumeGrid& grid() const { return m_grid; }

    SchematicView view;

  private:
    ScanGeometry m_scan;
    VolumeGrid m_grid;
};

double distance(QPointF a, QPointF b) {
    return std::hypot(a.x() - b.x(), a.y() - b.y());
}

TEST(SchematicFollow, TheDetectorsHandleStaysUnderThePointer) {
    for (const Scanner& scanner : scanners()) {
        SCOPED_TRACE(scanner.name);
        Stage stage(scanner);
        const QPointF from = stage.handleAt(Kind::detector, 0, 0);
        const SchematicHandle handle = stage.view.handles().back();
        const auto before = stage.scan().detector.offsetMm;
        // Where one direction only is dragged, along it.
        const ScanGeometry drawnScan = drawn(stage.scan(), schematicScale(stage.scan()));
        const double angle = radians(drawnScan.angleDeg(scanner.view));
        const Vec3 along =
            handle.isAlongU ? Vec3{std::cos(angle), std::sin(angle), 0} : Vec3{0, 0, 1};
        const Vec3 beside = handle.positionMm + along;
        QPointF way = stage.view.widgetPoint(beside.x, beside.y, beside.z) - from;
        way *= 14 / std::hypot(way.x(), way.y());
        if (handle.isAlongU && handle.isAlongV) way = QPointF(-9, 8);
        const QPoint to = (from + way).toPoint();
        test::drag(stage.view, from.toPoint(), to);
        EXPECT_LT(distance(stage.handleAt(Kind::detector, 0, 0), to), 2.0);
        EXPECT_NE(stage.scan().detector.offsetMm, before);
    }
}

TEST(SchematicFollow, AFacesHandleStaysUnderThePointer) {
    for (const Scanner& scanner : scanners()) {
        SCOPED_TRACE(scanner.name);
        Stage stage(scanner);
        test::wheel(stage.view, {210, 165}, 4);  // near enough to tell the handles apart
        const QPointF from = stage.handleAt(Kind::face, 0, 1);
        const QPointF other = stage.handleAt(Kind::face, 0, -1);
        if (from.x() < 0) continue;
        const QPointF way = (from - other) * (12 / distance(from, other));
        const QPoint to = (from + way).toPoint();
        const Index voxels = stage.grid().voxels[0];
        const auto pitch = stage.grid().pitchMm;
        test::drag(stage.view, from.toPoint(), to);
        EXPECT_GT(stage.grid().voxels[0], voxels);
        EXPECT_EQ(stage.grid().pitchMm, pitch);
        EXPECT_LT(distance(stage.handleAt(Kind::face, 0, 1), to), 2.0);
        EXPECT_LT(distance(stage.handleAt(Kind::face, 0, -1), other), 0.5);
    }
}

// Seen from the source a pixel of the picture is a known length on the detector.
TEST(SchematicFollow, TheValueIsWhatTheDrawingsScaleSays) {
    Stage stage({"bench", test::benchScan()});
    stage.view.setCamera(SchematicView::Camera::fromSource);
    const QPointF from = stage.handleAt(Kind::detector, 0, 0);
    const double pixels = stage.view.widgetPoint(100, 600, 0).x() - from.x();
    const double mmPerPixel = 100 / pixels;
    test::drag(stage.view, from.toPoint(), from.toPoint() + QPoint(10, 0));
    EXPECT_NEAR(stage.scan().detector.offsetMm[0], 10 * mmPerPixel, 1.01 * mmPerPixel);
    EXPECT_EQ(stage.scan().detector.offsetMm[1], 0);
}

TEST(SchematicFollow, CtrlMakesATenthOfTheWay) {
    Stage coarse({"bench", test::benchScan()});
    Stage fine({"bench", test::benchScan()});
    const QPoint from = coarse.handleAt(Kind::detector, 0, 0).toPoint();
    test::drag(coarse.view, from, from + QPoint(0, -40));
    test::drag(fine.view, from, from + QPoint(0, -40), Qt::LeftButton, Qt::ControlModifier);
    const double way = coarse.scan().detector.offsetMm[1];
    EXPECT_GT(way, 50);
    EXPECT_NEAR(fine.scan().detector.offsetMm[1], way / 10, way / 50);
}

TEST(SchematicFollow, TheValueStandsAtThePointerWhileDragging) {
    Stage stage({"bench", test::benchScan()});
    const QPoint from = stage.handleAt(Kind::detector, 0, 0).toPoint();
    const QPoint to = from + QPoint(4, 20);
    QTest::mousePress(&stage.view, Qt::LeftButton, {}, from);
    QMouseEvent move(QEvent::MouseMove, to, stage.view.mapToGlobal(QPointF(to)), Qt::NoButton,
                     Qt::LeftButton, {});
    QCoreApplication::sendEvent(&stage.view, &move);
    test::screenshots(stage.view, "schematic-dragging");
    const QImage during = stage.view.grab().toImage();
    QTest::mouseRelease(&stage.view, Qt::LeftButton, {}, to);
    const QImage after = stage.view.grab().toImage();
    const QRect beside(to.x() + 20, to.y() - 45, 60, 25);
    EXPECT_GT(test::difference(during.copy(beside), after.copy(beside)), 0.3);
}

TEST(SchematicFollow, ADetectorOfTwoRowsHasRowsToBeSeenAndSaysThatItIsNotToScale) {
    Stage stage({"two rows", scanOf(600, 1100, 640, 2, 0.2), 11});
    const ScanGeometry drawnScan = drawn(stage.scan(), schematicScale(stage.scan()));
    const auto corners = detectorCorners(drawnScan, 11);
    const auto at = [&](Vec3 point) { return stage.view.widgetPoint(point.x, point.y, point.z); };
    EXPECT_GT(distance(at(corners[0]), at(corners[3])), 8);
    test::screenshots(stage.view, "schematic-two-rows");
    Stage far({"far source", scanOf(2.53e6, 2.5304e6, 640, 480, 0.0065), 20});
    test::screenshots(far.view, "schematic-far-source");
}

}  // namespace
}  // namespace gantry
