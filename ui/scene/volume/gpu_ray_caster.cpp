#include "ui/scene/volume/gpu_ray_caster.h"

#include <vtkColorTransferFunction.h>
#include <vtkImageData.h>
#include <vtkLight.h>
#include <vtkNew.h>
#include <vtkOpenGLGPUVolumeRayCastMapper.h>
#include <vtkPiecewiseFunction.h>
#include <vtkPointData.h>
#include <vtkRenderer.h>
#include <vtkUnsignedShortArray.h>
#include <vtkVolume.h>
#include <vtkVolumeProperty.h>

#include <algorithm>

#include "ui/scene/gl_canvas.h"

namespace gantry {

struct GpuRayCaster::Parts {
    void setLook(const GreyWindow& window, bool isMaximum);

    vtkNew<vtkRenderer> renderer;
    GlCanvas canvas{*renderer};
    vtkNew<vtkOpenGLGPUVolumeRayCastMapper> mapper;
    vtkNew<vtkVolumeProperty> property;
    vtkNew<vtkVolume> volume;
    vtkNew<vtkLight> light;
    std::shared_ptr<const ReducedVolume> reduced;
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
}

GpuRayCaster::~GpuRayCaster() = default;

QString GpuRayCaster::problem() const {
    return m_parts->canvas.problem();
}
bool GpuRayCaster::isSoftware() const {
    return m_parts->canvas.isSoftware();
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

void GpuRayCaster::Parts::setLook(const GreyWindow& window, bool isMaximum) {
    const double black = reduced->code(window.black);
    const double width = std::max(1e-3, reduced->code(window.white) - black);
    vtkNew<vtkColorTransferFunction> grey;
    vtkNew<vtkPiecewiseFunction> opacity;
    const auto add = [&](const LookPoint& point) {
        const double at = black + point.share * width;
        grey->AddRGBPoint(at, point.brightness, point.brightness, point.brightness);
        opacity->AddPoint(at, point.opacity);
    };
    if (isMaximum) {
        for (const LookPoint point : {LookPoint{0, 0, 0}, {0.25, 1, 0.25}, {1, 1, 1}})
            add(point);
    } else {
        for (const LookPoint& point : kShadedLook)
            add(point);
    }
    property->SetColor(grey);
    property->SetScalarOpacity(opacity);
    property->SetShade(isMaximum ? 0 : 1);
    mapper->SetBlendMode(isMaximum ? vtkVolumeMapper::MAXIMUM_INTENSITY_BLEND
                                   : vtkVolumeMapper::COMPOSITE_BLEND);
}

QImage GpuRayCaster::cast(const RayCastRequest& request) {
    Parts& parts = *m_parts;
    if (!parts.reduced) return {};
    parts.setLook(request.window, request.isMaximum);
    const double diagonal = diagonalMm(parts.reduced->grid);
    const auto& pitch = parts.reduced->grid.pitchMm;
    parts.property->SetScalarOpacityUnitDistance(kOpacityShareOfDiagonal * diagonal);
    parts.mapper->SetImageSampleDistance(static_cast<float>(request.pixelsPerRay));
    parts.mapper->SetSampleDistance(
        static_cast<float>(request.stepVoxels * *std::min_element(pitch.begin(), pitch.end())));
    const OrbitCamera& camera = request.camera;
    const Vec3 light = camera.focusMm + camera.distanceMm() * towardsLight(camera);
    parts.light->SetPosition(light.x, light.y, light.z);
    parts.light->SetFocalPoint(camera.focusMm.x, camera.focusMm.y, camera.focusMm.z);
    const auto& centre = parts.reduced->grid.centerMm;
    const Vec3 middle{centre[0], centre[1], centre[2]};
    applyCamera(camera, request.size, length(camera.focusMm - middle) + diagonal, *parts.renderer);
    return parts.canvas.draw(request.size);
}

}  // namespace gantry
