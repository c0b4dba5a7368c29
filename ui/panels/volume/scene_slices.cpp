#include "ui/panels/volume/scene_slices.h"

#include <QCheckBox>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

#include "ui/panels/volume/volume_appearance.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

Vec3 axisVector(std::size_t axis, double length) {
    return {axis == 0 ? length : 0, axis == 1 ? length : 0, axis == 2 ? length : 0};
}

// At most that many pixels along an edge: a view shows no more.
QImage pictureOf(const GreyImage& slice, const GreyWindow& window) {
    constexpr double kMaxPixels = 512;
    const double height = static_cast<double>(slice.rows) * slice.pixelAspect;
    const double longest = std::max(static_cast<double>(slice.columns), height);
    ImagePlacement placement;
    placement.zoom = std::min(1.0, kMaxPixels / longest);
    const QSize size(
        std::max(1, static_cast<int>(placement.zoom * static_cast<double>(slice.columns))),
        std::max(1, static_cast<int>(placement.zoom * height)));
    return render(slice, window, placement, size, 1, Qt::black, Qt::magenta);
}

}  // namespace

std::vector<PlanePicture> slicePictures(const VoxelData& data, const VolumeAppearance& appearance,
                                        const Vec3& placeMm, const GreyWindow& window) {
    std::vector<PlanePicture> pictures;
    if (data.voxels.empty()) return pictures;
    const VoxelIndex voxel = nearestVoxel(data.grid, placeMm);
    const Vec3 low = data.grid.positionMm(-0.5, -0.5, -0.5);
    const auto edge = [&](std::size_t axis) {
        return axisVector(axis,
                          static_cast<double>(data.grid.voxels[axis]) * data.grid.pitchMm[axis]);
    };
    for (const SliceAxis axis : {SliceAxis::x, SliceAxis::y, SliceAxis::z}) {
        const auto [normal, across, up] = planeOf(axis);
        if (!appearance.hasSlice[normal]) continue;
        const double depth = (static_cast<double>(voxel[normal]) + 0.5) * data.grid.pitchMm[normal];
        pictures.push_back({low + axisVector(normal, depth), edge(across), edge(up),
                            pictureOf(sliceImage(data, axis, voxel[normal]), window)});
    }
    return pictures;
}

SceneSlicesGroup::SceneSlicesGroup(AppearanceHistory& history, QWidget* parent)
    : QWidget(parent), m_history(history) {
    auto* column = spaced(new QVBoxLayout(this), kSpacing / 2);
    const auto add = [&](const QString& text, const QString& name, const QString& help,
                         const std::function<bool&(VolumeAppearance&)>& part) {
        auto* box = named(new QCheckBox(text, this), name, help);
        column->addWidget(box);
        connect(box, &QCheckBox::toggled, this, [this, part](bool isOn) {
            VolumeAppearance appearance = m_history.appearance();
            part(appearance) = isOn;
            m_history.edit(appearance, true);
        });
        return box;
    };
    const QString names[] = {tr("Sagittal"), tr("Coronal"), tr("Axial")};
    const QString axes[] = {QStringLiteral("X"), QStringLiteral("Y"), QStringLiteral("Z")};
    for (std::size_t axis = 0; axis < 3; ++axis)
        m_slices[axis] = add(
            names[axis], "sceneSlice" + axes[axis],
            tr("Shows this slice within the volume, in the greys of the window."),
            [axis](VolumeAppearance& appearance) -> bool& { return appearance.hasSlice[axis]; });
    m_crossHair =
        add(tr("Cross-hair"), QStringLiteral("sceneCrossHair"),
            tr("Shows the place through which the slices go; drag its ring to move it."),
            [](VolumeAppearance& appearance) -> bool& { return appearance.hasCrossHair; });
    connect(&m_history, &AppearanceHistory::changed, this, &SceneSlicesGroup::showAppearance);
}

void SceneSlicesGroup::showAppearance() {
    const VolumeAppearance& appearance = m_history.appearance();
    const auto check = [](QCheckBox* box, bool isOn) {
        const QSignalBlocker quiet(box);
        box->setChecked(isOn);
    };
    for (std::size_t axis = 0; axis < 3; ++axis)
        check(m_slices[axis], appearance.hasSlice[axis]);
    check(m_crossHair, appearance.hasCrossHair);
}

}  // namespace gantry
