#pragma once

#include <QWidget>
#include <memory>
#include <span>

#include "core/geometry/volume_grid.h"
#include "ui/models/grey_image.h"

namespace gantry {

/// A volume rendered in 3D with shading and its box; left turns, middle pans, wheel zooms, right
/// drags window/level as in every view. On a real card by the card; where OpenGL is software by
/// VTK's CPU ray caster on a reduced copy, coarse while it moves.
/// Tests: tests/ui/scene/volume_rendering_test.cpp
class VolumeRendering : public QWidget {
    Q_OBJECT

  public:
    explicit VolumeRendering(QWidget* parent = nullptr);
    ~VolumeRendering() override;

    /// Shares the voxels, which `owner` keeps alive. [z][y][x]; attenuation, 1/mm
    void setVolume(const VolumeGrid& grid, std::shared_ptr<const void> owner,
                   std::span<const float> voxels);
    void setWindow(const GreyWindow& window);
    void clear();
    enum class Look { shaded, maximum };
    void setLook(Look look);
    void resetCamera();

  signals:
    void windowEdited(const gantry::GreyWindow& window);
    void rendered();
    void unavailable(const QString& sentence);

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
