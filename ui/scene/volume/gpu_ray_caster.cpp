#include "ui/scene/volume/gpu_ray_caster.h"

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkColorTransferFunction.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkLight.h>
#include <vtkMath.h>
#include <vtkNew.h>
#include <vtkOpenGLGPUVolumeRayCastMapper.h>
#include <vtkPiecewiseFunction.h>
#include <vtkPlane.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkTexture.h>
#include <vtkUnsignedShortArray.h>
#include <vtkVolume.h>
#include <vtkVolumeProperty.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "ui/scene/gl_canvas.h"
#include "ui/scene/volume/surface_contour.h"

namespace gantry {

namespace {

constexpr QRgb kSurfaceColour = qRgb(214, 206, 190);

vtkSmartPointer<vtkActor> actorOf(const PlanePicture& plane) {
    // VTK's first row is the lowest.
    const QImage rows = plane.image.convertToFormat(QImage::Format_RGB888).mirrored();
    vtkNew<vtkImageData> image;
    image->SetDimensions(rows.width(), rows.height(), 1);
    image->AllocateScalars(VTK_UNSIGNED_CHAR, 3);
    for (int y = 0; y < rows.height(); ++y)
        std::memcpy(image->GetScalarPointer(0, y, 0), rows.constScanLine(y),
                    3 * static_cast<std::size_t>(rows.width()));
    vtkNew<vtkTexture> texture;
    texture->SetInputData(image);
    const auto& [corner, along, up, ignored] = plane;
    vtkNew<vtkPoints> points;
    vtkNew<vtkFloatArray> places;
    places->SetNumberOfComponents(2);
    for (const auto& [x, y] : {std::pair(0.0F, 0.0F), {1.0F, 0.0F}, {1.0F, 1.0F}, {0.0F, 1.0F}}) {
        const Vec3 at = corner + static_cast<double>(x) * along + static_cast<double>(y) * up;
        points->InsertNextPoint(at.x, at.y, at.z);
        places->InsertNextTuple2(static_cast<double>(x), static_cast<double>(y));
    }
    vtkNew<vtkCellArray> cells;
    cells->InsertNextCell({0, 1, 2, 3});
    vtkNew<vtkPolyData> quad;
    quad->SetPoints(points);
    quad->SetPolys(cells);
    quad->GetPointData()->SetTCoords(places);
    vtkNew<vtkPolyDataMapper> mapper;
    mapper->SetInputData(quad);
    auto actor = vtkSmartPointer<vtkActor>::New();
    actor->SetMapper(mapper);
    actor->SetTexture(texture);
    actor->GetProperty()->LightingOff();
    return actor;
}

}  // namespace

struct GpuRayCaster::Parts {
    void setLook(const RayCastRequest& request);
    void setClips(const std::vector<HalfSpace>& clips);
    void setScene(const RayCastRequest& request);
    [[nodiscard]] double radiusAbout(const Vec3& focusMm) const;
    void setPlanes(const std::vector<PlanePicture>& wanted);

