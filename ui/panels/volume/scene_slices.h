#pragma once

#include <QWidget>
#include <array>
#include <vector>

#include "ui/models/image/slice_images.h"
#include "ui/scene/volume/plane_picture.h"

class QCheckBox;

namespace gantry {

class AppearanceHistory;
struct VolumeAppearance;

/// Pictures of the slices that the appearance shows through a place, in the greys of a window, to
/// be drawn in the scene. Large slices are reduced. Tests: tests/ui/panels/scene_slices_test.cpp
[[nodiscard]] std::vector<PlanePicture> slicePictures(const VoxelData& data,
                                                      const VolumeAppearance& appearance,
                                                      const Vec3& placeMm,
                                                      const GreyWindow& window);

/// Which slices, and whether the cross-hair, are shown in the scene.
/// Tests: tests/ui/panels/scene_slices_test.cpp
class SceneSlicesGroup : public QWidget {
    Q_OBJECT

  public:
    explicit SceneSlicesGroup(AppearanceHistory& history, QWidget* parent = nullptr);

  private:
    void showAppearance();

    AppearanceHistory& m_history;
    std::array<QCheckBox*, 3> m_slices = {};
    QCheckBox* m_crossHair = nullptr;
};

}  // namespace gantry
