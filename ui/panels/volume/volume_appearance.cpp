#include "ui/panels/volume/volume_appearance.h"

#include <cmath>
#include <utility>

namespace gantry {

namespace {

double halfEdgeMm(const VolumeGrid& grid, std::size_t axis) {
    return 0.5 * static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis];
}

}  // namespace

VolumeAppearance unclipped(VolumeAppearance appearance, const VolumeGrid& grid) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        appearance.boxLowMm[axis] = grid.centerMm[axis] - halfEdgeMm(grid, axis);
        appearance.boxHighMm[axis] = grid.centerMm[axis] + halfEdgeMm(grid, axis);
    }
    appearance.isBoxClipped = false;
    appearance.isPlaneClipped = false;
    appearance.planeOffsetMm = 0;
    return appearance;
}

std::vector<HalfSpace> clipsOf(const VolumeAppearance& appearance, const VolumeGrid& grid) {
    std::vector<HalfSpace> clips;
    if (appearance.isBoxClipped) {
        const auto& low = appearance.boxLowMm;
        const auto& high = appearance.boxHighMm;
        const Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (const Vec3& axis : axes) {
            clips.push_back({{low[0], low[1], low[2]}, axis});
            clips.push_back({{high[0], high[1], high[2]}, -1 * axis});
        }
    }
    if (appearance.isPlaneClipped) {
        const double azimuth = radians(appearance.planeAzimuthDeg);
        const double elevation = radians(appearance.planeElevationDeg);
        const Vec3 removed{std::cos(elevation) * std::sin(azimuth),
                           -std::cos(elevation) * std::cos(azimuth), std::sin(elevation)};
        const Vec3 centre{grid.centerMm[0], grid.centerMm[1], grid.centerMm[2]};
        clips.push_back({centre + appearance.planeOffsetMm * removed, -1 * removed});
    }
    return clips;
}

void AppearanceHistory::show(const VolumeAppearance& appearance) {
    m_appearance = appearance;
    emit changed();
}

void AppearanceHistory::edit(const VolumeAppearance& appearance, bool isFinal) {
    if (isFinal && appearance != m_settled) {
        m_before.push_back(std::exchange(m_settled, appearance));
        m_undone.clear();
    }
    if (appearance != m_appearance) show(appearance);
}

void AppearanceHistory::restart(const VolumeAppearance& appearance) {
    m_before.clear();
    m_undone.clear();
    m_settled = appearance;
    show(appearance);
}

void AppearanceHistory::undo() {
    if (m_before.empty()) return;
    m_undone.push_back(std::exchange(m_settled, m_before.back()));
    m_before.pop_back();
    show(m_settled);
}

void AppearanceHistory::redo() {
    if (m_undone.empty()) return;
    m_before.push_back(std::exchange(m_settled, m_undone.back()));
    m_undone.pop_back();
    show(m_settled);
}

}  // namespace gantry
