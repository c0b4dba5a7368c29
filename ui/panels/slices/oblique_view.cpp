#include "ui/panels/slices/oblique_view.h"

#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/clock.h"
#include "ui/models/image/projection_images.h"
#include "ui/panels/slices/slices_view.h"
#include "ui/widgets/image/image_view.h"
#include "ui/widgets/new_widget.h"

namespace gantry {
namespace {

constexpr Index kCoarsest = 16;
constexpr double kFrameSeconds = 0.016;

// The cross-hair moved within a plane leaves the plane where it was, but for rounding.
bool isSameRaster(const PlaneRaster& a, const PlaneRaster& b) {
    constexpr double kRounding = 1e-6;  // of a pixel
    return a.columns == b.columns && a.rows == b.rows && a.columnStepMm == b.columnStepMm &&
           a.rowStepMm == b.rowStepMm &&
           length(b.firstMm - a.firstMm) < kRounding * length(a.columnStepMm);
}

bool isInside(const VolumeGrid& grid, Vec3 placeMm) {
    const std::array<double, 3> mm = {placeMm.x, placeMm.y, placeMm.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double index = indexAt(grid, axis, mm[axis]);
        if (!(index >= -0.5 && index <= static_cast<double>(grid.voxels[axis]) - 0.5)) return false;
    }
    return true;
}

}  // namespace

ObliqueView::ObliqueView(QWidget* parent) : QWidget(parent) {
    setObjectName("oblique");
    m_view = named(new ImageView(this), "obliqueView");
    m_view->setTitle(tr("Oblique"));
    m_view->installEventFilter(this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_view);
    connectView();
}

void ObliqueView::connectView() {
    connect(m_view, &ImageView::crosshairMoved, this, &ObliqueView::choose);
    connect(m_view, &ImageView::scrolled, this, &ObliqueView::scroll);
    connect(m_view, &ImageView::windowEdited, this, &ObliqueView::windowEdited);
    connect(m_view, &ImageView::maximiseRequested, this, &ObliqueView::maximiseRequested);
    connect(m_view, &ImageView::hovered, this, [this](QPointF pixel, double) {
        m_hovered = pixel;
        tellReadout();
    });
    connect(m_view, &ImageView::left, this, [this] {
        m_hovered.reset();
        emit readoutChanged({});
    });
}

void ObliqueView::setVolume(const VoxelData& volume) {
    forgetShown();
    m_data = volume;
    m_view->setImage({});
    m_view->setCrosshair({});
}

void ObliqueView::setPlane(const ObliqueAngles& angles, Vec3 throughMm) {
    m_angles = angles;
    m_throughMm = throughMm;
    showPlane();
}

void ObliqueView::setCaption(const QString& text, bool isWarning) {
    m_view->setCaption(text, isWarning);
}

void ObliqueView::setWindow(const GreyWindow& window) {
    m_view->setWindow(window);
}

void ObliqueView::setSlab(const Slab& slab) {
    if (slab == m_slab) return;
    forgetShown();
    m_slab = slab;
    showPlane();
}

void ObliqueView::setScaleShown(bool isShown) {
    m_isScaleShown = isShown;
    m_view->setScale(isShown ? length(m_shown.columnStepMm) : 0);
}

SlicePicture ObliqueView::picture() const {
    const Index slices = m_data.voxels.empty() ? 1 : slicesOf(m_slab, m_data.grid, m_shown);
    SlicePicture picture{m_view->image(),
                         m_view->window(),
                         length(m_shown.columnStepMm),
                         static_cast<double>(slices) * length(m_shown.normalStepMm),
                         m_isScaleShown,
                         m_view->caption() + '\n' + m_view->corner()};
    if (m_coarseness > 1)
        picture.finer = [data = m_data, raster = m_shown,
                         slab = m_slab](const std::stop_token& stop) {
            return obliqueImage(data, raster, slab, 1, stop);
        };
    return picture;
}

// What is under way was asked for otherwise.
void ObliqueView::forgetShown() {
    m_sampling.cancel();
    m_view->setBusy(false);
    m_coarseness = 0;
}

void ObliqueView::showPlane() {
    if (m_data.voxels.empty() || !isVisible()) return;
    const PlaneRaster raster = obliqueRaster(m_data.grid, m_angles, m_throughMm);
    if (!isSameRaster(raster, m_wanted)) m_wanted = raster;
    const bool isShown = m_coarseness > 0 && m_shown == m_wanted;
    if (isShown) showCrosshair();
    if (isShown && (m_coarseness == 1 || m_sampling.isBusy())) return;
    if (m_sampling.isBusy() && m_isWaitedFor) return;  // this one is next
    sample(isShown ? 1 : coarsenessInTime());
}

void ObliqueView::sample(Index coarseness) {
    m_isWaitedFor = coarseness == coarsenessInTime();
    m_view->setBusy(true);
    m_sampling.start(
        [data = m_data, raster = m_wanted, slab = m_slab, coarseness](const std::stop_token& stop) {
            const std::int64_t begin = nowNs();
            GreyImage image = obliqueImage(data, raster, slab, coarseness, stop);
            return Sampled{std::move(image), secondsSince(begin)};
        },
        [this, raster = m_wanted, angles = m_angles, coarseness](const Sampled& sampled) {
            const Index slices = slicesOf(m_slab, m_data.grid, raster);
            const double samples = static_cast<double>(raster.columns) *
                                   static_cast<double>(raster.rows) * static_cast<double>(slices);
            m_secondsPerSample =
                sampled.seconds * static_cast<double>(coarseness * coarseness) / samples;
            m_view->setBusy(false);
            m_coarseness = coarseness;
            take(sampled.image, raster);
            showCorner(angles);
            showPlane();  // another one, or finer
        },
        [this](const QString& sentence) {
            m_view->setBusy(false);
            m_view->setPlaceholder(sentence);
            m_view->setImage({});
        });
}

Index ObliqueView::coarsenessInTime() const {
    const Index slices = slicesOf(m_slab, m_data.grid, m_wanted);
    const double seconds = m_secondsPerSample * static_cast<double>(m_wanted.columns) *
                           static_cast<double>(m_wanted.rows) * static_cast<double>(slices);
    const double wanted = std::ceil(std::sqrt(seconds / kFrameSeconds));
    return static_cast<Index>(std::clamp(wanted, 1.0, static_cast<double>(kCoarsest)));
}

void ObliqueView::take(const GreyImage& image, const PlaneRaster& raster) {
    const QPointF before = m_shown.columns > 0 ? m_shown.pixelOf(m_throughMm) : QPointF();
    m_shown = raster;
    m_view->setImageAt(image, before, m_shown.pixelOf(m_throughMm));
    setScaleShown(m_isScaleShown);
    showCrosshair();
    emit rasterChanged();
    // The slice changes below a pointer that rests.
    if (m_hovered && m_view->isVisible()) tellReadout();
}

void ObliqueView::showCrosshair() {
    // The horizontal line is where the axial slice is; the other one is no other slice's.
    const QColor neutral(0xD8, 0xDB, 0xE0);
    m_view->setCrosshair(m_shown.pixelOf(m_throughMm), neutral, axisColour(2));
}

void ObliqueView::showCorner(const ObliqueAngles& angles) {
    QString text = obliqueText(m_data.grid, angles, m_shown, m_slab);
    if (m_data.levels)
        text +=
            '\n' + SlicesView::resolutionText(m_data.grid.pitchMm[0] / m_data.finest().pitchMm[0],
                                              pitchText(m_data.grid));
    m_view->setCorner(text);
}

// The corners of the image are outside of the volume: there the cross-hair stays where it is.
void ObliqueView::choose(QPointF pixel) {
    const Vec3 place = m_shown.placeMm(pixel);
    if (isInside(m_data.grid, place)) emit placeChosen(place);
    showCrosshair();
}

void ObliqueView::scroll(int steps) {
    const Vec3 place = m_throughMm + static_cast<double>(steps) * m_wanted.normalStepMm;
    if (isInside(m_data.grid, place)) emit placeChosen(place);
}

void ObliqueView::tellReadout() {
    const double value = m_hovered ? m_view->valueAtPixel(*m_hovered) : std::nan("");
    if (std::isnan(value) || m_data.voxels.empty()) {
        emit readoutChanged({});
        return;
    }
    emit readoutChanged(placeText(m_data.finest(), m_shown.placeMm(*m_hovered)) + "  " +
                        valueText(value, m_data.unit));
}

bool ObliqueView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn) emit used();
    return QWidget::eventFilter(watched, event);
}

void ObliqueView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    showPlane();
}

}  // namespace gantry
