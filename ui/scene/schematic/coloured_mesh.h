#pragma once

#include <QColor>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/geometry/vec3.h"

class vtkRenderer;

namespace gantry {

/// Lines (two points a cell) or triangles (three), with a colour for every point.
struct ColouredMesh {
    std::vector<Vec3> points;
    std::vector<std::array<unsigned char, 4>> colours;  ///< RGBA, one a point

    void addLine(Vec3 from, Vec3 to, const QColor& colour);
    /// Adds lines through all points in turn.
    void addPath(std::span<const Vec3> path, const QColor& colour);
    void addDashes(Vec3 from, Vec3 to, int dashes, const QColor& colour);
    void addTriangle(Vec3 a, Vec3 b, Vec3 c, const QColor& colour);
    void addQuad(Vec3 a, Vec3 b, Vec3 c, Vec3 d, const QColor& colour);
    /// Adds a sphere of triangles, lit from the upper left of the given direction.
    void addSphere(Vec3 centre, double radius, Vec3 light, const QColor& colour);

  private:
    void addPoint(Vec3 point, const QColor& colour);
};

/// Shows one mesh in a scene. An update changes only data, never the pipeline.
/// Tests: tests/ui/scene/schematic_view_test.cpp
class MeshActor {
  public:
    enum class Kind { lines, triangles, translucentTriangles };
    MeshActor(vtkRenderer& renderer, Kind kind);
    ~MeshActor();

    void show(const ColouredMesh& mesh);
    void setLineWidth(double devicePixels);

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
