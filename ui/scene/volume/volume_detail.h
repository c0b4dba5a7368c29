#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <vector>

#include "core/io/volume/volume_levels.h"
#include "ui/scene/volume/detail_boxes.h"
#include "ui/scene/volume/picture_worker.h"
#include "ui/scene/volume/reduced_volume.h"

namespace gantry {

/// Max size of a volume's copies for rendering.
struct RenderBudget {
    Index wholeVoxels = 0;  ///< along an axis, for the whole
    Index boxVoxels = 0;    ///< along an axis, for each box of finer voxels
    Index voxelBytes = 0;
    Index boxBytes = 0;  ///< for all these boxes

    /// Voxels along an axis for each box, if there are that many boxes.
    [[nodiscard]] Index boxVoxelsOf(Index boxes) const;
};

/// Reads boxes of finer voxels about a point, level by level in the background, from a volume on
/// disk. GUI thread only.
/// Tests: tests/ui/scene/volume_detail_test.cpp
class VolumeDetail : public QObject {
    Q_OBJECT

  public:
    using Boxes = std::vector<std::shared_ptr<const ReducedVolume>>;

    explicit VolumeDetail(QObject* parent = nullptr);

    /// Null: there are no finer voxels. `shown`: the voxels of the whole as rendered.
    void setVolume(std::shared_ptr<const VolumeLevels> levels, const VolumeGrid& shown,
                   const RenderBudget& budget);
    /// Starts after a pause; present boxes stay until the wanted ones have been read.
    void want(const DetailTarget& target);

    /// Each within the one before it.
    [[nodiscard]] const Boxes& boxes() const { return m_shown; }
    /// Whether all wanted boxes have been read, or cannot be read.
    [[nodiscard]] bool isComplete() const { return m_isComplete; }
    /// What cannot be read, a sentence; coarser voxels are shown there.
    [[nodiscard]] const QString& problem() const { return m_problem; }

  signals:
    void changed();

  private:
    struct Read {
        DetailBox box;
        std::shared_ptr<const ReducedVolume> voxels;
    };
    void choose();
    void readNext();
    [[nodiscard]] bool isRead(const DetailBox& box) const;
    void take(Read read);
    void show();

    std::shared_ptr<const VolumeLevels> m_levels;
    VolumeGrid m_whole;
    RenderBudget m_budget;
    DetailTarget m_target;
    std::vector<DetailBox> m_wanted;
    std::vector<Read> m_read;  ///< of the wanted ones
    Boxes m_shown;
    bool m_isFirst = true;  ///< nothing was shown before, so boxes appear one by one
    bool m_isComplete = true;
    QString m_problem;
    QTimer m_pause;
    // It is the last member, because its work uses the others.
    PictureWorker m_worker;
};

}  // namespace gantry
