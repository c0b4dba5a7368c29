#include "ui/scene/schematic/coloured_mesh.h"

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkUnsignedCharArray.h>

#include <algorithm>

namespace gantry {

void ColouredMesh::addPoint(Vec3 point, const QColor& colour) {
    points.push_back(point);
    colours.push_back(
        {static_cast<unsigned char>(colour.red()), static_cast<unsigned char>(colour.green()),
         static_cast<unsigned char>(colour.blue()), static_cast<unsigned char>(colour.alpha())});
}

void ColouredMesh::addLine(Vec3 from, Vec3 to, const QColor& colour) {
    addPoint(from, colour);
    addPoint(to, colour);
}

void ColouredMesh::addPath(std::span<const Vec3> path, const QColor& colour) {
    for (std::size_t i = 1; i < path.size(); ++i)
        addLine(path[i - 1], path[i], colour);
}

void ColouredMesh::addDashes(Vec3 from, Vec3 to, int dashes, const QColor& colour) {
    const Vec3 step = (1.0 / (2 * dashes - 1)) * (to - from);
    for (int i = 0; i < dashes; ++i)
        addLine(from + (2.0 * i) * step, from + (2.0 * i + 1) * step, colour);
}

void ColouredMesh::addTriangle(Vec3 a, Vec3 b, Vec3 c, const QColor& colour) {
    for (const Vec3 point : {a, b, c})
        addPoint(point, colour);
}

void ColouredMesh::addQuad(Vec3 a, Vec3 b, Vec3 c, Vec3 d, const QColor& colour) {
    addTriangle(a, b, c, colour);
    addTriangle(a, c, d, colour);
}

void ColouredMesh::addSphere(Vec3 centre, double radius, Vec3 light, const QColor& colour) {
    constexpr int kRings = 6;
    constexpr int kSectors = 12;
    constexpr double kAmbient = 0.55;
    const auto direction = [](int ring, int sector) {
        const double polar = kPi * ring / kRings;
        const double azimuth = 2 * kPi * sector / kSectors;
        return Vec3{std::sin(polar) * std::cos(azimuth), std::sin(polar) * std::sin(azimuth),
                    std::cos(polar)};
    };
    const auto add = [&](Vec3 normal) {
        const double lit = std::max(0.0, dot(normal, light) / length(light));
        const double share = kAmbient + (1 - kAmbient) * lit;
        addPoint(centre + radius * normal,
                 QColor::fromRgbF(static_cast<float>(share * colour.redF()),
                                  static_cast<float>(share * colour.greenF()),
                                  static_cast<float>(share * colour.blueF())));
    };
    for (int ring = 0; ring < kRings; ++ring)
        for (int sector = 0; sector < kSectors; ++sector) {
            const Vec3 corners[] = {direction(ring, sector), direction(ring, sector + 1),
                                    direction(ring + 1, sector + 1), direction(ring + 1, sector)};
            for (const int i : {0, 1, 2, 0, 2, 3})
                add(corners[i]);
        }
}

struct MeshActor::Parts {
    Kind kind;
    vtkNew<vtkPolyData> data;
    vtkNew<vtkPolyDataMapper> mapper;
    vtkNew<vtkActor> actor;
};

MeshActor::MeshActor(vtkRenderer& renderer, Kind kind) : m_parts(std::make_unique<Parts>()) {
    m_parts->kind = kind;
    m_parts->mapper->SetInputData(m_parts->data);
    m_parts->mapper->SetScalarModeToUsePointData();
    m_parts->actor->SetMapper(m_parts->mapper);
    // The colours are final, so one shader suffices and normals do not matter.
    m_parts->actor->GetProperty()->LightingOff();
    m_parts->actor->SetPickable(false);
    if (kind == Kind::translucentTriangles)
        m_parts->actor->ForceTranslucentOn();
    else
        m_parts->actor->ForceOpaqueOn();
    renderer.AddActor(m_parts->actor);
}

MeshActor::~MeshActor() = default;

void MeshActor::setLineWidth(double devicePixels) {
    m_parts->actor->GetProperty()->SetLineWidth(static_cast<float>(devicePixels));
}

void MeshActor::show(const ColouredMesh& mesh) {
    const auto count = static_cast<vtkIdType>(mesh.points.size());
    vtkNew<vtkPoints> points;
    vtkNew<vtkUnsignedCharArray> colours;
    points->SetNumberOfPoints(count);
    colours->SetNumberOfComponents(4);
    colours->SetNumberOfTuples(count);
    for (vtkIdType i = 0; i < count; ++i) {
        const Vec3 point = mesh.points[i];
        points->SetPoint(i, point.x, point.y, point.z);
        const auto& colour = mesh.colours[i];
        colours->SetTypedTuple(i, colour.data());
    }
    const vtkIdType corners = m_parts->kind == Kind::lines ? 2 : 3;
    vtkNew<vtkCellArray> cells;
    for (vtkIdType i = 0; i + corners <= count; i += corners) {
        const vtkIdType cell[] = {i, i + 1, i + 2};
        cells->InsertNextCell(corners, cell);
    }
    m_parts->data->SetPoints(points);
    m_parts->data->GetPointData()->SetScalars(colours);
    if (m_parts->kind == Kind::lines)
        m_parts->data->SetLines(cells);
    else
        m_parts->data->SetPolys(cells);
}

}  // namespace gantry
