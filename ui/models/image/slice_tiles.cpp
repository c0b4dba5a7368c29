#include "ui/models/image/slice_tiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/base/host_buffer.h"

namespace gantry {
namespace {

constexpr Index kVoxelBytes = sizeof(float);

IndexRange tileRange(Index tile, Index voxels) {
    return {tile * kTileVoxels, std::min((tile + 1) * kTileVoxels, voxels)};
}

// Tiles from the one that holds a position to the one that holds another.
IndexRange tilesBetween(const VolumeGrid& level, std::size_t axis, double fromMm, double toMm) {
    const auto last = static_cast<double>(level.voxels[axis] - 1);
    const double begin = std::round(indexAt(level, axis, fromMm));
    const double end = std::round(indexAt(level, axis, toMm));
    if (!(end >= 0) || !(begin <= last)) return {};
    const auto tileOf = [&](double voxel) {
        return static_cast<Index>(std::clamp(voxel, 0.0, last)) / kTileVoxels;
    };
    return {tileOf(begin), tileOf(end) + 1};
}

VoxelBox boxOf(const VolumeGrid& level, const SliceTile& tile) {
    const SlicePlane plane = planeOf(tile.axis);
    std::array<IndexRange, 3> ranges;
    ranges[plane.normal] = slicesOf(tile.slab, level, tile.axis, tile.slice);
    ranges[plane.across] = tileRange(tile.column, level.voxels[plane.across]);
    ranges[plane.up] = tileRange(tile.row, level.voxels[plane.up]);
    return {ranges[0], ranges[1], ranges[2]};
}

}  // namespace

std::optional<Index> levelFor(const std::vector<VolumeGrid>& levels, const VolumeGrid& shown,
                              const SliceViewport& viewport) {
    const std::size_t across = viewport.plane.across;
    // Rounding of sizes must not request the next level.
    constexpr double kSlack = 1.01;
    for (Index level = std::ssize(levels) - 1; level >= 0; --level) {
        const double pitchMm = levels[level].pitchMm[across];
        if (level > 0 && pitchMm > kSlack * viewport.pixelMm) continue;
        if (pitchMm * kSlack >= shown.pitchMm[across]) return std::nullopt;
        return level;
    }
    return std::nullopt;
}

std::vector<SliceTile> visibleTiles(const VolumeGrid& level, Index number, SliceAxis axis,
                                    const Slab& slab, const SliceViewport& viewport) {
    const SlicePlane& plane = viewport.plane;
    const IndexRange columns =
        tilesBetween(level, plane.across, viewport.partMm.left(), viewport.partMm.right());
    const IndexRange rows =
        tilesBetween(level, plane.up, viewport.partMm.top(), viewport.partMm.bottom());
    const auto last = static_cast<double>(level.voxels[plane.normal] - 1);
    const double slice = std::round(indexAt(level, plane.normal, viewport.sliceMm));
    std::vector<SliceTile> tiles;
    for (Index row = rows.begin; row < rows.end; ++row)
        for (Index column = columns.begin; column < columns.end; ++column)
            tiles.push_back({number, axis, slab, static_cast<Index>(std::clamp(slice, 0.0, last)),
                             column, row});
    const std::array<double, 3> focus = {viewport.focusMm.x, viewport.focusMm.y,
                                         viewport.focusMm.z};
    const auto away = [&](const SliceTile& tile) {
        const auto middle = [](Index at) { return (static_cast<double>(at) + 0.5) * kTileVoxels; };
        return std::hypot(middle(tile.column) - indexAt(level, plane.across, focus[plane.across]),
                          middle(tile.row) - indexAt(level, plane.up, focus[plane.up]));
    };
    std::ranges::sort(tiles, {}, away);
    return tiles;
}

Index bytesOf(const VolumeGrid& level, const SliceTile& tile) {
    const VoxelBox box = boxOf(level, tile);
    return box.x.size() * box.y.size() * box.z.size() * kVoxelBytes;
}

QRectF placeOf(const VolumeGrid& level, const SliceTile& tile, const VolumeGrid& image) {
    const SlicePlane plane = planeOf(tile.axis);
    const auto edge = [&](std::size_t axis, Index voxel) {
        const double mm = positionMm(level, axis, static_cast<double>(voxel) - 0.5);
        return indexAt(image, axis, mm);
    };
    const IndexRange columns = tileRange(tile.column, level.voxels[plane.across]);
    const IndexRange rows = tileRange(tile.row, level.voxels[plane.up]);
    return {QPointF(edge(plane.across, columns.begin), edge(plane.up, rows.begin)),
            QPointF(edge(plane.across, columns.end), edge(plane.up, rows.end))};
}

GreyImage readTile(const VolumeLevels& levels, const SliceTile& tile, const std::stop_token& stop) {
    const VolumeGrid& level = levels.grids()[tile.level];
    const VoxelBox box = boxOf(level, tile);
    auto voxels = std::make_shared<HostBuffer<float>>(box.x.size() * box.y.size() * box.z.size());
    levels.read(tile.level, box, {voxels->data(), box.z.size(), box.y.size(), box.x.size()});
    if (stop.stop_requested()) throw Cancelled();
    VoxelData data;
    data.grid = level;
    data.grid.voxels = {box.x.size(), box.y.size(), box.z.size()};
    data.voxels = voxels->span();
    data.owner = std::move(voxels);
    // All slices that were read belong to the slab.
    const std::size_t normal = planeOf(tile.axis).normal;
    Slab slab = tile.slab;
    slab.thicknessMm = 2 * static_cast<double>(data.grid.voxels[normal]) * level.pitchMm[normal];
    return slabImage(data, tile.axis, data.grid.voxels[normal] / 2, slab, stop);
}

const GreyImage* TileCache::find(const SliceTile& tile) {
    const auto found = std::ranges::find(m_kept, tile, &Kept::tile);
    if (found == m_kept.end()) return nullptr;
    m_kept.splice(m_kept.begin(), m_kept, found);
    return &m_kept.front().image;
}

void TileCache::add(const SliceTile& tile, GreyImage image) {
    if (find(tile)) return;
    m_bytes += std::ssize(image.pixels) * kVoxelBytes;
    m_kept.push_front({tile, std::move(image)});
    while (m_bytes > m_maxBytes && m_kept.size() > 1) {
        m_bytes -= std::ssize(m_kept.back().image.pixels) * kVoxelBytes;
        m_kept.pop_back();
    }
}

void TileCache::clear() {
    m_kept.clear();
    m_bytes = 0;
}

}  // namespace gantry
