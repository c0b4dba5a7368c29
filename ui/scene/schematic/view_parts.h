#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <span>
#include <vector>

#include "core/geometry/vec3.h"
#include "ui/scene/orbit_camera.h"
#include "ui/scene/schematic/coloured_mesh.h"

namespace gantry {

/// The positions of a picture's lines and faces in a view, which words avoid.
/// Tests: tests/ui/scene/view_parts_test.cpp
class ViewParts {
  public:
    ViewParts(const OrbitCamera& camera, QSizeF view) : m_camera(camera), m_view(view) {}

    void addLines(const ColouredMesh& lines) { addCells(lines.points, 2); }
    void addTriangles(const ColouredMesh& triangles) { addCells(triangles.points, 3); }
    /// Adds the convex hull of the points, none of which is behind the eye.
    void addHull(std::span<const Vec3> points);

    /// Whether anything lies in an area, or nearer to it than a line's width.
    [[nodiscard]] bool touches(const QRectF& area) const;

  private:
    void addCells(const std::vector<Vec3>& points, std::size_t cornersOfEach);
    void addCell(std::span<const Vec3> corners);
    void add(std::span<const QPointF> convex);

    OrbitCamera m_camera;
    QSizeF m_view;
    // Corners of convex polygons, one after the other; a line has two corners.
    std::vector<QPointF> m_corners;
    std::vector<std::size_t> m_ends;
};

}  // namespace gantry
