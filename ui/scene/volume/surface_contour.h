#pragma once

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include <array>
#include <functional>
#include <stop_token>

#include "core/base/span3.h"
#include "core/geometry/vec3.h"
#include "core/geometry/volume_grid.h"
#include "ui/scene/volume/isosurface.h"

namespace gantry {

/// Triangles with normals, in mm. It has a type of its own so that code that passes it on needs no
/// VTK.
struct SurfaceMesh {
    vtkSmartPointer<vtkPolyData> triangles;
};

/// Some slices of a grid, and the level of the surface.
struct SurfaceSlab {
    VolumeGrid grid;
    Span3<const float> voxels;  ///< of these slices only, [z][y][x]
    IndexRange slices;
    double level = 0;  ///< in the unit of the voxels
};

/// The surface by flying edges (Schroeder, Maynard and Geveci 2015), in mm. Closed where the grid
/// ends, open where only the slab does.
/// @throws ResourceError when there are more triangles than can be counted
[[nodiscard]] vtkSmartPointer<vtkPolyData> contourOf(const SurfaceSlab& slab);

/// Gives a mesh's corners normals towards lower attenuation, from the gradient of the grid's
/// voxels.
/// @throws Cancelled
void addNormals(vtkPolyData& mesh, const VolumeGrid& grid, Span3<const float> voxels,
                const std::stop_token& stop);

/// Corners in mm, counter-clockwise seen from the side of lower attenuation.
using Triangle = std::array<Vec3, 3>;
void forEachTriangle(vtkPolyData& mesh, const std::function<void(const Triangle&)>& take);

/// Sums triangles of a surface that is closed at the grid's outermost voxels.
/// Tests: tests/ui/scene/isosurface_test.cpp
class SurfaceMeter {
  public:
    explicit SurfaceMeter(const VolumeGrid& grid);
    void add(const Triangle& triangle);
    [[nodiscard]] const SurfaceSize& size() const { return m_size; }

  private:
    [[nodiscard]] bool isFace(const Triangle& triangle) const;

    Vec3 m_low;
    Vec3 m_high;
    Vec3 m_slack;
    SurfaceSize m_size;
};

}  // namespace gantry