    vtkNew<vtkRenderer> renderer;
    GlCanvas canvas{*renderer};
    vtkNew<vtkOpenGLGPUVolumeRayCastMapper> mapper;
    vtkNew<vtkVolumeProperty> property;
    vtkNew<vtkVolume> volume;
    vtkNew<vtkLight> light;
    vtkNew<vtkPolyDataMapper> surfaceMapper;
    vtkNew<vtkActor> surface;
    std::shared_ptr<const ReducedVolume> reduced;
    std::vector<PlanePicture> planes;
    std::vector<vtkSmartPointer<vtkActor>> actors;  // of the planes
};

GpuRayCaster::GpuRayCaster() : m_parts(std::make_unique<Parts>()) {
    Parts& parts = *m_parts;
    parts.renderer->SetBackground(0, 0, 0);
    parts.renderer->SetBackgroundAlpha(0);
    parts.light->SetLightTypeToSceneLight();
    parts.renderer->AddLight(parts.light);
    parts.mapper->SetAutoAdjustSampleDistances(0);
    parts.mapper->SetLockSampleDistanceToInputSpacing(0);
    parts.mapper->SetUseJittering(1);
    parts.property->SetInterpolationTypeToLinear();
    parts.property->SetAmbient(kAmbient);
    parts.property->SetDiffuse(kDiffuse);
    parts.property->SetSpecular(kSpecular);
    parts.property->SetSpecularPower(kSpecularPower);
    parts.volume->SetProperty(parts.property);
    parts.volume->SetPickable(false);
    const QColor colour(kSurfaceColour);
    vtkProperty& matter = *parts.surface->GetProperty();
    matter.SetColor(colour.redF(), colour.greenF(), colour.blueF());
    matter.SetAmbient(kAmbient);
    matter.SetDiffuse(kDiffuse);
    matter.SetSpecular(kSpecular);
    matter.SetSpecularPower(kSpecularPower);
    parts.surfaceMapper->ScalarVisibilityOff();
    parts.surface->SetMapper(parts.surfaceMapper);
    parts.surface->SetPickable(false);
}

GpuRayCaster::~GpuRayCaster() = default;

QString GpuRayCaster::problem() const {
    return m_parts->canvas.problem();
}
bool GpuRayCaster::isSoftware() const {
    return m_parts->canvas.isSoftware();
}

QString GpuRayCaster::graphicsName() const {
    return m_parts->canvas.graphicsName();
}

void GpuRayCaster::setVolume(std::shared_ptr<const ReducedVolume> volume) {
    Parts& parts = *m_parts;
    parts.renderer->RemoveVolume(parts.volume);
    parts.reduced = std::move(volume);
    if (!parts.reduced) return;
    const VolumeGrid& grid = parts.reduced->grid;
    vtkNew<vtkImageData> image;
    image->SetDimensions(static_cast<int>(grid.voxels[0]), static_cast<int>(grid.voxels[1]),
                         static_cast<int>(grid.voxels[2]));
    image->SetSpacing(grid.pitchMm.data());
    const Vec3 origin = grid.originMm();
    image->SetOrigin(origin.x, origin.y, origin.z);
    // VTK reads what the volume keeps, and never writes it.
    vtkNew<vtkUnsignedShortArray> codes;
    codes->SetArray(const_cast<unsigned short*>(parts.reduced->voxels.data()),
                    static_cast<vtkIdType>(parts.reduced->voxels.size()), 1);
    image->GetPointData()->SetScalars(codes);
    parts.mapper->SetInputData(image);
    parts.volume->SetMapper(parts.mapper);
    parts.renderer->AddVolume(parts.volume);
}

void GpuRayCaster::Parts::setLook(const RayCastRequest& request) {
    vtkNew<vtkColorTransferFunction> colour;
    vtkNew<vtkPiecewiseFunction> opacity;
    const auto add = [&](const TransferPoint& point) {
        const double at = reduced->code(point.value);
        const QColor shown(point.colour);
        colour->AddRGBPoint(at, shown.redF(), shown.greenF(), shown.blueF());
        opacity->AddPoint(at, point.opacity);
    };
    const GreyWindow& window = request.window;
    const double width = std::max(window.width(), 1e-5 * (reduced->high - reduced->low));
    if (request.isMaximum) {
        for (const auto& [share, solid] : {std::pair(0.0, 0.0), {0.25, 1.0}, {1.0, 1.0}}) {
            const int level = static_cast<int>(std::lround(255 * share));
            add({window.black + share * width, solid, qRgb(level, level, level)});
        }
    } else {
        for (const TransferPoint& point : request.transfer.points)
            add(point);
    }
    property->SetColor(colour);
    property->SetScalarOpacity(opacity);
    property->SetShade(request.isMaximum ? 0 : 1);
    property->SetDisableGradientOpacity(request.isMaximum || !request.transfer.isByGradient);
    if (request.transfer.isByGradient) {
        const GreyWindow extent = request.transfer.extent();
        vtkNew<vtkPiecewiseFunction> gradient;
        gradient->AddPoint(0, 0);
        gradient->AddPoint(
            kFullGradient * (reduced->code(extent.white) - reduced->code(extent.black)), 1);
        property->SetGradientOpacity(gradient);
    }
    mapper->SetBlendMode(request.isMaximum ? vtkVolumeMapper::MAXIMUM_INTENSITY_BLEND
                                           : vtkVolumeMapper::COMPOSITE_BLEND);
}

void GpuRayCaster::Parts::setClips(const std::vector<HalfSpace>& clips) {
    mapper->RemoveAllClippingPlanes();
    surfaceMapper->RemoveAllClippingPlanes();
    for (const HalfSpace& half : clips) {
        vtkNew<vtkPlane> plane;
        plane->SetOrigin(half.pointMm.x, half.pointMm.y, half.pointMm.z);
        plane->SetNormal(half.inward.x, half.inward.y, half.inward.z);
        mapper->AddClippingPlane(plane);
        surfaceMapper->AddClippingPlane(plane);
    }
}

void GpuRayCaster::Parts::setPlanes(const std::vector<PlanePicture>& wanted) {
    if (wanted == planes) return;
    for (const auto& actor : actors)
        renderer->RemoveActor(actor);
    actors.clear();
    planes = wanted;
    for (const PlanePicture& plane : planes) {
        actors.push_back(actorOf(plane));
        renderer->AddActor(actors.back());
    }
}

void GpuRayCaster::setSurface(const std::shared_ptr<const SurfaceMesh>& mesh) {
    Parts& parts = *m_parts;
    parts.renderer->RemoveActor(parts.surface);
    parts.surfaceMapper->SetInputData(mesh ? mesh->triangles.Get() : nullptr);
    if (mesh) parts.renderer->AddActor(parts.surface);
}

void GpuRayCaster::Parts::setScene(const RayCastRequest& request) {
    volume->SetVisibility(!request.isSurface);
    surface->SetVisibility(request.isSurface);
    setClips(request.clips);
    setPlanes(request.planes);
    const OrbitCamera& camera = request.camera;
    const Vec3 at = camera.focusMm + camera.distanceMm() * towardsLight(camera);
    light->SetPosition(at.x, at.y, at.z);
    light->SetFocalPoint(camera.focusMm.x, camera.focusMm.y, camera.focusMm.z);
    if (request.isSurface || !reduced) return;
    setLook(request);
    const auto& pitch = reduced->grid.pitchMm;
    property->SetScalarOpacityUnitDistance(kOpacityShareOfDiagonal * diagonalMm(reduced->grid));
    mapper->SetImageSampleDistance(static_cast<float>(request.pixelsPerRay));
    mapper->SetSampleDistance(
        static_cast<float>(request.stepVoxels * *std::min_element(pitch.begin(), pitch.end())));
}

// About the camera's focus; holds all that is seen.
double GpuRayCaster::Parts::radiusAbout(const Vec3& focusMm) const {
    std::array<double, 6> ends{};
    renderer->ComputeVisiblePropBounds(ends.data());
    if (!vtkMath::AreBoundsInitialized(ends.data())) return 1;
    const Vec3 low{ends[0], ends[2], ends[4]};
    const Vec3 high{ends[1], ends[3], ends[5]};
    return length(focusMm - 0.5 * (low + high)) + length(high - low);
}

QImage GpuRayCaster::cast(const RayCastRequest& request) {
    Parts& parts = *m_parts;
    if (!request.isSurface && !parts.reduced) return {};
    parts.setScene(request);
    applyCamera(request.camera, request.size, parts.radiusAbout(request.camera.focusMm),
                *parts.renderer);
    return parts.canvas.draw(request.size);
}

}  // namespace gantry
