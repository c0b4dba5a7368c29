#include "ui/scene/volume/gpu_volume.h"

#include <vtkCamera.h>
#include <vtkColorTransferFunction.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLGPUVolumeRayCastMapper.h>
#include <vtkOpenGLRenderWindow.h>
#include <vtkOpenGLState.h>
#include <vtkPiecewiseFunction.h>
#include <vtkPlane.h>
#include <vtkPointData.h>
#include <vtkRenderer.h>
#include <vtkUnsignedShortArray.h>
#include <vtkVolumeProperty.h>

#include <QColor>
#include <algorithm>
#include <cmath>

#include "ui/scene/volume/voxel_ray.h"

namespace gantry {

namespace {

// A constant of OpenGL, whose headers VTK does not expose.
constexpr unsigned kBlendAdd = 0x8006;
constexpr unsigned kBlendMax = 0x8008;

// Each clipping plane makes VTK's shading slower, so a small gain is not worth it.
constexpr double kWorthSkipping = 0.7;

double volumeOf(const BoxEnds& box) {
    double volume = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
        volume *= box.highMm[axis] - box.lowMm[axis];
    return volume;
}

vtkSmartPointer<vtkImageData> imageOf(const ReducedVolume& reduced) {
    const VolumeGrid& grid = reduced.grid;
    auto image = vtkSmartPointer<vtkImageData>::New();
    image->SetDimensions(static_cast<int>(grid.voxels[0]), static_cast<int>(grid.voxels[1]),
                         static_cast<int>(grid.voxels[2]));
    image->SetSpacing(grid.pitchMm.data());
    const Vec3 origin = grid.originMm();
    image->SetOrigin(origin.x, origin.y, origin.z);
    // VTK only reads the voxels, which the volume keeps.
    vtkNew<vtkUnsignedShortArray> codes;
    codes->SetArray(const_cast<unsigned short*>(reduced.voxels.data()),
                    static_cast<vtkIdType>(reduced.voxels.size()), 1);
    image->GetPointData()->SetScalars(codes);
    return image;
}

}  // namespace

// Draws some of the regions around a box.
class RegionMapper : public vtkOpenGLGPUVolumeRayCastMapper {
  public:
    static RegionMapper* New();
    vtkTypeMacro(RegionMapper, vtkOpenGLGPUVolumeRayCastMapper);
    // Does not mark the mapper as modified, because VTK would make its shader again for each pass.
    void setRegions(int flags) { CroppingRegionFlags = flags; }
    // Does not mark it either: these are numbers for the shader, and the tables store their own
    // step.
    void setFineness(float pixelsPerRay, float stepMm) {
        ImageSampleDistance = pixelsPerRay;
        SampleDistance = stepMm;
    }
};

vtkStandardNewMacro(RegionMapper);
vtkStandardNewMacro(GpuVolume);

GpuVolume::GpuVolume() {
    m_mapper = vtkSmartPointer<RegionMapper>::New();
    m_property = vtkSmartPointer<vtkVolumeProperty>::New();
    m_mapper->SetAutoAdjustSampleDistances(0);
    m_mapper->SetLockSampleDistanceToInputSpacing(0);
    m_mapper->SetUseJittering(1);
    m_property->SetInterpolationTypeToLinear();
    m_property->SetAmbient(kAmbient);
    m_property->SetDiffuse(kDiffuse);
    m_property->SetSpecular(kSpecular);
    m_property->SetSpecularPower(kSpecularPower);
    SetProperty(m_property);
    SetMapper(m_mapper);
    SetPickable(false);
}

GpuVolume::~GpuVolume() = default;

void GpuVolume::setVoxels(std::shared_ptr<const ReducedVolume> voxels) {
    m_voxels = std::move(voxels);
    m_mapper->SetInputData(imageOf(*m_voxels));
    m_bricks = BrickCodes(*m_voxels);
}

void GpuVolume::setAppearance(const RayCastRequest& request, const ReducedVolume& whole) {
    applyAppearance(request, whole);
    setClips(m_visible ? clipsWithin(*m_visible, request.clips) : request.clips);
}

void GpuVolume::applyAppearance(const RayCastRequest& request, const ReducedVolume& whole) {
    const auto minPitch = [](const ReducedVolume& volume) {
        return *std::ranges::min_element(volume.grid.pitchMm);
    };
    const double pitch = minPitch(*m_voxels);
    m_mapper->setFineness(static_cast<float>(request.pixelsPerRay),
                          static_cast<float>(request.stepVoxels * pitch));
    // VTK makes its shader and tables again for every change, so equal settings are skipped.
    RayCastRequest appearance = request;
    appearance.camera = {};
    appearance.size = {};
    appearance.clips.clear();
    appearance.planes.clear();
    appearance.pixelsPerRay = appearance.stepVoxels = 1;
    if (m_appearance == appearance) return;
    m_appearance = appearance;
    const BoxEnds ends = endsOf(m_voxels->grid);
    // If nothing is visible, the box is a corner.
    const BoxEnds seen =
        m_bricks.visibleBox(*m_voxels, request).value_or(BoxEnds{ends.lowMm, ends.lowMm});
    m_visible.reset();
    if (volumeOf(seen) < kWorthSkipping * volumeOf(ends)) m_visible = seen;
    vtkNew<vtkColorTransferFunction> colour;
    vtkNew<vtkPiecewiseFunction> opacity;
    const auto add = [&](const TransferPoint& point) {
        const double at = m_voxels->code(point.value);
        const QColor shown(point.colour);
        colour->AddRGBPoint(at, shown.redF(), shown.greenF(), shown.blueF());
        opacity->AddPoint(at, point.opacity);
    };
    const GreyWindow& window = request.window;
    const double width = std::max(window.width(), 1e-5 * (whole.high - whole.low));
    if (request.isMaximum) {
        for (const auto& [share, solid] : {std::pair(0.0, 0.0), {0.25, 1.0}, {1.0, 1.0}}) {
            const int level = static_cast<int>(std::lround(255 * share));
            add({window.black + share * width, solid, qRgb(level, level, level)});
        }
    } else {
        for (const TransferPoint& point : request.transfer.points)
            add(point);
    }
    m_property->SetColor(colour);
    m_property->SetScalarOpacity(opacity);
    m_property->SetShade(request.isMaximum ? 0 : 1);
    m_property->SetDisableGradientOpacity(request.isMaximum || !request.transfer.isByGradient);
    if (request.transfer.isByGradient) {
        const GreyWindow extent = request.transfer.extent();
        vtkNew<vtkPiecewiseFunction> gradient;
        gradient->AddPoint(0, 0);
        gradient->AddPoint(kFullGradient * pitch / minPitch(whole) *
                               (m_voxels->code(extent.white) - m_voxels->code(extent.black)),
                           1);
        m_property->SetGradientOpacity(gradient);
    }
    m_property->SetScalarOpacityUnitDistance(kOpacityShareOfDiagonal * diagonalMm(whole.grid));
    m_mapper->SetBlendMode(request.isMaximum ? vtkVolumeMapper::MAXIMUM_INTENSITY_BLEND
                                             : vtkVolumeMapper::COMPOSITE_BLEND);
}

void GpuVolume::setClips(const std::vector<HalfSpace>& clips) {
    if (clips == m_clips) return;
    m_clips = clips;
    m_mapper->RemoveAllClippingPlanes();
    for (const HalfSpace& half : clips) {
        vtkNew<vtkPlane> plane;
        plane->SetOrigin(half.pointMm.x, half.pointMm.y, half.pointMm.z);
        plane->SetNormal(half.inward.x, half.inward.y, half.inward.z);
        m_mapper->AddClippingPlane(plane);
    }
}

void GpuVolume::setInner(const vtkSmartPointer<GpuVolume>& inner) {
    if (m_inner == inner) return;
    m_inner = inner;
    m_mapper->SetCropping(inner != nullptr);
    if (!inner) return;
    const BoxEnds ends = endsOf(inner->m_voxels->grid);
    m_mapper->SetCroppingRegionPlanes(ends.lowMm[0], ends.highMm[0], ends.lowMm[1], ends.highMm[1],
                                      ends.lowMm[2], ends.highMm[2]);
}

int GpuVolume::RenderVolumetricGeometry(vtkViewport* viewport) {
    if (!m_inner) return vtkVolume::RenderVolumetricGeometry(viewport);
    auto* renderer = vtkRenderer::SafeDownCast(viewport);
    auto* window = vtkOpenGLRenderWindow::SafeDownCast(renderer->GetRenderWindow());
    // Passes of a maximum have no order.
    if (isMaximum()) window->GetState()->vtkglBlendEquation(kBlendMax);
    std::array<double, 3> eye{};
    renderer->GetActiveCamera()->GetPosition(eye.data());
    const int before = regionsBefore(m_inner->m_voxels->grid, {eye[0], eye[1], eye[2]});
    m_mapper->setRegions(kAround & ~before);
    int drawn = vtkVolume::RenderVolumetricGeometry(viewport);
    drawn += m_inner->RenderVolumetricGeometry(viewport);
    if (isMaximum()) window->GetState()->vtkglBlendEquation(kBlendMax);
    m_mapper->setRegions(before);
    if (before != 0) drawn += vtkVolume::RenderVolumetricGeometry(viewport);
    if (isMaximum()) window->GetState()->vtkglBlendEquation(kBlendAdd);
    return drawn > 0 ? 1 : 0;
}

void GpuVolume::ReleaseGraphicsResources(vtkWindow* window) {
    if (m_inner) m_inner->ReleaseGraphicsResources(window);
    vtkVolume::ReleaseGraphicsResources(window);
}

}  // namespace gantry
