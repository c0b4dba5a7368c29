#include "ui/panels/verify/verify_views.h"

#include <QHBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "ui/models/image/compared_images.h"
#include "ui/models/text.h"
#include "ui/widgets/image/image_view.h"
#include "ui/widgets/image/profile_plot.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

// Numbers of their views.
constexpr std::size_t kTruth = 0;
constexpr std::size_t kResult = 1;
constexpr std::size_t kDifference = 2;

}  // namespace

VerifyViews::VerifyViews(QWidget* parent)
    : QWidget(parent), m_plot(named(new ProfilePlot(this), "verifyPlot")) {
    const std::array<QString, 3> titles = {tr("Truth"), tr("Reconstruction"), tr("Difference")};
    auto* layout = spaced(new QHBoxLayout(this), kSpacing / 2);
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        m_views[i] = new ImageView(this);
        m_views[i]->setObjectName(QStringLiteral("verify%1").arg(i));
        m_views[i]->setTitle(titles[i]);
        m_views[i]->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
        layout->addWidget(m_views[i]);
        connectView(i);
    }
}

void VerifyViews::connectView(std::size_t number) {
    ImageView* view = m_views[number];
    connect(view, &ImageView::crosshairMoved, this, [this](QPointF pixel) {
        if (isEmpty()) return;
        m_voxel = voxelAt(planeOf(SliceAxis::z), m_volumes.result.grid, m_voxel, pixel);
        m_pointed.reset();
        showPlace();
    });
    connect(view, &ImageView::hovered, this, [this](QPointF pixel, double value) {
        m_pointed = std::isnan(value) ? std::nullopt : std::optional(pixel);
        showPlace();
    });
    connect(view, &ImageView::left, this, [this] {
        m_pointed.reset();
        showPlace();
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
    m_pointed.reset();
    const bool isAlone = !isEmpty() && !hasTruth();
    m_views[kTruth]->setVisible(!isAlone);
    m_views[kDifference]->setVisible(!isAlone);
    m_views[kResult]->setTitle(isAlone ? tr("Volume") : tr("Reconstruction"));
    if (!isEmpty()) {
        m_voxel = middleVoxel(volumes.result.grid);
        m_views[kTruth]->setWindow(volumes.window);
        m_views[kResult]->setWindow(volumes.window);
        m_views[kDifference]->setWindow({-volumes.window.white / 5, volumes.window.white / 5});
    }
    show();
}

void VerifyViews::setProfileAxis(std::size_t axis) {
    m_profileAxis = axis;
    showPlace();
}

VoxelIndex VerifyViews::shownVoxel() const {
    return m_pointed ? voxelAt(planeOf(SliceAxis::z), m_volumes.result.grid, m_voxel, *m_pointed)
                     : m_voxel;
}

void VerifyViews::show() {
    std::array<GreyImage, 3> images;
    QString corner;
    if (!isEmpty()) {
        corner = sliceText(m_volumes.result.grid, SliceAxis::z, m_voxel[2]);
        images[kResult] = sliceImage(m_volumes.result, SliceAxis::z, m_voxel[2]);
    }
    if (hasTruth()) {
        images[kTruth] = sliceImage(m_volumes.truth, SliceAxis::z, m_voxel[2]);
        images[kDifference] = differenceOf({images[kResult], images[kTruth]});
    }
    for (std::size_t i = 0; i < m_views.size(); ++i)
        m_views[i]->setImage(images[i]);
    m_views[kTruth]->setCorner(corner);
    m_views[kResult]->setCorner(hasTruth() ? QString() : corner);
    showPlace();
}

void VerifyViews::showPlace() {
    if (isEmpty()) {
        for (ImageView* view : m_views)
            view->setCrosshair({});
        return m_plot->setCurves({}, QString());
    }
    const VoxelIndex voxel = shownVoxel();
    const QPointF pixel = pixelOf(planeOf(SliceAxis::z), voxel);
    const QColor line(255, 209, 102);
    for (ImageView* view : m_views) {
        if (view->image().isEmpty()) continue;
        view->setCrosshair(pixel, line, line);
        view->setCaption(tr("%1 /mm").arg(numberText(valueAt(view->image(), pixel))));
    }
    showProfiles(voxel);
}

void VerifyViews::showProfiles(const VoxelIndex& voxel) {
    const VolumeGrid& grid = m_volumes.result.grid;
    const std::size_t axis = m_profileAxis;
    const auto valuesOf = [&](const VoxelData& volume) {
        std::vector<double> values;
        VoxelIndex at = voxel;
        for (at[axis] = 0; at[axis] < grid.voxels[axis]; ++at[axis])
            values.push_back(volume.at(at));
        return values;
    };
    const Theme theme = themeOf(*this);
    const QString unit = QStringLiteral("/mm");
    const std::vector<double> result = valuesOf(m_volumes.result);
    std::vector<ProfilePlot::Curve> curves;
    if (hasTruth()) {
        const std::vector<double> truth = valuesOf(m_volumes.truth);
        std::vector<double> difference = result;
        for (std::size_t i = 0; i < truth.size(); ++i)
            difference[i] -= truth[i];
        curves.push_back({tr("Truth"), unit, theme.muted, truth});
        curves.push_back({tr("Reconstruction"), unit, theme.accent, result});
        curves.push_back({tr("Difference"), unit, theme.error, std::move(difference)});
    } else {
        curves.push_back({tr("Volume"), unit, theme.accent, result});
    }
    std::vector<ProfilePlot::Mark> marks;
    marks.reserve(curves.size());
    const double placeMm = positionMm(grid, axis, static_cast<double>(voxel[axis]));
    for (const ProfilePlot::Curve& curve : curves)
        marks.push_back({placeMm, curve.values[voxel[axis]], curve.colour});
    m_plot->setCurves(std::move(curves),
                      {axis == 0 ? QStringLiteral("x") : QStringLiteral("y"), QStringLiteral("mm"),
                       positionMm(grid, axis, 0), grid.pitchMm[axis]});
    m_plot->setMarks(std::move(marks));
}

}  // namespace gantry
