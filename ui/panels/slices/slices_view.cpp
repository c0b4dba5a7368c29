#include "ui/panels/slices/slices_view.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/models/image/projection_images.h"
#include "ui/widgets/image/image_view.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

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
    m_view = named(new ImageView(this), objectNameOf(axis) + "View");
    switch (axis) {
        case SliceAxis::x:
            m_view->setTitle(tr("Sagittal"));
            break;
        case SliceAxis::y:
            m_view->setTitle(tr("Coronal"));
            break;
        case SliceAxis::z:
            m_view->setTitle(tr("Axial"));
            break;
    }
    m_view->installEventFilter(this);
    m_across = axisLabel(m_plane.across, axisName(m_plane.across) + QStringLiteral(" →"), m_view);
    m_up = axisLabel(m_plane.up, QStringLiteral("↑ ") + axisName(m_plane.up), m_view);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_view);
    m_detail = new SliceDetail(axis, this);
    connectView();
}

void SlicesView::connectView() {
    connect(m_view, &ImageView::crosshairMoved, this, [this](QPointF pixel) {
        const auto finest = [&](std::size_t along, double coarse) {
            return indexAt(m_data.finest(), along, positionMm(m_data.grid, along, coarse));
        };
        emit voxelChosen(
            voxelAt(m_plane, m_data.finest(), m_voxel,
                    {finest(m_plane.across, pixel.x()), finest(m_plane.up, pixel.y())}));
        showCrosshair();  // on the voxel's centre
    });
    connect(m_view, &ImageView::viewportChanged, this, &SlicesView::showDetail);
    connect(m_detail, &SliceDetail::changed, this, [this] {
        m_view->setDetails(m_detail->tiles());
        showCorner();
        if (m_hovered && m_view->isVisible()) tellReadout();
    });
    connect(m_detail, &SliceDetail::failed, this, &SlicesView::failed);
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
    m_detail->setVolume(volume);
    m_view->setDetailPerColumn(volume.voxels.empty() ? 1
                                                     : m_data.grid.pitchMm[m_plane.across] /
                                                           m_data.finest().pitchMm[m_plane.across]);
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

SlicePicture SlicesView::picture() const {
    const std::array<double, 3>& pitchMm = m_data.grid.pitchMm;
    const IndexRange slices = slicesOf(m_slab, m_data.grid, m_axis, m_shown);
    return {m_view->image(),         m_view->window(),
            pitchMm[m_plane.across], static_cast<double>(slices.size()) * pitchMm[m_plane.normal],
            m_isScaleShown,          m_view->caption() + '\n' + m_view->corner()};
}

// What is under way was asked for otherwise.
void SlicesView::forgetShown() {
    m_collecting.cancel();
    m_view->setBusy(false);
    m_shown = -1;
}

void SlicesView::showSlice() {
    showCrosshair();
    const std::array<double, 3> place = {placeMm().x, placeMm().y, placeMm().z};
    m_view->setOutline(measuredOutline(m_data, m_plane, place[m_plane.normal]));
    const Index index = indexInMemory();
    if (index == m_shown) {
        showDetail();
        showCorner();
        return;
    }
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
    m_view->setDetails(m_detail->tiles());
    showDetail();
    showCorner();
    // The slice changes below a pointer that rests.
    if (m_hovered && m_view->isVisible()) tellReadout();
}

Vec3 SlicesView::placeMm() const {
    return m_data.finest().positionMm(static_cast<double>(m_voxel[0]),
                                      static_cast<double>(m_voxel[1]),
                                      static_cast<double>(m_voxel[2]));
}

Index SlicesView::indexInMemory() const {
    return nearestVoxel(m_data.grid, placeMm())[m_plane.normal];
}

void SlicesView::showCrosshair() {
    if (m_data.voxels.empty()) return;
    const auto inMemory = [this](std::size_t along) {
        const double mm = positionMm(m_data.finest(), along, static_cast<double>(m_voxel[along]));
        return indexAt(m_data.grid, along, mm);
    };
    // A line marks the plane of the axis that it is perpendicular to.
    m_view->setCrosshair(QPointF(inMemory(m_plane.across), inMemory(m_plane.up)),
                         axisColour(m_plane.across), axisColour(m_plane.up));
}

// Shows finer voxels of what is visible, where there are any.
void SlicesView::showDetail() {
    if (!m_data.levels) return;
    const QRectF seen = m_view->visiblePixels();
    const auto mm = [this](std::size_t along, double pixel) {
        return positionMm(m_data.grid, along, pixel);
    };
    SliceViewport viewport;
    viewport.plane = m_plane;
    viewport.partMm = {QPointF(mm(m_plane.across, seen.left()), mm(m_plane.up, seen.top())),
                       QPointF(mm(m_plane.across, seen.right()), mm(m_plane.up, seen.bottom()))};
    viewport.pixelMm = m_data.grid.pitchMm[m_plane.across] / m_view->screenPixelsPerColumn();
    viewport.sliceMm =
        positionMm(m_data.finest(), m_plane.normal, static_cast<double>(m_voxel[m_plane.normal]));
    viewport.focusMm = placeMm();
    m_detail->show(viewport, m_slab);
}

// Which slice it is, and of how fine voxels.
void SlicesView::showCorner() {
    QString text = slabText(m_data.finest(), m_axis, m_voxel[m_plane.normal], m_slab);
    if (m_data.levels) {
        const bool isFiner = m_detail->level() && m_detail->isComplete();
        const VolumeGrid& grid = isFiner ? m_data.levels->grids()[*m_detail->level()] : m_data.grid;
        const double share = grid.pitchMm[m_plane.across] / m_data.finest().pitchMm[m_plane.across];
        text += '\n' + resolutionText(share, pitchText(grid));
    }
    m_view->setCorner(text);
}

QString SlicesView::resolutionText(double share, const QString& pitch) {
    return share < 1.01 ? tr("full resolution, %1").arg(pitch)
                        : tr("1/%1 of the resolution, %2").arg(std::lround(share)).arg(pitch);
}

void SlicesView::scroll(int steps) {
    VoxelIndex voxel = m_voxel;
    Index& index = voxel[m_plane.normal];
    index = std::clamp<Index>(index + steps, 0, m_data.finest().voxels[m_plane.normal] - 1);
    if (voxel != m_voxel) emit voxelChosen(voxel);
}

void SlicesView::tellReadout() {
    const double value = m_hovered ? m_view->valueAtPixel(*m_hovered) : std::nan("");
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
        const double position =
            axis == m_plane.normal && m_shown == indexInMemory()
                ? positionMm(m_data.finest(), axis, static_cast<double>(m_voxel[axis]))
                : positionMm(m_data.grid, axis, index[axis]);
        text += axisName(axis) + ' ' + positionText(position, m_data.finest().pitchMm[axis]) + "  ";
    }
    emit readoutChanged(text + valueText(value, m_data.unit));
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
    if (event->type() == QEvent::FocusIn) emit used();
    if (event->type() == QEvent::Resize || event->type() == QEvent::FontChange) placeLabels();
    return QWidget::eventFilter(watched, event);
}

}  // namespace gantry
