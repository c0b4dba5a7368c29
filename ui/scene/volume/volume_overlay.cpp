#include "ui/scene/volume/volume_overlay.h"

#include <QCoreApplication>
#include <QLinearGradient>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "ui/models/axis_ticks.h"
#include "ui/models/text.h"
#include "ui/scene/box_outline.h"
#include "ui/scene/legible_text.h"
#include "ui/scene/volume/reduced_volume.h"

namespace gantry {

namespace {

constexpr double kBarWidth = 12;
constexpr double kPixelsANumber = 36;
constexpr double kMinBar = 60;
// Rays pass through much matter: in the picture it is far less transparent than a hundredth of the
// diagonal of it.
constexpr double kLayers = 12;

// The gradient runs from the bar's upper end, the largest value, to its lower one.
QLinearGradient coloursOf(const RayCastRequest& request, const QRectF& bar,
                          const GreyWindow& ends) {
    QLinearGradient colours(bar.topLeft(), bar.bottomLeft());
    if (request.isMaximum) {
        colours.setColorAt(0, Qt::white);
        colours.setColorAt(1, Qt::black);
        return colours;
    }
    constexpr int kStops = 64;
    for (int i = 0; i <= kStops; ++i) {
        const double share = static_cast<double>(i) / kStops;
        const TransferPoint point = request.transfer.at(ends.white - share * ends.width());
        QColor colour(point.colour);
        colour.setAlphaF(static_cast<float>(1 - std::pow(1 - point.opacity, kLayers)));
        colours.setColorAt(share, colour);
    }
    return colours;
}

}  // namespace

Theme groundTheme() {
    return themeFor(ThemeKind::dark);
}

OrbitCamera wholeVolume(const VolumeGrid& grid) {
    OrbitCamera camera;
    camera.azimuthDeg = -35;
    camera.elevationDeg = 22;
    camera.focusMm = {grid.centerMm[0], grid.centerMm[1], grid.centerMm[2]};
    camera.radiusMm = 0.5 * diagonalMm(grid);
    return camera;
}

void paintBox(QPainter& painter, const BoxView& box, bool isFront) {
    painter.setPen(QPen(isFront ? box.theme.muted : box.theme.line, 1));
    for (const BoxEdge& edge : boxEdges(box.grid, box.camera.eyeMm()))
        if (edge.isFront == isFront)
            painter.drawLine(box.camera.viewPoint(edge.fromMm, box.view),
                             box.camera.viewPoint(edge.toMm, box.view));
}

void paintCrossHair(QPainter& painter, const BoxView& box, const Vec3& placeMm) {
    constexpr double kRing = 5;
    QColor colour = box.theme.accent;
    colour.setAlphaF(0.8F);
    painter.setPen(QPen(colour, 1));
    painter.setBrush(Qt::NoBrush);
    const Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double half =
            0.5 * static_cast<double>(box.grid.voxels[axis]) * box.grid.pitchMm[axis];
        const Vec3& along = axes[axis];
        const double place = dot(along, placeMm);
        const auto end = [&](double to) {
            return box.camera.viewPoint(placeMm + (to - place) * along, box.view);
        };
        painter.drawLine(end(box.grid.centerMm[axis] - half), end(box.grid.centerMm[axis] + half));
    }
    painter.setPen(QPen(box.theme.accent, 2));
    painter.drawEllipse(box.camera.viewPoint(placeMm, box.view), kRing, kRing);
}

void paintCaption(QPainter& painter, const QRectF& area, const QString& text, const QColor& colour,
                  QColor ground) {
    constexpr int kFlags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;
    ground.setAlphaF(0.75F);
    painter.fillRect(painter.boundingRect(area, kFlags, text).adjusted(-4, -1, 4, 1), ground);
    painter.setPen(colour);
    painter.drawText(area, kFlags, text);
}

QStringList voxelsText(const ShownVoxels& shown) {
    const auto translate = [](const char* text) {
        return QCoreApplication::translate("gantry::VolumeOverlay", text);
    };
    const auto fineness = [&](double mm) {
        constexpr double kOwn = 1.01;  // times the volume's voxels, allowing for rounding
        const QString pitch = lengthText(mm, 3);
        if (mm < kOwn * shown.ownMm) return translate("%1 (full resolution)").arg(pitch);
        return translate("%1 (1/%2 of the resolution)")
            .arg(pitch)
            .arg(std::lround(mm / shown.ownMm));
    };
    QStringList lines = {translate("Voxels of %1").arg(fineness(shown.wholeMm))};
    if (shown.finestMm < shown.wholeMm)
        lines << translate("the finest of %1").arg(fineness(shown.finestMm));
    if (shown.isReading) lines << translate("reading finer ones");
    lines << translate(shown.isOnGpu ? "%1 of %2 of the card's memory" : "%1 of %2 of memory")
                 .arg(QString::fromStdString(formatBytes(shown.bytes)),
                      QString::fromStdString(formatBytes(shown.maxBytes)));
    return lines;
}

QString extentText(const VolumeGrid& grid) {
    const auto edge = [&](std::size_t axis) {
        return static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis];
    };
    return lengthsText({edge(0), edge(1), edge(2)});
}

QRectF colourBarArea(QSizeF view, const QRectF& axes) {
    constexpr double kMaxHeight = 220;
    const double bottom = axes.top() - 2 * kSpacing;
    const double top = std::max(bottom - kMaxHeight, 5.0 * kSpacing);
    return {view.width() - 12.0 * kSpacing, top, 11.0 * kSpacing, bottom - top};
}

void paintColourBar(QPainter& painter, const QRectF& area, const RayCastRequest& request,
                    const Theme& theme) {
    if (request.isSurface) return;  // it has only one colour
    const QFontMetricsF metrics(painter.font());
    const QRectF bar(area.right() - kBarWidth, area.top() + 1.5 * metrics.height(), kBarWidth,
                     area.height() - 1.5 * metrics.height());
    const GreyWindow ends = request.isMaximum ? request.window : request.transfer.extent();
    if (bar.height() < kMinBar || !(ends.width() > 0)) return;
    painter.fillRect(bar, theme.background);
    painter.fillRect(bar, coloursOf(request, bar, ends));
    painter.setPen(QPen(theme.muted, 1));
    painter.drawRect(bar);
    const auto atRight = [&](double right, double baseline, const QString& text) {
        const QPointF at(right - metrics.horizontalAdvance(text), baseline);
        paintLegible(painter, at, text, theme.text, theme.background);
    };
    atRight(area.right(), area.top() + metrics.ascent(), request.unit);
    const int max = std::max(2, static_cast<int>(bar.height() / kPixelsANumber));
    const std::vector<double> ticks = niceTicks(ends.black, ends.white, max);
    for (const double tick : ticks) {
        const double y = bar.bottom() - (tick - ends.black) / ends.width() * bar.height();
        painter.drawLine(QPointF(bar.left() - 4, y), QPointF(bar.left(), y));
        atRight(bar.left() - 6, y + metrics.capHeight() / 2, tickText(tick, ticks));
    }
}

}  // namespace gantry
