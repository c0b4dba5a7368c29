#pragma once

#include <QImage>
#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <span>

#include "core/geometry/volume_grid.h"
#include "core/io/volume/volume_levels.h"
#include "ui/scene/orbit_camera.h"
#include "ui/scene/volume/detail_boxes.h"
#include "ui/scene/volume/picture_saver.h"
#include "ui/scene/volume/ray_cast_request.h"

class QWidget;

namespace gantry {

struct SurfaceMesh;

/// Pictures of a volume for a view: drawn by the card if there is a real one; if OpenGL is
/// software, or older than 3.2, by the processor in the background, coarse while it moves. They are
/// made from a reduced copy, and from boxes of finer voxels where needed, which are also made in
/// the background and within a budget of memory. A surface is always drawn by OpenGL. Works only
/// while the view is visible. Tests: tests/ui/scene/volume_rendering_test.cpp
class VolumePictures : public QObject {
    Q_OBJECT

  public:
    explicit VolumePictures(QWidget& view);
    ~VolumePictures() override;

    /// To be called before chooseCaster(): software OpenGL then counts as a card.
    void setSoftwareEnough(bool isEnough);
    /// Looks for the card, and starts.
    void chooseCaster();
    /// Shares the voxels, which `owner` keeps alive. [z][y][x]; attenuation, 1/mm
    /// levels: source of finer voxels; null: none
    void setVolume(const VolumeGrid& grid, std::shared_ptr<const void> owner,
                   std::span<const float> voxels,
                   std::shared_ptr<const VolumeLevels> levels = nullptr);
    void clear();
    /// Sets the surface for requests with isSurface; null: nothing.
    void setSurface(const std::shared_ptr<const SurfaceMesh>& mesh);

    /// Requests this picture in place of the last one; a coarse one suffices while it moves.
    void ask(const RayCastRequest& request, bool isMoving);
    /// States that the picture no longer moves.
    void settle();
    /// Requests finer voxels for this viewpoint, read in the background.
    void wantDetail(const DetailTarget& target);
    /// Starts the next piece of work, if any.
    void advance();

    [[nodiscard]] bool hasVolume() const;
    /// Whether the picture shows the request as finely as possible.
    [[nodiscard]] bool isFinished() const;
    [[nodiscard]] const QImage& picture() const;  ///< null: none yet
    [[nodiscard]] const OrbitCamera& pictureCamera() const;
    [[nodiscard]] QString problem() const;  ///< why there is none, a sentence
    /// The voxels that the picture shows; none until the volume is prepared.
    [[nodiscard]] std::optional<ShownVoxels> shownVoxels() const;
    /// None until the volume is prepared.
    [[nodiscard]] std::optional<PictureSource> source();

  signals:
    void changed();
    /// Emitted when there is a picture, including coarse ones.
    void rendered();

  private:
    void prepare();
    void prepareBox();
    void castOnGpu();
    void dropGpu(const QString& sentence);
    void castHere(bool isFine);

    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
