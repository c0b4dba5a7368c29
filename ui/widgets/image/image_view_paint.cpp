// Painting of ImageView.
#include <QPainter>
#include <QTransform>
#include <algorithm>
#include <cmath>

#include "ui/models/axis_ticks.h"
#include "ui/models/text.h"
#include "ui/widgets/image/caption.h"
#include "ui/widgets/image/image_view.h"
#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

constexpr QColor kNotFinite(0xB0, 0x3A, 0x8C);  // different from every grey and cross-hair
constexpr QColor kOverImage(0xF0, 0xF2, 0xF5);
constexpr QColor kShadow(0, 0, 0, 205);
constexpr int kAtTop = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;

// Text on a dark background, legible on black and on white. @returns the area that it takes
QRectF drawLegible(QPainter& painter, const QRectF& place, int flags, const QString& text,
                   const QColor& colour = kOverImage) {
    if (text.isEmpty()) return {place.topLeft(), QSizeF(0, 0)};
    const QRectF taken = painter.boundingRect(place, flags, text);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(kShadow);
    painter.drawRoundedRect(taken.adjusted(-4, -1, 4, 1), 3, 3);
    painter.setPen(colour);
    painter.drawText(place, flags, text);
    painter.setRenderHint(QPainter::Antialiasing, false);
    return taken;
}

// A thin line with a dark one under it, for the same reason.
void drawThin(QPainter& painter, QPointF from, QPointF to, const QColor& colour) {
    painter.setPen(QPen(QColor(0, 0, 0, 110), 3));
    painter.drawLine(from, to);
    painter.setPen(QPen(colour, 1));
    painter.drawLine(from, to);
}

// The middle of a pixel of the view, where a thin line is sharp.
double sharp(double x) {
    return std::floor(x) + 0.5;
}

}  // namespace

const QImage& ImageView::rendered() {
    const double ratio = devicePixelRatioF();
    const QSize device(static_cast<int>(std::ceil(width() * ratio)),
                       static_cast<int>(std::ceil(height() * ratio)));
    if (!m_isRendered || m_rendered.size() != device || m_rendered.devicePixelRatio() != ratio) {
        // Images have a dark background, in the light theme too.
        m_rendered = gantry::render(m_image, m_window, m_placement, device, ratio,
                                    themeFor(ThemeKind::dark).background, kNotFinite);
        for (const ImageDetail& detail : m_details)
            renderDetail(detail, ratio);
        m_isRendered = true;
    }
    return m_rendered;
}

void ImageView::renderDetail(const ImageDetail& detail, double ratio) {
    const QRectF place =
        QRectF(viewAt(detail.place.topLeft()), viewAt(detail.place.bottomRight())).normalized();
    const QRect seen = place.toAlignedRect() & rect();
    if (seen.isEmpty()) return;
    ImagePlacement placement;
    placement.zoom = place.width() / static_cast<double>(detail.image.columns);
    placement.origin = place.topLeft() - QPointF(seen.topLeft());
    GreyImage image = detail.image;
    image.pixelAspect = place.height() / static_cast<double>(image.rows) / placement.zoom;
    const QSize device(static_cast<int>(std::ceil(seen.width() * ratio)),
                       static_cast<int>(std::ceil(seen.height() * ratio)));
    const QImage piece =
        gantry::render(image, m_window, placement, device, ratio, Qt::transparent, kNotFinite);
    // Edge pixels that the piece covers only partly keep their value.
    QPainter painter(&m_rendered);
    painter.setClipRect(place);
    painter.drawImage(QPointF(seen.topLeft()), piece);
}

