#include "ui/scene/volume/surface_contour.h"

#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkFlyingEdges3D.h>
#include <vtkIdList.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "core/metrics/trilinear.h"

namespace gantry {

namespace {

// A value so far below the level that the surface passes through the outermost voxels' centres, but
// whose square is still a float.
constexpr float kFarBelow = 1e12F;

// The slab with a layer of empty voxels where the grid ends.
vtkSmartPointer<vtkImageData> paddedImage(const SurfaceSlab& slab) {
    const auto [nX, nY, nZ] = slab.grid.voxels;
    const Index below = slab.slices.begin == 0 ? 1 : 0;
    const Index above = slab.slices.end == nZ ? 1 : 0;
    const Index rows = nY + 2;
    const Index columns = nX + 2;
    const Index planes = slab.slices.size() + below + above;
    auto image = vtkSmartPointer<vtkImageData>::New();
    // Slabs share one origin, so that they meet to the last bit.
    const auto firstZ = static_cast<int>(slab.slices.begin - below);
    image->SetExtent(-1, static_cast<int>(nX), -1, static_cast<int>(nY), firstZ,
                     firstZ + static_cast<int>(planes) - 1);
    image->SetSpacing(slab.grid.pitchMm.data());
    const Vec3 origin = slab.grid.originMm();
    image->SetOrigin(origin.x, origin.y, origin.z);
    image->AllocateScalars(VTK_FLOAT, 1);
    auto* values = static_cast<float*>(image->GetScalarPointer());
    const float clear = static_cast<float>(slab.level) - kFarBelow;
    parallelFor(availableThreads(), planes, 1,
                [&, columnsOf = nX, rowsOf = nY](Index begin, Index end, int) {
                    for (Index plane = begin; plane < end; ++plane) {
                        float* at = values + plane * rows * columns;
                        std::fill_n(at, rows * columns, clear);
                        const Index z = plane - below;
                        if (z < 0 || z >= slab.slices.size()) continue;
                        for (Index y = 0; y < rowsOf; ++y)
                            std::transform(slab.voxels.row(z, y), slab.voxels.row(z, y) + columnsOf,
                                           at + (y + 1) * columns + 1, [&](float value) {
                                               return std::isfinite(value) ? value : clear;
                                           });
                    }
                });
    return image;
}

// The gradient between the two voxels about a position, given in voxels from the first one's
// centre; where a plane face closes the surface, away from the grid.
Vec3 gradientAt(const VolumeGrid& grid, Span3<const float> voxels,
                const std::array<double, 3>& at) {
    constexpr double kAtFace = 1e-3;
    std::array<double, 3> gradient{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto last = static_cast<double>(grid.voxels[axis] - 1);
        std::array<double, 3> below = at;
        std::array<double, 3> above = at;
        below[axis] = std::max(at[axis] - 1, 0.0);
        above[axis] = std::min(at[axis] + 1, last);
        const double apart = (above[axis] - below[axis]) * grid.pitchMm[axis];
        if (apart > 0)
            gradient[axis] = (trilinear(voxels, above) - trilinear(voxels, below)) / apart;
        if (at[axis] <= kAtFace) gradient[axis] = static_cast<double>(kFarBelow);
        if (at[axis] >= last - kAtFace) gradient[axis] = -static_cast<double>(kFarBelow);
    }
    return {gradient[0], gradient[1], gradient[2]};
}

}  // namespace

void addNormals(vtkPolyData& mesh, const VolumeGrid& grid, Span3<const float> voxels,
                const std::stop_token& stop) {
    constexpr Index kAtOnce = 4096;
    const vtkIdType count = mesh.GetNumberOfPoints();
    vtkNew<vtkFloatArray> normals;
    normals->SetNumberOfComponents(3);
    normals->SetNumberOfTuples(count);
    float* out = normals->GetPointer(0);
    const Vec3 origin = grid.originMm();
    const auto normalsOf = [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i) {
            std::array<double, 3> mm{};
            mesh.GetPoints()->GetPoint(i, mm.data());
            const Vec3 upwards = gradientAt(
                grid, voxels,
                {(mm[0] - origin.x) / grid.pitchMm[0], (mm[1] - origin.y) / grid.pitchMm[1],
                 (mm[2] - origin.z) / grid.pitchMm[2]});
            const double size = std::max(length(upwards), std::numeric_limits<double>::min());
            out[3 * i] = static_cast<float>(-upwards.x / size);
            out[3 * i + 1] = static_cast<float>(-upwards.y / size);
            out[3 * i + 2] = static_cast<float>(-upwards.z / size);
        }
    };
    parallelFor(availableThreads(), count, kAtOnce, normalsOf, stop);
    mesh.GetPointData()->SetNormals(normals);
}

vtkSmartPointer<vtkPolyData> contourOf(const SurfaceSlab& slab) {
    vtkNew<vtkFlyingEdges3D> contour;
    contour->SetInputData(paddedImage(slab));
    contour->SetValue(0, slab.level);
    contour->ComputeNormalsOff();
    contour->ComputeGradientsOff();
    contour->ComputeScalarsOff();
    contour->Update();
    return contour->GetOutput();
}

void forEachTriangle(vtkPolyData& mesh, const std::function<void(const Triangle&)>& take) {
    vtkCellArray& cells = *mesh.GetPolys();
    vtkNew<vtkIdList> corners;
    for (cells.InitTraversal(); cells.GetNextCell(corners);) {
        Triangle triangle;
        for (vtkIdType i = 0; i < 3; ++i) {
            std::array<double, 3> at{};
            mesh.GetPoint(corners->GetId(i), at.data());
            triangle[i] = {at[0], at[1], at[2]};
        }
        take(triangle);
    }
}

SurfaceMeter::SurfaceMeter(const VolumeGrid& grid)
    : m_low(grid.originMm()),
      m_high(grid.positionMm(static_cast<double>(grid.voxels[0] - 1),
                             static_cast<double>(grid.voxels[1] - 1),
                             static_cast<double>(grid.voxels[2] - 1))) {
    // Floats are exact to this, even far off the isocentre.
    constexpr double kShare = 1e-3;
    m_slack = {kShare * grid.pitchMm[0], kShare * grid.pitchMm[1], kShare * grid.pitchMm[2]};
}

bool SurfaceMeter::isFace(const Triangle& triangle) const {
    const auto isIn = [&](double Vec3::*axis, double plane) {
        return std::ranges::all_of(triangle, [&](const Vec3& corner) {
            return std::abs(corner.*axis - plane) <= m_slack.*axis;
        });
    };
    return std::ranges::any_of(std::array{&Vec3::x, &Vec3::y, &Vec3::z}, [&](double Vec3::*axis) {
        return isIn(axis, m_low.*axis) || isIn(axis, m_high.*axis);
    });
}

void SurfaceMeter::add(const Triangle& triangle) {
    const Vec3 middle = 0.5 * (m_low + m_high);
    const auto& [a, b, c] = triangle;
    m_size.volumeMm3 += dot(a - middle, cross(b - middle, c - middle)) / 6;
    if (!isFace(triangle)) m_size.areaMm2 += 0.5 * length(cross(b - a, c - a));
    ++m_size.triangles;
}

}  // namespace gantry
