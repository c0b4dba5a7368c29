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
#include "ui/scene/volume/shown_voxels.h"

class QWidget;

namespace gantry {

struct SurfaceMesh;

/// Pictures of a volume for a view: on a real card by the card; where OpenGL is software, or older
/// than 3.2, by the processor in the background, coarse while it moves. Made of a reduced copy,
/// and of boxes of finer voxels where they are wanted, which are made in the background, too, and
/// keep to a budget of memory. A surface is always drawn by OpenGL. Works only while the
/// view can be seen.
/// Tests: tests/ui/scene/volume_rendering_test.cpp
class VolumePictures : public QObject {
    Q_OBJECT

  public:
    explicit VolumePictures(QWidget& view);
    ~VolumePictures() override;

    /// Before chooseCaster(): OpenGL that is drawn by software counts as a card.
    void setSoftwareEnough(bool isEnough);
    /// Looks for the card, and begins.
    void chooseCaster();
    /// Shares the voxels, which `owner` keeps alive. [z][y][x]; attenuation, 1/mm
    /// levels: where finer voxels can be read; null: nowhere
    void setVolume(const VolumeGrid& grid, std::shared_ptr<const void> owner,
                   std::span<const float> voxels,
                   std::shared_ptr<const VolumeLevels> levels = nullptr);
    void clear();
    /// What is drawn where a surface is asked for; null: nothing.
    void setSurface(const std::shared_ptr<const SurfaceMesh>& mesh);

    /// Wants this picture instead of the last one; a coarse one will do while it moves.
    void ask(const RayCastRequest& request, bool isMoving);
    /// It moves no more.
    void settle();
    /// Wants finer voxels for this, read in the background.
    void wantDetail(const DetailSight& sight);
    /// Starts the next piece of work, if any.
    void advance();

    [[nodiscard]] bool hasVolume() const;
    /// The picture shows what was asked for, as finely as it gets.
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
    /// There is a picture; coarse ones, too.
    void rendered();

  private:
    void prepare();
    void prepareBox();
    void castOnCard();
    void dropCard(const QString& sentence);
    void castHere(bool isFine);

    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
