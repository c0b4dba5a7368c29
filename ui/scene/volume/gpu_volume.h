#pragma once

#include <vtkSmartPointer.h>
#include <vtkVolume.h>

#include <memory>
#include <optional>
#include <vector>

#include "ui/scene/volume/ray_cast_request.h"
#include "ui/scene/volume/reduced_volume.h"
#include "ui/scene/volume/visible_box.h"

class vtkVolumeProperty;

namespace gantry {

class RegionMapper;

/// A volume on the graphics card, rendered by VTK. A box of finer voxels may replace a part of it,
/// and boxes may be nested. The part behind the box is drawn before it and the part in front of it
/// after it, separated by the planes of the box's faces; so every volume takes at most two passes.
/// GUI thread only. Tests: tests/ui/scene/nested_boxes_test.cpp
class GpuVolume : public vtkVolume {
  public:
    static GpuVolume* New();
    vtkTypeMacro(GpuVolume, vtkVolume);

    /// Sets the voxels and shares their ownership, because VTK reads them without a copy.
    void setVoxels(std::shared_ptr<const ReducedVolume> voxels);
    [[nodiscard]] const std::shared_ptr<const ReducedVolume>& voxels() const { return m_voxels; }
    /// Sets how the voxels are rendered: transfer function, shading, sampling and clipping. whole:
    /// the outermost volume, whose voxel size and values scale the opacities and gradients
    void setAppearance(const RayCastRequest& request, const ReducedVolume& whole);
    /// Sets the box of finer voxels, which must lie within this volume; null: none.
    void setInner(const vtkSmartPointer<GpuVolume>& inner);

    int RenderVolumetricGeometry(vtkViewport* viewport) override;
    void ReleaseGraphicsResources(vtkWindow* window) override;

  protected:
    GpuVolume();
    ~GpuVolume() override;

  private:
    void applyAppearance(const RayCastRequest& request, const ReducedVolume& whole);
    void setClips(const std::vector<HalfSpace>& clips);
    [[nodiscard]] bool isMaximum() const { return m_appearance && m_appearance->isMaximum; }

    std::shared_ptr<const ReducedVolume> m_voxels;
    vtkSmartPointer<RegionMapper> m_mapper;
    vtkSmartPointer<vtkVolumeProperty> m_property;
    vtkSmartPointer<GpuVolume> m_inner;
    std::optional<RayCastRequest> m_appearance;  ///< without the camera
    BrickCodes m_bricks;
    std::optional<BoxEnds> m_visible;  ///< rays are cast only here; none: everywhere
    std::vector<HalfSpace> m_clips;
};

}  // namespace gantry
