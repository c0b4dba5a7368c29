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

/// Voxels on the graphics card, drawn by VTK; a box of finer ones may replace a part of them. What
/// is behind that box is drawn before it, and what is in front of it after: planes of the box's
/// faces separate the two, so that any nest of boxes takes two passes each. GUI thread only. Tests:
/// tests/ui/scene/nested_boxes_test.cpp
class GpuVolume : public vtkVolume {
  public:
    static GpuVolume* New();
    vtkTypeMacro(GpuVolume, vtkVolume);

    /// Keeps the voxels, which VTK reads.
    void setVoxels(std::shared_ptr<const ReducedVolume> voxels);
    [[nodiscard]] const std::shared_ptr<const ReducedVolume>& voxels() const { return m_voxels; }
    /// Opacities and slopes are relative to the voxels of `whole`.
    void setLook(const RayCastRequest& request, const ReducedVolume& whole);
    /// Sets the box of finer voxels, which lies within; null: none.
    void setInner(const vtkSmartPointer<GpuVolume>& inner);

    int RenderVolumetricGeometry(vtkViewport* viewport) override;
    void ReleaseGraphicsResources(vtkWindow* window) override;

  protected:
    GpuVolume();
    ~GpuVolume() override;

  private:
    void takeLook(const RayCastRequest& request, const ReducedVolume& whole);
    void setClips(const std::vector<HalfSpace>& clips);
    [[nodiscard]] bool isMaximum() const { return m_look && m_look->isMaximum; }

    std::shared_ptr<const ReducedVolume> m_voxels;
    vtkSmartPointer<RegionMapper> m_mapper;
    vtkSmartPointer<vtkVolumeProperty> m_property;
    vtkSmartPointer<GpuVolume> m_inner;
    std::optional<RayCastRequest> m_look;  ///< without the camera
    BrickCodes m_bricks;
    std::optional<BoxEnds> m_visible;  // the space around it is empty and skipped
    std::vector<HalfSpace> m_clips;
};

}  // namespace gantry