void ImageView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme theme = themeOf(*this);
    if (m_image.isEmpty()) {
        paintEmpty(painter);
    } else {
        painter.drawImage(QPointF(0, 0), rendered());
        paintOutline(painter);
        paintRegion(painter);
        paintCrosshair(painter);
        paintBar(painter);
        paintScale(painter);
        paintTexts(painter);
    }
    paintBusy(painter);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(hasFocus() ? theme.accent : theme.line);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void ImageView::paintEmpty(QPainter& painter) const {
    const Theme theme = themeOf(*this);
    painter.fillRect(rect(), theme.background);
    painter.setPen(theme.muted);
    const QRect inner = rect().adjusted(kSpacing, kSpacing, -kSpacing, -kSpacing);
    painter.drawText(inner, Qt::AlignCenter | Qt::TextWordWrap, m_placeholder);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_title);
}

void ImageView::paintCrosshair(QPainter& painter) const {
    const Theme theme = themeFor(ThemeKind::dark);
    if (m_rowLine) {
        const double y = sharp(viewAt({0, *m_rowLine}).y());
        drawThin(painter, {0, y}, {double(width()), y}, theme.warning);
    }
    if (!m_crosshair) return;
    constexpr double kGap = 10;
    const QPointF at = viewAt(*m_crosshair);
    const double x = sharp(at.x());
    const double y = sharp(at.y());
    const auto colour = [&](std::size_t i) {
        return m_crosshairColours[i].isValid() ? m_crosshairColours[i] : theme.accent;
    };
    drawThin(painter, {x, 0}, {x, y - kGap}, colour(0));
    drawThin(painter, {x, y + kGap}, {x, double(height())}, colour(0));
    drawThin(painter, {0, y}, {x - kGap, y}, colour(1));
    drawThin(painter, {x + kGap, y}, {double(width()), y}, colour(1));
}

void ImageView::paintOutline(QPainter& painter) const {
    if (m_outline.isEmpty()) return;
    const QPointF origin = viewAt({0, 0});
    const QPointF unit = viewAt({1, 1}) - origin;
    const QPainterPath onScreen =
        QTransform(unit.x(), 0, 0, unit.y(), origin.x(), origin.y()).map(m_outline);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(0, 0, 0, 110), 3));
    painter.drawPath(onScreen);
    painter.setPen(QPen(themeFor(ThemeKind::dark).warning, 1, Qt::DashLine));
    painter.drawPath(onScreen);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void ImageView::paintRegion(QPainter& painter) const {
    if (!m_region) return;
    constexpr double kHandle = 7;
    const QColor colour = themeFor(ThemeKind::dark).accent;
    const QRectF exact = regionInView();
    const QRectF area(QPointF(sharp(exact.left()), sharp(exact.top())),
                      QPointF(sharp(exact.right()), sharp(exact.bottom())));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(0, 0, 0, 110), 3));
    painter.drawRect(area);
    painter.setPen(QPen(colour, 1));
    painter.drawRect(area);
    const auto square = [&](QPointF at) {
        return QRectF(sharp(at.x()) - (kHandle - 1) / 2, sharp(at.y()) - (kHandle - 1) / 2,
                      kHandle - 1, kHandle - 1);
    };
    painter.setBrush(themeFor(ThemeKind::dark).background);
    for (const RegionHandle& handle : regionHandles())
        painter.drawRect(square(handlePoint(area, handle)));
    if (!m_crosshair) return;
    painter.drawLine(area.center() - QPointF(4, 0), area.center() + QPointF(4, 0));
    painter.drawLine(area.center() - QPointF(0, 4), area.center() + QPointF(0, 4));
}

void ImageView::paintBar(QPainter& painter) const {
    constexpr int kMinWidth = 160;
    constexpr int kMinHeight = 150;
    constexpr int kBarWidth = 10;
    if (width() < kMinWidth || height() < kMinHeight) return;
    painter.setFont(tabular(font()));
    const int line = painter.fontMetrics().height();
    const int barHeight = std::clamp(height() / 3, 48, 160);
    const QRect bar(width() - kSpacing - kBarWidth, (height() - barHeight) / 2, kBarWidth,
                    barHeight);
    QLinearGradient values(bar.topLeft(), bar.bottomLeft());
    values.setColorAt(0, m_image.isDifference ? differenceColour(1) : Qt::white);
    if (m_image.isDifference) values.setColorAt(0.5, differenceColour(0.5));
    values.setColorAt(1, m_image.isDifference ? differenceColour(0) : Qt::black);
    painter.setBrush(values);
    painter.setPen(QColor(0x80, 0x80, 0x80));
    painter.drawRect(bar);
    const QRect above(0, bar.top() - line - 3, width() - kSpacing, line);
    const QRect below(0, bar.bottom() + 4, width() - kSpacing, line);
    const QString unit = m_image.unit.isEmpty() ? QString() : ' ' + m_image.unit;
    drawLegible(painter, above, Qt::AlignRight, numberText(m_window.white, 3) + unit);
    drawLegible(painter, below, Qt::AlignRight, numberText(m_window.black, 3) + unit);
}

