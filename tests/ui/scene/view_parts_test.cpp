#include "ui/scene/schematic/view_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gantry {
namespace {

// Looks along y at the plane of the focus, at which a pixel is a millimetre.
struct Front {
    Front() { camera.radiusMm = 50 * std::cos(radians(camera.angleDeg) / 2); }
    [[nodiscard]] static Vec3 at(double x, double y) { return {x - 50, 0, 50 - y}; }

    OrbitCamera camera;
    QSizeF view{100, 100};
};

TEST(ViewParts, TheFrontIsAsTheTestsHaveIt) {
    const Front front;
    const QPointF at = front.camera.viewPoint(Front::at(20, 30), front.view);
    EXPECT_NEAR(at.x(), 20, 1e-9);
    EXPECT_NEAR(at.y(), 30, 1e-9);
}

TEST(ViewParts, ALineIsTouchedWhereItIsAndNotInItsBoundingBox) {
    const Front front;
    ColouredMesh lines;
    lines.addLine(Front::at(10, 10), Front::at(90, 90), Qt::red);
    ViewParts parts(front.camera, front.view);
    parts.addLines(lines);
    EXPECT_TRUE(parts.touches({45, 48, 10, 4}));
    EXPECT_FALSE(parts.touches({60, 20, 20, 20}));
    EXPECT_FALSE(parts.touches({94, 94, 5, 5}));
}

TEST(ViewParts, AFaceIsTouchedInItsMiddle) {
    const Front front;
    ColouredMesh faces;
    faces.addTriangle(Front::at(10, 10), Front::at(90, 10), Front::at(10, 90), Qt::red);
    ViewParts parts(front.camera, front.view);
    parts.addTriangles(faces);
    EXPECT_TRUE(parts.touches({30, 30, 5, 5}));
    EXPECT_FALSE(parts.touches({70, 70, 20, 20}));
}

TEST(ViewParts, BetweenThePointsOfAHullAllIsTouched) {
    const Front front;
    const std::vector<Vec3> points = {Front::at(20, 50), Front::at(50, 20), Front::at(80, 50),
                                      Front::at(50, 80), Front::at(50, 50)};
    ViewParts parts(front.camera, front.view);
    parts.addHull(points);
    EXPECT_TRUE(parts.touches({38, 38, 4, 4}));
    EXPECT_TRUE(parts.touches({40, 55, 4, 4}));
    EXPECT_FALSE(parts.touches({20, 20, 8, 8}));
    EXPECT_FALSE(parts.touches({70, 70, 10, 10}));
}

TEST(ViewParts, WhatIsBehindTheEyeIsNotThere) {
    const Front front;
    ColouredMesh lines;
    lines.addLine({-500, -1000, 0}, {500, -1000, 0}, Qt::red);
    ViewParts parts(front.camera, front.view);
    parts.addLines(lines);
    EXPECT_FALSE(parts.touches({0, 0, 100, 100}));
    // The part of a line in front of the eye is drawn where the line goes past it.
    lines.addLine({0, -1000, 0}, Front::at(50, 90), Qt::red);
    ViewParts both(front.camera, front.view);
    both.addLines(lines);
    EXPECT_TRUE(both.touches({45, 85, 10, 10}));
    EXPECT_FALSE(both.touches({5, 5, 10, 10}));
}

}  // namespace
}  // namespace gantry
