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

/// How much of a volume may be held to be rendered.
struct RenderBudget {
    Index wholeVoxels = 0;  ///< along an axis, of the whole
    Index boxVoxels = 0;    ///< along an axis, of each box of finer voxels
    Index voxelBytes = 0;
    Index boxBytes = 0;  ///< of all these boxes

    /// Of each box, where there are so many.
    [[nodiscard]] Index boxVoxelsOf(Index boxes) const;
};

/// Reads boxes of finer voxels about a place, level by level in the background, from a volume on
/// disk. GUI thread only.
/// Tests: tests/ui/scene/volume_detail_test.cpp
class VolumeDetail : public QObject {
    Q_OBJECT

  public:
    using Boxes = std::vector<std::shared_ptr<const ReducedVolume>>;

    explicit VolumeDetail(QObject* parent = nullptr);

    /// Null: there is nothing finer. `shown`: the voxels of the whole, as it is rendered.
    void setVolume(std::shared_ptr<const VolumeLevels> levels, const VolumeGrid& shown,
                   const RenderBudget& budget);
    /// Starts after a pause; what is there stays until what is wanted is.
    void want(const DetailSight& sight);

    /// Each within the one before it.
    [[nodiscard]] const Boxes& boxes() const { return m_shown; }
    /// All that is wanted is there, or cannot be read.
    [[nodiscard]] bool isComplete() const { return m_isComplete; }
    /// What cannot be read, a sentence; the coarser voxels stay in its place.
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
    DetailSight m_sight;
    std::vector<DetailBox> m_wanted;
    std::vector<Read> m_read;  ///< of the wanted ones
    Boxes m_shown;
    bool m_isFirst = true;  ///< nothing was shown before: the boxes come one by one
    bool m_isComplete = true;
    QString m_problem;
    QTimer m_pause;
    // The last member: what it runs uses the others.
    PictureWorker m_worker;
};

}  // namespace gantry
