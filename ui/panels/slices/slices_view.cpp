#include "ui/panels/slices/slices_view.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/models/image/projection_images.h"
#include "ui/panels/shared/volume_texts.h"
#include "ui/widgets/image_view.h"
#include "ui/widgets/theme.h"

namespace gantry {
namespace {

QLabel* axisLabel(std::size_t axis, const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setAttribute(Qt::WA_TransparentForMouseEvents);
    label->setStyleSheet(
        QStringLiteral("color: %1; background: rgba(0, 0, 0, 175); border-radius: 3px;"
                       "padding: 0px 4px; font-weight: 600;")
            .arg(axisColour(axis).name()));
    return label;
}

QString objectNameOf(SliceAxis axis) {
    switch (axis) {
        case SliceAxis::x:
            return QStringLiteral("sagittal");
        case SliceAxis::y:
            return QStringLiteral("coronal");
        case SliceAxis::z:
            break;
    }
    return QStringLiteral("axial");
}

}  // namespace

QColor axisColour(std::size_t axis) {
    // Not the blue of regions.
    constexpr std::array<QRgb, 3> kColours = {0xFFFF7B72, 0xFF7ED67E, 0xFFFFD166};
    return QColor::fromRgb(kColours[axis]);
}

QString axisName(std::size_t axis) {
    return QString(QChar(static_cast<char16_t>(u'x' + axis)));
}

SlicesView::SlicesView(SliceAxis axis, QWidget* parent)
    : QWidget(parent), m_axis(axis), m_plane(planeOf(axis)) {
    setObjectName(objectNameOf(axis));
    m_view = new ImageView(this);
    m_view->setObjectName(objectNameOf(axis) + "View");
    switch (axis) {
        case SliceAxis::x:
            m_view->setTitle(texts::sagittal());
            break;
        case SliceAxis::y:
            m_view->setTitle(texts::coronal());
            break;
        case SliceAxis::z:
            m_view->setTitle(texts::axial());
            break;
    }
    m_view->installEventFilter(this);
    m_across = axisLabel(m_plane.across, axisName(m_plane.across) + QStringLiteral(" →"), m_view);
    m_up = axisLabel(m_plane.up, QStringLiteral("↑ ") + axisName(m_plane.up), m_view);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_view);
    connectView();
}

void SlicesView::connectView() {
    connect(m_view, &ImageView::crosshairMoved, this, [this](QPointF pixel) {
        emit voxelChosen(voxelAt(m_plane, m_data.grid, m_voxel, pixel));
        showCrosshair();  // on the voxel's centre
    });
    connect(m_view, &ImageView::scrolled, this, &SlicesView::scroll);
    connect(m_view, &ImageView::windowEdited, this, &SlicesView::windowEdited);
    connect(m_view, &ImageView::maximiseRequested, this, &SlicesView::maximiseRequested);
    connect(m_view, &ImageView::regionEdited, this, [this](const QRectF& rectangle, bool isFinal) {
        if (!m_region) return;
        const RegionBox dragged = boxWith(*m_region, rectangle, m_plane, m_data.grid);
        emit regionDragged(dragged, isFinal);
        // The result may be less than what was asked for: whole voxels.
        setRegion(m_region);
    });
    connect(m_view, &ImageView::hovered, this, [this](QPointF pixel, double) {
        m_hovered = pixel;
        tellReadout();
    });
    connect(m_view, &ImageView::left, this, [this] {
        m_hovered.reset();
        emit readoutChanged({});
    });
}

void SlicesView::setVolume(const VoxelData& volume, const VoxelIndex& voxel) {
    forgetShown();
    m_data = volume;
    m_voxel = voxel;
    const bool hasVolume = !volume.voxels.empty();
    showScale();
    m_across->setVisible(hasVolume);
    m_up->setVisible(hasVolume);
    if (hasVolume) {
        showSlice();
        setRegion(m_region);
    } else {
        m_view->setImage({});
        m_view->setCrosshair({});
    }
}

void SlicesView::setVoxel(const VoxelIndex& voxel) {
    m_voxel = voxel;
    if (!m_data.voxels.empty()) showSlice();
}

