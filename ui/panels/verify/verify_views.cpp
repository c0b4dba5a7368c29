#include "ui/panels/verify/verify_views.h"

#include <QHBoxLayout>
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ui/models/image/compared_images.h"
#include "ui/panels/verify/verify_texts.h"
#include "ui/widgets/image_view.h"
#include "ui/widgets/profile_plot.h"
#include "ui/widgets/theme.h"

namespace gantry {

namespace {

// Numbers of their views.
constexpr std::size_t kTruth = 0;
constexpr std::size_t kResult = 1;
constexpr std::size_t kDifference = 2;

}  // namespace

VerifyViews::VerifyViews(QWidget* parent) : QWidget(parent), m_plot(new ProfilePlot(this)) {
    const std::array<QString, 3> titles = {texts::truth(), texts::result(), texts::difference()};
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kSpacing / 2);
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        m_views[i] = new ImageView(this);
        m_views[i]->setObjectName(QStringLiteral("verify%1").arg(i));
        m_views[i]->setTitle(titles[i]);
        m_views[i]->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
        layout->addWidget(m_views[i]);
        connectView(i);
    }
    m_plot->setObjectName("verifyPlot");
}

void VerifyViews::connectView(std::size_t number) {
    ImageView* view = m_views[number];
    connect(view, &ImageView::crosshairMoved, this, [this](QPointF pixel) {
        if (isEmpty()) return;
        m_voxel = voxelAt(planeOf(SliceAxis::z), m_volumes.result.grid, m_voxel, pixel);
        show();
    });
    connect(view, &ImageView::scrolled, this, [this](int steps) {
        if (isEmpty()) return;
        m_voxel[2] = std::clamp<Index>(m_voxel[2] + steps, 0, m_volumes.result.grid.voxels[2] - 1);
        show();
    });
    connect(view, &ImageView::windowEdited, this, [this, number](const GreyWindow& window) {
        if (number == kDifference) {
            m_views[kDifference]->setWindow(window);
            return;
        }
        m_views[kTruth]->setWindow(window);
        m_views[kResult]->setWindow(window);
    });
}

void VerifyViews::setVolumes(const PieceVolumes& volumes) {
    m_volumes = volumes;
    const bool isAlone = !isEmpty() && !hasTruth();
    m_views[kTruth]->setVisible(!isAlone);
    m_views[kDifference]->setVisible(!isAlone);
    m_views[kResult]->setTitle(isAlone ? texts::realVolume() : texts::result());
    if (!isEmpty()) {
        m_voxel = middleVoxel(volumes.result.grid);
        m_views[kTruth]->setWindow(volumes.window);
        m_views[kResult]->setWindow(volumes.window);
        m_views[kDifference]->setWindow({-volumes.window.white / 5, volumes.window.white / 5});
    }
    show();
}

void VerifyViews::show() {
    std::array<GreyImage, 3> images;
    std::optional<QPointF> cross;
    QString corner;
    if (!isEmpty()) {
        cross = pixelOf(planeOf(SliceAxis::z), m_voxel);
        corner = sliceText(m_volumes.result.grid, SliceAxis::z, m_voxel[2]);
        images[kResult] = sliceImage(m_volumes.result, SliceAxis::z, m_voxel[2]);
    }
    if (hasTruth()) {
        images[kTruth] = sliceImage(m_volumes.truth, SliceAxis::z, m_voxel[2]);
        images[kDifference] = differenceOf({images[kResult], images[kTruth]});
    }
    const QColor line(255, 209, 102);
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        m_views[i]->setImage(images[i]);
        m_views[i]->setCrosshair(cross, line, line);
    }
    m_views[kTruth]->setCorner(corner);
    m_views[kResult]->setCorner(hasTruth() ? QString() : corner);
    showProfiles();
}

void VerifyViews::showProfiles() {
    if (isEmpty()) return m_plot->setCurves({}, QString());
    const VolumeGrid& grid = m_volumes.result.grid;
    const auto rowOf = [&](const VoxelData& volume) {
        const Index first = (m_voxel[2] * grid.voxels[1] + m_voxel[1]) * grid.voxels[0];
        const auto row = volume.voxels.subspan(static_cast<std::size_t>(first),
                                               static_cast<std::size_t>(grid.voxels[0]));
        return std::vector<double>(row.begin(), row.end());
    };
    const Theme theme = themeOf(*this);
    const QString unit = QStringLiteral("/mm");
    std::vector<ProfilePlot::Curve> curves;
    if (hasTruth()) curves.push_back({texts::truth(), unit, theme.muted, rowOf(m_volumes.truth)});
    curves.push_back({hasTruth() ? texts::result() : texts::realVolume(), unit, theme.accent,
                      rowOf(m_volumes.result)});
    m_plot->setCurves(std::move(curves), {texts::alongTheRow(), QStringLiteral("mm"),
                                          positionMm(grid, 0, 0), grid.pitchMm[0]});
}

}  // namespace gantry
