#pragma once

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

namespace gantry {

/// Triangles with normals, in mm. A type of its own, so that who hands it on needs no VTK.
struct SurfaceMesh {
    vtkSmartPointer<vtkPolyData> triangles;
};

}  // namespace gantry
