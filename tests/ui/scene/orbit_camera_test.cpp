#include "ui/scene/orbit_camera.h"

#include <gtest/gtest.h>

#include <QRectF>

#include "core/geometry/scan_geometry.h"

namespace gantry {
namespace {

constexpr QSizeF kView(400, 300);

OrbitCamera someCamera() {
    OrbitCamera camera;
    camera.focusMm = {10, -20, 5};
    camera.radiusMm = 100;
    camera.azimuthDeg = 40;
    camera.elevationDeg = 25;
    return camera;
}

TEST(OrbitCamera, TheFocusIsInTheMiddle) {
    const QPointF at = someCamera().viewPoint({10, -20, 5}, kView);
    EXPECT_NEAR(at.x(), 200, 1e-9);
    EXPECT_NEAR(at.y(), 150, 1e-9);
}

TEST(OrbitCamera, AViewRayLeadsToWhatIsSeenThere) {
    const OrbitCamera camera = someCamera();
    const Vec3 position{30, -60, 25};
    const ViewRay viewRay = camera.viewRay(camera.viewPoint(position, kView), kView);
    const Vec3 way = position - viewRay.originMm;
    EXPECT_NEAR(length(cross(way, viewRay.direction)), 0, 1e-9 * length(way));
    EXPECT_GT(dot(way, viewRay.direction), 0);
}

TEST(OrbitCamera, StandsWhereTheSourceIsAtThatGantryAngle) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1200;
    geometry.cone().startDeg = 70;
    geometry.cone().views = 1;
    OrbitCamera camera;
    camera.azimuthDeg = 70;
    const Vec3 source = viewPose(geometry, 0).sourceMm;
    EXPECT_NEAR(length((1.0 / 600) * source - camera.towardsEye()), 0, 1e-12);
    // The detector's u runs right, and the axis up.
    EXPECT_GT(camera.viewPoint(viewPose(geometry, 0).uStepMm + Vec3{0.2, 0.5, 0}, kView).x(), 200);
    EXPECT_LT(camera.viewPoint({0, 0, 0.1}, kView).y(), 150);
}

TEST(OrbitCamera, ShowsItsSphereWholeInEveryShapeOfView) {
    OrbitCamera camera = someCamera();
    for (const QSizeF view : {QSizeF(400, 300), QSizeF(300, 400), QSizeF(1000, 100)})
        for (const double sign : {-1.0, 1.0})
            for (const Vec3 direction : {camera.right(), camera.up()}) {
                const QPointF at = camera.viewPoint(
                    camera.focusMm + (sign * 0.98 * camera.radiusMm) * direction, view);
                EXPECT_TRUE(QRectF(QPointF(), view).contains(at)) << at.x() << " " << at.y();
            }
}

TEST(OrbitCamera, TurnsMovesAndZoomsWithinBounds) {
    OrbitCamera camera = someCamera();
    camera.orbit({0, 10000}, kView);
    EXPECT_EQ(camera.elevationDeg, 90);
    EXPECT_NEAR(dot(camera.up(), camera.towardsEye()), 0, 1e-12);
    camera.orbit({150, 0}, kView);
    EXPECT_NEAR(camera.azimuthDeg, 40 - 90, 1e-9);

    camera = someCamera();
    const Vec3 before = camera.focusMm;
    camera.pan({30, -40}, kView);
    const QPointF at = camera.viewPoint(before, kView);
    EXPECT_NEAR(at.x(), 230, 1e-6);
    EXPECT_NEAR(at.y(), 110, 1e-6);

    for (int i = 0; i < 200; ++i)
        camera.zoomBy(1.2);
    EXPECT_GT(camera.distanceMm(), 0);
    for (int i = 0; i < 400; ++i)
        camera.zoomBy(1 / 1.2);
    EXPECT_LT(camera.distanceMm(), 1e5);
}

TEST(OrbitCamera, AViewOfNoSizeIsSurvived) {
    const OrbitCamera camera = someCamera();
    EXPECT_TRUE(std::isfinite(camera.viewPoint({1, 2, 3}, {0, 0}).x()));
    EXPECT_TRUE(std::isfinite(camera.verticalAngleDeg({0, 0})));
}

}  // namespace
}  // namespace gantry