void SlicesView::setCaption(const QString& text, bool isWarning) {
    m_view->setCaption(text, isWarning);
}

void SlicesView::setWindow(const GreyWindow& window) {
    m_view->setWindow(window);
}

void SlicesView::setSlab(const Slab& slab) {
    if (slab == m_slab) return;
    forgetShown();
    m_slab = slab;
    if (!m_data.voxels.empty()) showSlice();
}

void SlicesView::setScaleShown(bool isShown) {
    m_isScaleShown = isShown;
    showScale();
}

void SlicesView::showScale() {
    m_view->setScale(m_isScaleShown ? m_data.grid.pitchMm[m_plane.across] : 0);
}

void SlicesView::setRegion(const std::optional<RegionBox>& region) {
    m_region = region;
    if (region && !m_data.voxels.empty())
        m_view->setRegion(rectangleOf(*region, m_plane, m_data.grid));
    else
        m_view->setRegion({});
}

// What is under way was asked for otherwise.
void SlicesView::forgetShown() {
    m_collecting.cancel();
    m_view->setBusy(false);
    m_shown = -1;
}

void SlicesView::showSlice() {
    showCrosshair();
    const Index index = m_voxel[m_plane.normal];
    if (index == m_shown) return;
    if (!isSlowSlab(m_data.grid, m_axis, m_slab)) {
        show(index, slabImage(m_data, m_axis, index, m_slab));
        return;
    }
    if (m_collecting.isBusy()) return;  // this one is next
    m_view->setBusy(true);
    m_collecting.start(
        [data = m_data, axis = m_axis, index, slab = m_slab](const std::stop_token& stop) {
            return slabImage(data, axis, index, slab, stop);
        },
        [this, index](const GreyImage& image) {
            m_view->setBusy(false);
            show(index, image);
            showSlice();
        },
        [this](const QString& sentence) {
            m_view->setBusy(false);
            m_view->setPlaceholder(sentence);
            m_view->setImage({});
        });
}

void SlicesView::show(Index index, const GreyImage& image) {
    m_shown = index;
    m_view->setImage(image);
    m_view->setCorner(slabText(m_data.grid, m_axis, index, m_slab));
    // The slice changes below a pointer that rests.
    if (m_hovered && m_view->isVisible()) tellReadout();
}

void SlicesView::showCrosshair() {
    // A line marks the plane of the axis that it is perpendicular to.
    m_view->setCrosshair(pixelOf(m_plane, m_voxel), axisColour(m_plane.across),
                         axisColour(m_plane.up));
}

void SlicesView::scroll(int steps) {
    VoxelIndex voxel = m_voxel;
    Index& index = voxel[m_plane.normal];
    index = std::clamp<Index>(index + steps, 0, m_data.grid.voxels[m_plane.normal] - 1);
    if (voxel != m_voxel) emit voxelChosen(voxel);
}

void SlicesView::tellReadout() {
    const double value = m_hovered ? valueAt(m_view->image(), *m_hovered) : std::nan("");
    if (std::isnan(value) || m_data.voxels.empty()) {
        emit readoutChanged({});
        return;
    }
    std::array<double, 3> index = {};
    index[m_plane.normal] = static_cast<double>(m_shown);  // m_voxel's may still be collected
    index[m_plane.across] = m_hovered->x();
    index[m_plane.up] = m_hovered->y();
    QString text;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double position = positionMm(m_data.grid, axis, index[axis]);
        text += axisName(axis) + ' ' + positionText(position, m_data.grid.pitchMm[axis]) + "  ";
    }
    emit readoutChanged(text + valueText(value, QStringLiteral("/mm")));
}

void SlicesView::placeLabels() {
    m_across->adjustSize();
    m_up->adjustSize();
    const QSize size = m_view->size();
    m_across->move(size.width() - m_across->width() - kSpacing,
                   size.height() - m_across->height() - kSpacing);
    constexpr int kBusySign = 3 * kSpacing;  // in that corner of the image
    m_up->move(size.width() - m_up->width() - kSpacing - kBusySign, kSpacing);
}

bool SlicesView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::FontChange) placeLabels();
    return QWidget::eventFilter(watched, event);
}

}  // namespace gantry