void ImageView::paintScale(QPainter& painter) const {
    // The corner's text is at the left, an axis' name at the right.
    constexpr int kMinWidth = 40 * kSpacing;
    constexpr int kAtRight = 8 * kSpacing;
    constexpr double kMaxOfWidth = 0.25;
    if (width() < kMinWidth || m_columnMm <= 0) return;
    const double pixelsPerMm = m_placement.zoom / m_columnMm;
    const double lengthMm = niceAtMost(kMaxOfWidth * width() / pixelsPerMm);
    const double right = width() - kAtRight;
    const QRectF bar(right - lengthMm * pixelsPerMm, height() - kSpacing - 3,
                     lengthMm * pixelsPerMm, 3);
    painter.setFont(tabular(font()));
    const int line = painter.fontMetrics().height();
    const QRectF above(bar.left() - kAtRight, bar.top() - line - 3, bar.width() + 2 * kAtRight,
                       line);
    drawLegible(painter, above, Qt::AlignHCenter, lengthText(lengthMm));
    painter.fillRect(bar.adjusted(-1, -1, 1, 1), kShadow);
    painter.fillRect(bar, kOverImage);
}

QRect ImageView::textPlace() const {
    // The right side has the axes' names and the sign for running work.
    constexpr int kForOthers = 6 * kSpacing;
    QRect inner = rect().adjusted(kSpacing + 4, kSpacing, -kSpacing, -kSpacing);
    if (inner.width() > 2 * kForOthers) inner.setRight(inner.right() - kForOthers);
    return inner;
}

QRect ImageView::captionPlace() const {
    QRect place = textPlace();
    if (!m_title.isEmpty()) {
        const QFontMetrics metrics(tabular(font()));
        place.setTop(metrics.boundingRect(place, kAtTop, m_title).bottom() + 1 + kSpacing / 2);
    }
    place.setWidth(std::min(place.width(), captionWidth(width())));
    return place;
}

void ImageView::paintTexts(QPainter& painter) const {
    painter.setFont(tabular(font()));
    const QRect inner = textPlace();
    drawLegible(painter, inner, kAtTop, m_title);
    const QColor warning = themeFor(ThemeKind::dark).warning;
    const QRect place = captionPlace();
    drawLegible(painter, place, kAtTop,
                fittedCaption(m_caption, painter.fontMetrics(), place.width()),
                m_isCaptionWarning ? warning : kOverImage);
    drawLegible(painter, inner, Qt::AlignLeft | Qt::AlignBottom | Qt::TextWordWrap, m_corner);
}

void ImageView::paintBusy(QPainter& painter) const {
    // Shorter work shows no sign, because a flicker is no information.
    constexpr int kQuietTicks = 2;
    constexpr int kTurn = 16 * 360;
    if (!m_busyTimer.isActive() || m_busyTicks < kQuietTicks) return;
    constexpr int kSize = 18;
    const QRectF ring(width() - kSpacing - kSize - 1, kSpacing + 1, kSize, kSize);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(kShadow, 5));
    painter.drawEllipse(ring);
    painter.setPen(QPen(themeFor(ThemeKind::dark).accent, 2.5));
    painter.drawArc(ring, -m_busyTicks * kTurn / 20, kTurn / 4);
}

}  // namespace gantry
