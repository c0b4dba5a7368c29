#include "ui/widgets/image/image_view.h"

#include <QKeyEvent>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>
#include <utility>

namespace gantry {
namespace {

constexpr int kBusyTickMs = 60;

}  // namespace

ImageView::ImageView(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    // The right button sets window/level, so a parent's context menu must not open.
    setContextMenuPolicy(Qt::PreventContextMenu);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    m_busyTimer.setInterval(kBusyTickMs);
    connect(&m_busyTimer, &QTimer::timeout, this, [this] {
        ++m_busyTicks;
        update();
    });
}

void ImageView::setImage(const GreyImage& image) {
    const bool hasSameShape = image.columns == m_image.columns && image.rows == m_image.rows &&
                              image.pixelAspect == m_image.pixelAspect;
    const bool isWhole = image.columns > 0 && image.rows > 0 && image.pixelAspect > 0 &&
                         std::isfinite(image.pixelAspect) &&
                         std::ssize(image.pixels) >= image.columns * image.rows;
    m_image = isWhole ? image : GreyImage{};
    m_details.clear();
    m_isRendered = false;
    if (!hasSameShape) fit();
    update();
}

void ImageView::setImageAt(const GreyImage& image, QPointF before, QPointF now) {
    const bool isKept = !m_isFitted && !m_image.isEmpty();
    const QPointF there = viewAt(before);
    const double zoom = m_placement.zoom;
    setImage(image);
    if (!isKept || m_image.isEmpty()) return;
    m_placement.zoom = zoom;
    place({zoom, m_placement.origin + there - viewAt(now)});
}

void ImageView::setImageOver(const GreyImage& image, const QRectF& place, bool staysWhole) {
    const bool isKept = !m_image.isEmpty() && !place.isEmpty();
    const bool isFitted = m_isFitted;
    const QRectF there = QRectF(viewAt(place.topLeft()), viewAt(place.bottomRight())).normalized();
    const QSignalBlocker quiet(this);
    setImage(image);
    if (!isKept || m_image.isEmpty()) return;
    constexpr double kSamePlace = 1e-6;  // of a screen pixel, below which only rounding differs
    const double zoom = there.width() / static_cast<double>(m_image.columns);
    const QPointF moved = there.topLeft() - m_placement.origin;
    if (moved.manhattanLength() < kSamePlace && std::abs(zoom / m_placement.zoom - 1) < 1e-9)
        return;
    m_placement = {zoom, there.topLeft()};
    m_isFitted = isFitted;
    m_isRendered = false;
    constexpr double kTolerance = 0.01;  // of a screen pixel
    const QRectF inside = QRectF(rect()).adjusted(-kTolerance, -kTolerance, kTolerance, kTolerance);
    if (isFitted && staysWhole && !inside.contains(there)) fit();
}

void ImageView::setDetails(std::vector<ImageDetail> details) {
    m_details = std::move(details);
    m_isRendered = false;
    update();
}

double ImageView::valueAtPixel(QPointF pixel) const {
    for (auto detail = m_details.rbegin(); detail != m_details.rend(); ++detail) {
        const QRectF& place = detail->place;
        const QPointF inside = {(pixel.x() - place.left()) / place.width(),
                                (pixel.y() - place.top()) / place.height()};
        const double value =
            valueAt(detail->image, {inside.x() * static_cast<double>(detail->image.columns) - 0.5,
                                    inside.y() * static_cast<double>(detail->image.rows) - 0.5});
        if (!std::isnan(value)) return value;
    }
    return valueAt(m_image, pixel);
}

QRectF ImageView::visiblePixels() const {
    const QRectF all(-0.5, -0.5, static_cast<double>(m_image.columns),
                     static_cast<double>(m_image.rows));
    const QPointF corner = m_placement.pixelAt(m_image, QPointF(0, 0));
    const QPointF other = m_placement.pixelAt(m_image, QPointF(width(), height()));
    return QRectF(corner, other).normalized() & all;
}

double ImageView::screenPixelsPerColumn() const {
    return m_placement.zoom * devicePixelRatioF();
}

void ImageView::setWindow(const GreyWindow& window) {
    if (window == m_window) return;
    m_window = window;
    m_isRendered = false;
    update();
}

void ImageView::setTitle(const QString& text) {
    m_title = text;
    setAccessibleName(text);
    update();
}

void ImageView::setCaption(const QString& text, bool isWarning) {
    if (text == m_caption && isWarning == m_isCaptionWarning) return;
    m_caption = text;
    m_isCaptionWarning = isWarning;
    update();
}

void ImageView::setPlaceholder(const QString& text) {
    m_placeholder = text;
    setAccessibleDescription(text);
    update();
}

void ImageView::setCorner(const QString& text) {
    m_corner = text;
    update();
}

void ImageView::setScale(double columnMm) {
    if (columnMm == m_columnMm) return;
    m_columnMm = columnMm;
    update();
}

void ImageView::setBusy(bool busy) {
    if (busy == m_busyTimer.isActive()) return;
    m_busyTicks = 0;
    if (busy) {
        m_busyTimer.start();
    } else {
        m_busyTimer.stop();
    }
    update();
}

void ImageView::setCrosshair(std::optional<QPointF> pixel, QColor vertical, QColor horizontal) {
    m_crosshair = pixel;
    m_crosshairColours = {vertical, horizontal};
    update();
}

void ImageView::setRowLine(std::optional<double> row) {
    m_rowLine = row;
    update();
}

void ImageView::setRegion(std::optional<QRectF> region) {
    m_region = region;
    update();
}

void ImageView::setOutline(const QPainterPath& outline) {
    if (outline == m_outline) return;
    m_outline = outline;
    update();
}

void ImageView::fit() {
    m_isFitted = true;
    m_placement = ImagePlacement::fitted(m_image, size());
    m_isRendered = false;
    update();
    emit viewportChanged();
}

void ImageView::follow(const ImageView& other) {
    if (m_image.columns != other.m_image.columns || m_image.rows != other.m_image.rows) return;
    const QSizeF wider = size() - other.size();
    m_isFitted = other.m_isFitted;
    m_placement = m_isFitted ? ImagePlacement::fitted(m_image, size()) : other.m_placement;
    if (!m_isFitted) m_placement.origin += QPointF(wider.width() / 2, wider.height() / 2);
    m_isRendered = false;
    update();
}

// A part of the image stays visible, however far it is dragged.
void ImageView::place(const ImagePlacement& placement) {
    constexpr double kMinSeen = 3 * 8;
    m_placement = placement;
    const double width = m_placement.zoom * static_cast<double>(m_image.columns);
    const double height =
        m_placement.zoom * m_image.pixelAspect * static_cast<double>(m_image.rows);
    const auto kept = [&](double origin, double extent, double view) {
        const double seen = std::min({kMinSeen, extent, view});
        return std::clamp(origin, seen - extent, view - seen);
    };
    m_placement.origin = {kept(m_placement.origin.x(), width, this->width()),
                          kept(m_placement.origin.y(), height, this->height())};
    m_isFitted = false;
    m_isRendered = false;
    update();
    emit viewportChanged();
}

void ImageView::zoomBy(double factor, QPointF at) {
    if (m_image.isEmpty()) return;
    constexpr double kMaxViewPixels = 64;  // that a pixel takes
    const double fitting = ImagePlacement::fitted(m_image, size()).zoom;
    const double zoom = std::clamp(m_placement.zoom * factor, std::min(1.0, fitting / 2),
                                   std::max(kMaxViewPixels * m_detailPerColumn, fitting));
    place(m_placement.zoomed(zoom / m_placement.zoom, at));
}

QRectF ImageView::regionInView() const {
    return QRectF(viewAt(m_region->topLeft()), viewAt(m_region->bottomRight())).normalized();
}

QPointF ImageView::inImage(QPointF pixel) const {
    return {std::clamp(pixel.x(), 0.0, static_cast<double>(m_image.columns - 1)),
            std::clamp(pixel.y(), 0.0, static_cast<double>(m_image.rows - 1))};
}

void ImageView::resizeEvent(QResizeEvent* event) {
    if (m_isFitted || !event->oldSize().isValid()) {
        fit();
        return;
    }
    // The content in the middle stays there.
    const QSizeF grown = event->size() - event->oldSize();
    ImagePlacement moved = m_placement;
    moved.origin += QPointF(grown.width() / 2, grown.height() / 2);
    place(moved);
}

}  // namespace gantry
