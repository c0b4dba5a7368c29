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

/// The slices through a place that an appearance has, in the greys of a window; for where they are
/// in the scene. Of large slices a smaller picture. Tests: tests/ui/panels/scene_slices_test.cpp
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
