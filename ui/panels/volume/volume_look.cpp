#include "ui/panels/volume/volume_look.h"

#include <cmath>
#include <utility>

namespace gantry {

namespace {

double halfEdgeMm(const VolumeGrid& grid, std::size_t axis) {
    return 0.5 * static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis];
}

}  // namespace

VolumeLook unclipped(VolumeLook look, const VolumeGrid& grid) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        look.boxLowMm[axis] = grid.centerMm[axis] - halfEdgeMm(grid, axis);
        look.boxHighMm[axis] = grid.centerMm[axis] + halfEdgeMm(grid, axis);
    }
    look.isBoxClipped = false;
    look.isPlaneClipped = false;
    look.planeOffsetMm = 0;
    return look;
}

std::vector<HalfSpace> clipsOf(const VolumeLook& look, const VolumeGrid& grid) {
    std::vector<HalfSpace> clips;
    if (look.isBoxClipped) {
        const auto& low = look.boxLowMm;
        const auto& high = look.boxHighMm;
        const Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (const Vec3& axis : axes) {
            clips.push_back({{low[0], low[1], low[2]}, axis});
            clips.push_back({{high[0], high[1], high[2]}, -1 * axis});
        }
    }
    if (look.isPlaneClipped) {
        const double azimuth = radians(look.planeAzimuthDeg);
        const double elevation = radians(look.planeElevationDeg);
        const Vec3 removed{std::cos(elevation) * std::sin(azimuth),
                           -std::cos(elevation) * std::cos(azimuth), std::sin(elevation)};
        const Vec3 centre{grid.centerMm[0], grid.centerMm[1], grid.centerMm[2]};
        clips.push_back({centre + look.planeOffsetMm * removed, -1 * removed});
    }
    return clips;
}

void LookHistory::show(const VolumeLook& look) {
    m_look = look;
    emit changed();
}

void LookHistory::edit(const VolumeLook& look, bool isFinal) {
    if (isFinal && look != m_settled) {
        m_before.push_back(std::exchange(m_settled, look));
        m_undone.clear();
    }
    if (look != m_look) show(look);
}

void LookHistory::restart(const VolumeLook& look) {
    m_before.clear();
    m_undone.clear();
    m_settled = look;
    show(look);
}

void LookHistory::undo() {
    if (m_before.empty()) return;
    m_undone.push_back(std::exchange(m_settled, m_before.back()));
    m_before.pop_back();
    show(m_settled);
}

void LookHistory::redo() {
    if (m_undone.empty()) return;
    m_before.push_back(std::exchange(m_settled, m_undone.back()));
    m_undone.pop_back();
    show(m_settled);
}

}  // namespace gantry
