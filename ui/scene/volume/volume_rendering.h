#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/geometry/volume_grid.h"
#include "core/io/volume/volume_levels.h"
#include "ui/models/image/grey_image.h"
#include "ui/scene/orbit_widget.h"
#include "ui/scene/volume/detail_boxes.h"
#include "ui/scene/volume/picture_saver.h"
#include "ui/scene/volume/ray_cast_request.h"

namespace gantry {

struct SurfaceMesh;

/// A volume rendered in 3D with shading and its box; the left button turns, the middle one pans,
/// the wheel zooms, and dragging with the right one sets window/level as in every view.
/// VolumePictures makes the pictures.
/// Tests: tests/ui/scene/volume_rendering_test.cpp
class VolumeRendering : public OrbitWidget {
    Q_OBJECT

  public:
    explicit VolumeRendering(QWidget* parent = nullptr);
    ~VolumeRendering() override;

    /// Shares the voxels, which `owner` keeps alive. [z][y][x]; attenuation, 1/mm
    /// levels: source of finer voxels; null: none
    void setVolume(const VolumeGrid& grid, std::shared_ptr<const void> owner,
                   std::span<const float> voxels,
                   std::shared_ptr<const VolumeLevels> levels = nullptr);
    void setUnit(const QString& unit);  ///< of the voxels
    void setWindow(const GreyWindow& window);
    /// Sets how shaded matter looks; before that, and after followWindow(), it follows the window.
    void setTransfer(const TransferFunction& transfer);
    void followWindow(bool isByGradient);
    /// Shows only the part that lies in all of them.
    void setClips(const std::vector<HalfSpace>& clips);
    void setPlanes(const std::vector<PlanePicture>& planes);
    /// Where the finest voxels are read while it is visible; otherwise in the view's middle.
    void setFinestAt(const Vec3& placeMm);
    /// Shows three lines through a point, which can be dragged where they meet; none: no lines.
    void setCrossHair(std::optional<Vec3> placeMm);
    void clear();
    /// Sets the surface for Mode::surface; null: nothing.
    void setSurface(const std::shared_ptr<const SurfaceMesh>& mesh);
    /// Makes software OpenGL count as a graphics card from the start: slow, for tests.
    void setSoftwareEnough(bool isEnough);
    /// Describes the picture in its top left corner; as a warning if it may be misunderstood. A
    /// long one is shortened, and is whole in a tool tip: see fittedCaption().
    void setCaption(const QString& text, bool isWarning);
    enum class Mode { shaded, maximum, surface };
    void setMode(Mode mode);
    /// Removes a quarter, so that the inside is visible, with cut matter in its grey. Always drawn
    /// by the processor.
    void setCutOpen(bool isCutOpen);
    /// The source for saved pictures; none until the volume is prepared.
    [[nodiscard]] std::optional<PictureSource> pictureSource();
    /// None until the volume is prepared.
    [[nodiscard]] std::optional<ShownVoxels> shownVoxels() const;
    /// Whether the picture shows all settings as finely as possible.
    [[nodiscard]] bool isFinished() const;

    [[nodiscard]] QSize sizeHint() const override { return {480, 400}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, 140}; }

  signals:
    /// Emitted during a drag with the right button as the picture follows, and once at its end.
    void windowEdited(const gantry::GreyWindow& window);
    void transferEdited(const gantry::TransferFunction& transfer);
    void dragFinished();
    void crossHairEdited(gantry::Vec3 placeMm);
    /// Emitted when a picture is on the screen, including coarse ones.
    void rendered();

  protected:
    bool event(QEvent* event) override;
    [[nodiscard]] OrbitCamera homeCamera() const override;
    void cameraMoved(bool isMoving) override;
    [[nodiscard]] bool takesDrag(QPointF at, Qt::MouseButton button) override;
    void dragged(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void dragEnded() override;
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void pictureChanged();
    [[nodiscard]] DetailTarget targetOf(const RayCastRequest& request) const;
    template <class T>
    void change(T& now, const T& wanted);
    void dragCrossHair(QPointF at);
    [[nodiscard]] QRect captionPlace() const;
    void paintWords(QPainter& painter) const;

    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
