#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <optional>
#include <vector>

#include "ui/models/image/slice_tiles.h"
#include "ui/widgets/image/image_view.h"
#include "ui/workspace/background/background.h"

namespace gantry {

/// Reads finer voxels of the visible part of a slice from the volume on disk, tile by tile
/// in the background: those at the cross-hair first, and what was read lately not again.
/// Tests: tests/ui/panels/large_volume_test.cpp
class SliceDetail : public QObject {
    Q_OBJECT

  public:
    /// Memory that it takes for tiles, at most.
    static constexpr Index kMaxBytes = Index{128} << 20;

    explicit SliceDetail(SliceAxis axis, QObject* parent = nullptr);

    /// A volume without levels has no detail.
    void setVolume(const VoxelData& volume);
    /// Sets what is visible now; tiles that are not any more are not read.
    void show(const SliceViewport& viewport, const Slab& slab);

    /// The tiles that are there, on the slice of the volume in memory.
    [[nodiscard]] std::vector<ImageDetail> tiles();
    /// All that is visible is there; a tile that cannot be read is not.
    [[nodiscard]] bool isComplete() const { return m_isComplete; }
    /// The level of the tiles; nothing where voxels in memory are fine enough.
    [[nodiscard]] std::optional<Index> level() const { return m_level; }

  signals:
    void changed();
    /// A tile cannot be read; what is in memory is shown in its place.
    void failed(const QString& sentence);

  private:
    void readNext();
    [[nodiscard]] bool hasFailed(const SliceTile& tile) const;

    SliceAxis m_axis;
    VoxelData m_volume;
    TileCache m_cache{kMaxBytes};
    std::optional<Index> m_level;
    std::vector<SliceTile> m_wanted;
    std::vector<SliceTile> m_failed;  ///< of the wanted ones: not tried again while visible
    bool m_isComplete = true;
    QTimer m_pause;  ///< while the viewport moves on
    Background m_reading;
};

}  // namespace gantry
