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

/// Triangles with normals, in mm. A type of its own, so that who hands it on needs no VTK.
struct SurfaceMesh {
    vtkSmartPointer<vtkPolyData> triangles;
};

/// Some slices of a grid whose surface is wanted.
struct SurfaceSlab {
    VolumeGrid grid;
    Span3<const float> voxels;  ///< of the slices alone, [z][y][x]
    IndexRange slices;
    double level = 0;  ///< in the unit of the voxels
};

/// By flying edges (Schroeder, Maynard and Geveci 2015), in mm. Closed where the grid ends, open
/// where only the slab does.
/// @throws ResourceError when there are more triangles than can be counted
[[nodiscard]] vtkSmartPointer<vtkPolyData> contourOf(const SurfaceSlab& slab);

/// Gives a mesh's corners normals to where attenuation is lower, from the gradient of the grid's
/// voxels. @throws Cancelled
void addNormals(vtkPolyData& mesh, const VolumeGrid& grid, Span3<const float> voxels,
                const std::stop_token& stop);

/// In mm, counter-clockwise seen from where attenuation is lower.
using Triangle = std::array<Vec3, 3>;
void forEachTriangle(vtkPolyData& mesh, const std::function<void(const Triangle&)>& take);

/// Adds up triangles of a surface that is closed at the grid's outermost voxels.
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
