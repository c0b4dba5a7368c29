#include "ui/scene/volume/gpu_ray_caster.h"

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkLight.h>
#include <vtkMath.h>
#include <vtkNew.h>
#include <vtkPlane.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkTexture.h>

#include <QElapsedTimer>
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "ui/scene/gl_canvas.h"
#include "ui/scene/volume/gpu_volume.h"
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
    void setClips(const std::vector<HalfSpace>& clips);
    void remove();
    void nest(const std::vector<vtkSmartPointer<GpuVolume>>& wanted);
    [[nodiscard]] bool prepare(const RayCastRequest& request);
    vtkSmartPointer<GpuVolume> uploaded(const std::shared_ptr<const ReducedVolume>& box);
    void setScene(const RayCastRequest& request);
    [[nodiscard]] double radiusAbout(const Vec3& focusMm) const;
    void setPlanes(const std::vector<PlanePicture>& wanted);

    vtkNew<vtkRenderer> renderer;
    GlCanvas canvas{*renderer};
    vtkNew<vtkLight> light;
    vtkNew<vtkPolyDataMapper> surfaceMapper;
    vtkNew<vtkActor> surface;
    vtkSmartPointer<GpuVolume> whole;                 // null: none
    std::vector<vtkSmartPointer<GpuVolume>> boxes;    // each within the one before
    std::vector<vtkSmartPointer<GpuVolume>> waiting;  // on the card, but not shown yet
    std::vector<PlanePicture> planes;
    std::vector<vtkSmartPointer<vtkActor>> actors;  // of the planes
    int stripRows = 64;
};

