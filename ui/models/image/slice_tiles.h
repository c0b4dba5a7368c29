#pragma once

#include <QRectF>
#include <list>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/io/volume/volume_levels.h"
#include "ui/models/image/slab_images.h"

namespace gantry {

/// A square piece of a slice at some level of a volume on disk: the unit of reading where a view
/// shows finer voxels than those in memory.
struct SliceTile {
    Index level = 0;
    SliceAxis axis = SliceAxis::z;
    Slab slab;
    Index slice = 0;   ///< of the level; contains the slice or the middle of the slab
    Index column = 0;  ///< in tiles
    Index row = 0;

    friend bool operator==(const SliceTile&, const SliceTile&) = default;
};

/// Voxels along the sides of a tile, except for those at the far ends.
inline constexpr Index kTileVoxels = 256;

/// What a view shows: the part of a slice, in mm along its axes across and up, and the size of a
/// screen pixel in it.
struct SliceViewport {
    SlicePlane plane{};
    QRectF partMm;       ///< (across, up), the lower end at the top
    double pixelMm = 0;  ///< of a screen pixel
    double sliceMm = 0;  ///< position of the slice
    Vec3 focusMm{};      ///< the point that the user looks at
};

/// The level with the largest voxels that are no wider than a screen pixel; nothing if voxels of
/// `shown` are as fine. Tests: tests/ui/models/slice_tiles_test.cpp
[[nodiscard]] std::optional<Index> levelFor(const std::vector<VolumeGrid>& levels,
                                            const VolumeGrid& shown, const SliceViewport& viewport);

/// The visible tiles of a level, those nearest to the focus first.
[[nodiscard]] std::vector<SliceTile> visibleTiles(const VolumeGrid& level, Index number,
                                                  SliceAxis axis, const Slab& slab,
                                                  const SliceViewport& viewport);

/// Bytes that are read for a tile.
[[nodiscard]] Index bytesOf(const VolumeGrid& level, const SliceTile& tile);
/// The position of a tile in an image of the same slice of another grid: columns and rows, edges
/// included.
[[nodiscard]] QRectF placeOf(const VolumeGrid& level, const SliceTile& tile,
                             const VolumeGrid& image);
/// @throws InputError naming the file that is damaged; Cancelled
[[nodiscard]] GreyImage readTile(const VolumeLevels& levels, const SliceTile& tile,
                                 const std::stop_token& stop);

/// Tiles that were read; the least recently used are dropped if they take more than a budget. One
/// thread.
class TileCache {
  public:
    explicit TileCache(Index maxBytes) : m_maxBytes(maxBytes) {}

    /// Null if it is not there; valid until the next add().
    [[nodiscard]] const GreyImage* find(const SliceTile& tile);
    void add(const SliceTile& tile, GreyImage image);
    void clear();
    [[nodiscard]] Index bytes() const { return m_bytes; }

  private:
    struct Kept {
        SliceTile tile;
        GreyImage image;
    };

    Index m_maxBytes;
    Index m_bytes = 0;
    std::list<Kept> m_kept;  ///< the latest first
};

}  // namespace gantry
