#include "ui/panels/verify/verify_views.h"

#include <QHBoxLayout>
#include <algorithm>
#include <vector>

#include "ui/models/image/compared_images.h"
#include "ui/panels/verify/verify_texts.h"
#include "ui/widgets/image_view.h"
#include "ui/widgets/profile_plot.h"
#include "ui/widgets/theme.h"

namespace gantry {

namespace {

constexpr std::size_t kDifference = 2;  // number of its view

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
        if (m_volumes.truth.voxels.empty()) return;
        m_voxel = voxelAt(planeOf(SliceAxis::z), m_volumes.truth.grid, m_voxel, pixel);
        show();
    });
    connect(view, &ImageView::scrolled, this, [this](int steps) {
        if (m_volumes.truth.voxels.empty()) return;
        m_voxel[2] = std::clamp<Index>(m_voxel[2] + steps, 0, m_volumes.truth.grid.voxels[2] - 1);
        show();
    });
    connect(view, &ImageView::windowEdited, this, [this, number](const GreyWindow& window) {
        if (number == kDifference) {
            m_views[kDifference]->setWindow(window);
            return;
        }
        m_views[0]->setWindow(window);
        m_views[1]->setWindow(window);
    });
}

void VerifyViews::setVolumes(const PieceVolumes& volumes) {
    m_volumes = volumes;
    if (!volumes.truth.voxels.empty()) {
        m_voxel = middleVoxel(volumes.truth.grid);
        const double most = std::max(
            1e-9F, *std::max_element(volumes.truth.voxels.begin(), volumes.truth.voxels.end()));
        m_views[0]->setWindow({0, most});
        m_views[1]->setWindow({0, most});
        m_views[kDifference]->setWindow({-most / 5, most / 5});
    }
    show();
}

void VerifyViews::show() {
    if (m_volumes.truth.voxels.empty()) {
        for (ImageView* view : m_views) {
            view->setImage({});
            view->setCrosshair({});
        }
        m_plot->setCurves({}, QString());
        return;
    }
    const GreyImage truth = sliceImage(m_volumes.truth, SliceAxis::z, m_voxel[2]);
    const GreyImage result = sliceImage(m_volumes.result, SliceAxis::z, m_voxel[2]);
    m_views[0]->setImage(truth);
    m_views[1]->setImage(result);
    m_views[kDifference]->setImage(differenceOf({result, truth}));
    m_views[0]->setCorner(sliceText(m_volumes.truth.grid, SliceAxis::z, m_voxel[2]));
    const QColor line(255, 209, 102);
    for (ImageView* view : m_views)
        view->setCrosshair(pixelOf(planeOf(SliceAxis::z), m_voxel), line, line);
    showProfiles();
}

void VerifyViews::showProfiles() {
    const VolumeGrid& grid = m_volumes.truth.grid;
    const auto rowOf = [&](const VoxelData& volume) {
        const Index first = (m_voxel[2] * grid.voxels[1] + m_voxel[1]) * grid.voxels[0];
        const auto row = volume.voxels.subspan(static_cast<std::size_t>(first),
                                               static_cast<std::size_t>(grid.voxels[0]));
        return std::vector<double>(row.begin(), row.end());
    };
    const Theme theme = themeOf(*this);
    m_plot->setCurves(
        {{texts::truth(), QStringLiteral("/mm"), theme.muted, rowOf(m_volumes.truth)},
         {texts::result(), QStringLiteral("/mm"), theme.accent, rowOf(m_volumes.result)}},
        {texts::alongTheRow(), QStringLiteral("mm"), positionMm(grid, 0, 0), grid.pitchMm[0]});
}

}  // namespace gantry
