#include "ui/panels/slices/slice_detail.h"

#include <algorithm>
#include <utility>

namespace gantry {
namespace {

// Max bytes of one tile: thick slabs are shown by a coarser level.
constexpr Index kMaxTileBytes = Index{32} << 20;

}  // namespace

SliceDetail::SliceDetail(SliceAxis axis, QObject* parent) : QObject(parent), m_axis(axis) {
    constexpr int kPauseMs = 30;
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMs);
    connect(&m_pause, &QTimer::timeout, this, &SliceDetail::readNext);
}

void SliceDetail::setVolume(const VoxelData& volume) {
    m_reading.cancel();
    m_pause.stop();
    m_cache.clear();
    m_wanted.clear();
    m_level.reset();
    m_isComplete = true;
    m_failed.clear();
    m_volume = volume;
}

void SliceDetail::show(const SliceViewport& viewport, const Slab& slab) {
    if (!m_volume.levels) return;
    const std::vector<VolumeGrid>& grids = m_volume.levels->grids();
    std::optional<Index> level = levelFor(grids, m_volume.grid, viewport);
    std::vector<SliceTile> wanted;
    while (level) {
        const VolumeGrid& grid = grids[*level];
        if (grid.pitchMm[viewport.plane.across] >= m_volume.grid.pitchMm[viewport.plane.across]) {
            level.reset();
            break;
        }
        wanted = visibleTiles(grid, *level, m_axis, slab, viewport);
        if (wanted.empty() || bytesOf(grid, wanted.front()) <= kMaxTileBytes) break;
        *level += 1;
        if (*level == std::ssize(grids)) level.reset();
    }
    if (!level) wanted.clear();
    if (level == m_level && wanted == m_wanted) return;
    m_level = level;
    m_wanted = std::move(wanted);
    std::erase_if(m_failed, [this](const SliceTile& tile) {
        return std::ranges::find(m_wanted, tile) == m_wanted.end();
    });
    m_reading.cancel();
    m_isComplete = m_wanted.empty();
    m_pause.start();
    emit changed();
}

std::vector<ImageDetail> SliceDetail::tiles() {
    std::vector<ImageDetail> found;
    for (const SliceTile& tile : m_wanted) {
        const VolumeGrid& grid = m_volume.levels->grids()[tile.level];
        if (const GreyImage* image = m_cache.find(tile))
            found.push_back({*image, placeOf(grid, tile, m_volume.grid)});
    }
    return found;
}

void SliceDetail::readNext() {
    const auto missing = std::ranges::find_if(m_wanted, [this](const SliceTile& tile) {
        return !m_cache.find(tile) && !hasFailed(tile);
    });
    if (missing == m_wanted.end()) {
        if (!std::exchange(m_isComplete, m_failed.empty())) emit changed();
        return;
    }
    m_isComplete = false;
    m_reading.start([levels = m_volume.levels, tile = *missing](
                        const std::stop_token& stop) { return readTile(*levels, tile, stop); },
                    [this, tile = *missing](GreyImage image) {
                        m_cache.add(tile, std::move(image));
                        emit changed();
                        readNext();
                    },
                    [this, tile = *missing](const QString& sentence) {
                        m_failed.push_back(tile);
                        emit failed(sentence);
                        readNext();
                    });
}

bool SliceDetail::hasFailed(const SliceTile& tile) const {
    return std::ranges::find(m_failed, tile) != m_failed.end();
}

}  // namespace gantry