GpuRayCaster::GpuRayCaster() : m_parts(std::make_unique<Parts>()) {
    Parts& parts = *m_parts;
    parts.renderer->SetBackground(0, 0, 0);
    parts.renderer->SetBackgroundAlpha(0);
    parts.light->SetLightTypeToSceneLight();
    parts.renderer->AddLight(parts.light);
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

void GpuRayCaster::moveToThread(QThread& thread) {
    m_parts->canvas.moveToThread(thread);
}

Index GpuRayCaster::freeBytes() const {
    return m_parts->canvas.freeBytes();
}

void GpuRayCaster::setVolume(const std::shared_ptr<const ReducedVolume>& volume) {
    Parts& parts = *m_parts;
    parts.remove();
    if (!volume) return;
    parts.whole = parts.uploaded(volume);
    parts.renderer->AddVolume(parts.whole);
}

void GpuRayCaster::Parts::remove() {
    if (!whole) return;
    nest({});
    renderer->RemoveVolume(whole);
    canvas.release(*whole);
    whole = nullptr;
}

void GpuRayCaster::Parts::nest(const std::vector<vtkSmartPointer<GpuVolume>>& wanted) {
    const auto old = std::exchange(boxes, wanted);
    GpuVolume* outer = whole;
    for (const auto& box : boxes) {
        outer->setInner(box);
        outer = box;
    }
    outer->setInner(nullptr);
    for (const auto& box : old)
        if (std::ranges::find(boxes, box) == boxes.end()) {
            box->setInner(nullptr);
            canvas.release(*box);
        }
}

// Draws something invisible, so that the voxels are uploaded now and the picture that shows them is
// quick.
vtkSmartPointer<GpuVolume> GpuRayCaster::Parts::uploaded(
    const std::shared_ptr<const ReducedVolume>& box) {
    constexpr QSize kUnseen(8, 8);
    auto gpu = vtkSmartPointer<GpuVolume>::New();
    gpu->setVoxels(box);
    if (whole) whole->SetVisibility(false);
    renderer->AddVolume(gpu);
    static_cast<void>(canvas.draw(kUnseen));
    renderer->RemoveVolume(gpu);
    if (whole) whole->SetVisibility(true);
    return gpu;
}

bool GpuRayCaster::takeBox(const Boxes& wanted) {
    Parts& parts = *m_parts;
    if (!parts.whole) return false;
    const auto isOf = [](const auto& box) {
        return [&box](const auto& gpu) { return gpu->voxels() == box; };
    };
    // Boxes that are neither shown nor wanted any more are dropped.
    std::erase_if(parts.waiting, [&](const auto& gpu) {
        return std::ranges::find(wanted, gpu->voxels()) == wanted.end();
    });
    std::vector<vtkSmartPointer<GpuVolume>> there;
    for (const auto& box : wanted) {
        auto found = std::ranges::find_if(parts.boxes, isOf(box));
        if (found == parts.boxes.end()) {
            found = std::ranges::find_if(parts.waiting, isOf(box));
            if (found == parts.waiting.end()) {
                parts.waiting.push_back(parts.uploaded(box));
                return true;
            }
        }
        there.push_back(*found);
    }
    parts.waiting.clear();
    if (there != parts.boxes) parts.nest(there);
    return false;
}

void GpuRayCaster::Parts::setClips(const std::vector<HalfSpace>& clips) {
    surfaceMapper->RemoveAllClippingPlanes();
    for (const HalfSpace& half : clips) {
        vtkNew<vtkPlane> plane;
        plane->SetOrigin(half.pointMm.x, half.pointMm.y, half.pointMm.z);
        plane->SetNormal(half.inward.x, half.inward.y, half.inward.z);
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
    if (whole) whole->SetVisibility(!request.isSurface);
    surface->SetVisibility(request.isSurface);
    setClips(request.clips);
    setPlanes(request.planes);
    const OrbitCamera& camera = request.camera;
    const Vec3 at = camera.focusMm + camera.distanceMm() * towardsLight(camera);
    light->SetPosition(at.x, at.y, at.z);
    light->SetFocalPoint(camera.focusMm.x, camera.focusMm.y, camera.focusMm.z);
    if (request.isSurface || !whole) return;
    whole->setAppearance(request, *whole->voxels());
    for (const auto& box : boxes)
        box->setAppearance(request, *whole->voxels());
}

// Radius about the camera's focus that contains everything visible.
double GpuRayCaster::Parts::radiusAbout(const Vec3& focusMm) const {
    std::array<double, 6> ends{};
    renderer->ComputeVisiblePropBounds(ends.data());
    if (!vtkMath::AreBoundsInitialized(ends.data())) return 1;
    const Vec3 low{ends[0], ends[2], ends[4]};
    const Vec3 high{ends[1], ends[3], ends[5]};
    return length(focusMm - 0.5 * (low + high)) + length(high - low);
}

// Whether there is anything to draw.
bool GpuRayCaster::Parts::prepare(const RayCastRequest& request) {
    if (!request.isSurface && !whole) return false;
    setScene(request);
    canvas.setSmoothEdges(request.isSurface || !request.planes.empty());
    applyCamera(request.camera, request.size, radiusAbout(request.camera.focusMm), *renderer);
    return true;
}

QImage GpuRayCaster::cast(const RayCastRequest& request) {
    Parts& parts = *m_parts;
    if (!parts.prepare(request)) return {};
    return parts.canvas.draw(request.size);
}

QImage GpuRayCaster::castInStrips(const RayCastRequest& request, const std::stop_token& stop) {
    constexpr double kStripMs = 25;
    constexpr double kMaxGrowth = 4;
    constexpr int kMinRows = 16;
    if (request.isSurface) return cast(request);
    Parts& parts = *m_parts;
    if (!parts.prepare(request)) return {};
    const QSize size = request.size;
    QImage picture(size, QImage::Format_ARGB32_Premultiplied);
    for (int row = 0; row < size.height();) {
        if (stop.stop_requested()) return {};
        QElapsedTimer timer;
        timer.start();
        const int rows = std::min(parts.stripRows, size.height() - row);
        lookAtRows(row, rows, size.height(), request.camera.verticalAngleDeg(size),
                   *parts.renderer);
        const QImage strip = parts.canvas.draw({size.width(), rows});
        if (strip.isNull()) return {};
        for (int i = 0; i < rows; ++i)
            std::memcpy(picture.scanLine(row + i), strip.constScanLine(i),
                        static_cast<std::size_t>(strip.bytesPerLine()));
        row += rows;
        const double ms = std::max(1e-6 * static_cast<double>(timer.nsecsElapsed()), 0.1);
        const double growth = std::min(kStripMs / ms, kMaxGrowth);
        parts.stripRows = std::max(kMinRows, static_cast<int>(growth * rows));
    }
    return picture;
}

}  // namespace gantry
