#include "ui/widgets/image/profile_plot.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/models/axis_ticks.h"
#include "ui/models/text.h"
#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

constexpr int kPixelsAValueTick = 22;
constexpr int kPixelsAnXTick = 80;
constexpr int kCurveSample = 16;  // length of a curve's line in the legend

}  // namespace

ProfilePlot::ProfilePlot(QWidget* parent)
    : QWidget(parent), m_emptyText(tr("There is no profile yet.")) {
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    setAccessibleName(tr("Profile"));
}

void ProfilePlot::setCurves(std::vector<Curve> curves, const QString& xTitle) {
    setCurves(std::move(curves), XAxis{xTitle});
}

void ProfilePlot::setCurves(std::vector<Curve> curves, const XAxis& x) {
    m_curves = std::move(curves);
    m_x = x;
    m_marks.clear();
    m_length = 0;
    for (const Curve& curve : m_curves)
        m_length = std::max(m_length, std::ssize(curve.values));
    fitAxes();
    update();
}

void ProfilePlot::setMarks(std::vector<Mark> marks) {
    m_marks = std::move(marks);
    update();
}

void ProfilePlot::setEmptyText(const QString& text) {
    m_emptyText = text;
    update();
}

const ProfilePlot::Axis& ProfilePlot::axisOf(const Curve& curve) const {
    return m_axes[curve.unit == m_axes[0].unit ? 0 : 1];
}

void ProfilePlot::fitAxes() {
    constexpr double kAir = 0.05;  // above and below the curves
    m_axes = {};
    for (const Curve& curve : m_curves) {
        const bool isLeft = !m_axes[0].isUsed || m_axes[0].unit == curve.unit;
        Axis& axis = m_axes[isLeft ? 0 : 1];
        if (!axis.isUsed) {
            axis = {curve.unit,
                    std::numeric_limits<double>::infinity(),
                    -std::numeric_limits<double>::infinity(),
                    {},
                    true};
        }
        for (const double value : curve.values) {
            if (!std::isfinite(value)) continue;
            axis.low = std::min(axis.low, value);
            axis.high = std::max(axis.high, value);
        }
    }
    for (Axis& axis : m_axes) {
        if (!(axis.high >= axis.low)) {  // no number in it
            axis.low = 0;
            axis.high = 1;
        }
        const double width = axis.high - axis.low;
        const double air = width > 0 ? width * kAir : std::max(1e-6, std::abs(axis.low) * kAir);
        axis.low -= air;
        axis.high += air;
        const int max = static_cast<int>(plotArea().height()) / kPixelsAValueTick;
        axis.ticks = niceTicks(axis.low, axis.high, std::max(3, max));
    }
}

QRectF ProfilePlot::plotArea() const {
    const QFontMetrics metrics(tabular(font()));
    const auto widthOf = [&](const Axis& axis) {
        if (!axis.isUsed) return kSpacing;
        int width = metrics.horizontalAdvance(axis.unit);
        for (const double tick : axis.ticks)
            width = std::max(width, metrics.horizontalAdvance(tickText(tick, axis.ticks)));
        return width + kSpacing + 4;
    };
    const int line = metrics.height();
    return QRectF(rect()).adjusted(widthOf(m_axes[0]), line + 6, -widthOf(m_axes[1]), -line - 6);
}

double ProfilePlot::xOf(const QRectF& area, double index) const {
    return area.left() +
           (index + 0.5) / static_cast<double>(std::max<Index>(1, m_length)) * area.width();
}

double ProfilePlot::yOf(const QRectF& area, const Axis& axis, double value) {
    return area.bottom() - (value - axis.low) / (axis.high - axis.low) * area.height();
}

Index ProfilePlot::indexUnderPointer() const {
    const QRectF area = plotArea();
    if (m_length == 0 || m_pointerX < area.left() || m_pointerX > area.right()) return -1;
    const double share = (m_pointerX - area.left()) / area.width();
    const auto index = static_cast<Index>(share * static_cast<double>(m_length));
    return std::clamp<Index>(index, 0, m_length - 1);
}

QString ProfilePlot::readOut() const {
    const Index index = indexUnderPointer();
    if (index < 0) return {};
    constexpr int kDigits = 6;
    constexpr double kRounding = 1e-9;  // of a step: 0 is not 1e-17
    double x = m_x.first + m_x.step * static_cast<double>(index);
    if (std::abs(x) < kRounding * m_x.step) x = 0;
    QStringList lines = {
        QString("%1 %2 %3").arg(m_x.title, numberText(x, kDigits), m_x.unit).trimmed()};
    for (const Curve& curve : m_curves) {
        if (index >= std::ssize(curve.values)) continue;
        const double value = curve.values[index];
        const QString number = std::isfinite(value) ? numberText(value) : tr("no number");
        lines.append(QString("%1 %2 %3").arg(curve.name, number, curve.unit).trimmed());
    }
    return lines.join('\n');
}

void ProfilePlot::mouseMoveEvent(QMouseEvent* event) {
    m_pointerX = event->position().x();
    update();
}

void ProfilePlot::leaveEvent(QEvent*) {
    m_pointerX = -1;
    update();
}

void ProfilePlot::resizeEvent(QResizeEvent*) {
    fitAxes();
}

void ProfilePlot::paintAxes(QPainter& painter) const {
    const Theme theme = themeOf(*this);
    const QRectF area = plotArea();
    const int line = painter.fontMetrics().height();
    for (std::size_t side = 0; side < m_axes.size(); ++side) {
        const Axis& axis = m_axes[side];
        if (!axis.isUsed) continue;
        const bool isLeft = side == 0;
        const QRectF column = isLeft
                                  ? QRectF(0, 0, area.left() - 4, line)
                                  : QRectF(area.right() + 4, 0, width() - area.right() - 4, line);
        const int flags =
            isLeft ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter;
        painter.setPen(theme.muted);
        painter.drawText(column.translated(0, 2), flags, axis.unit);
        for (const double tick : axis.ticks) {
            const double y = std::round(yOf(area, axis, tick)) + 0.5;
            painter.setPen(theme.line);
            if (isLeft) painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
            if (!isLeft) painter.drawLine(QPointF(area.right() - 4, y), QPointF(area.right(), y));
            painter.setPen(theme.muted);
            painter.drawText(column.translated(0, y - line / 2.0), flags,
                             tickText(tick, axis.ticks));
        }
    }
}

void ProfilePlot::paintXAxis(QPainter& painter) const {
    const Theme theme = themeOf(*this);
    const QRectF area = plotArea();
    const int line = painter.fontMetrics().height();
    const bool isCount = m_x.unit.isEmpty();
    const QString title = isCount ? m_x.title : QString("%1 (%2)").arg(m_x.title, m_x.unit);
    const QRectF below(area.left(), area.bottom() + 3, area.width(), line);
    const double titleWidth = painter.fontMetrics().horizontalAdvance(title) + kSpacing;
    painter.setPen(theme.muted);
    painter.drawText(below, Qt::AlignRight, title);
    const int max = std::max(2, static_cast<int>(area.width()) / kPixelsAnXTick);
    const double last =
        m_x.first + m_x.step * static_cast<double>(std::max<Index>(1, m_length) - 1);
    const auto ticks = niceTicks(m_x.first, last, max);
    for (const double tick : ticks) {
        if (isCount && tick != std::floor(tick)) continue;
        const QString text = tickText(tick, ticks);
        const double half = painter.fontMetrics().horizontalAdvance(text) / 2.0 + 1;
        const double x = xOf(area, (tick - m_x.first) / m_x.step);
        painter.setPen(theme.line);
        painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() - 4));
        painter.setPen(theme.muted);
        if (x + half < area.right() - titleWidth)
            painter.drawText(QRectF(x - half, below.top(), 2 * half, line), Qt::AlignHCenter, text);
    }
}

void ProfilePlot::paintCurve(QPainter& painter, const Curve& curve) const {
    // A long curve is drawn as the range in each column of the view, so that no peak is lost and
    // the time depends only on the view's width.
    const Axis& axis = axisOf(curve);
    const QRectF area = plotArea();
    const auto count = std::ssize(curve.values);
    const Index group = std::max<Index>(1, m_length / std::max(1, static_cast<int>(area.width())));
    QList<QPointF> line;
    const auto finish = [&] {
        if (line.size() == 1) painter.drawPoint(line.first());
        // Drawn piece by piece: filling the outline of one long wide line takes several times as
        // long.
        for (qsizetype i = 1; i < line.size(); ++i)
            painter.drawLine(line[i - 1], line[i]);
        line.clear();
    };
    painter.setPen(QPen(curve.colour, 1.3));
    painter.setBrush(Qt::NoBrush);
    for (Index begin = 0; begin < count; begin += group) {
        const auto first = curve.values.begin() + begin;
        const auto last = curve.values.begin() + std::min(begin + group, count);
        const bool isNumber = std::all_of(first, last, [](double v) { return std::isfinite(v); });
        if (!isNumber) {
            finish();
            continue;
        }
        const auto [min, max] = std::minmax_element(first, last);
        const double x = xOf(area, static_cast<double>(begin) + static_cast<double>(group - 1) / 2);
        const bool rises = min < max;
        line.append({x, yOf(area, axis, rises ? *min : *max)});
        if (min != max) line.append({x, yOf(area, axis, rises ? *max : *min)});
    }
    finish();
}

void ProfilePlot::paintMark(QPainter& painter, const Mark& mark) const {
    constexpr double kDot = 3;
    const QRectF area = plotArea();
    const QPointF at(xOf(area, (mark.x - m_x.first) / m_x.step), yOf(area, m_axes[0], mark.value));
    if (!area.contains(at)) return;
    if (!mark.text.isEmpty()) {
        painter.setPen(QPen(themeOf(*this).muted, 1, Qt::DashLine));
        painter.drawLine(QPointF(area.left(), at.y()), at);
        painter.drawLine(at, QPointF(at.x(), area.bottom()));
        painter.setPen(themeOf(*this).text);
        // Drawn to the right, where a falling curve leaves room, if there is any.
        const double width = painter.fontMetrics().horizontalAdvance(mark.text);
        const double left = std::min(at.x() + 2 * kDot, area.right() - width);
        painter.drawText(QPointF(left, at.y() - 2 * kDot), mark.text);
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(mark.colour);
    painter.drawEllipse(at, kDot, kDot);
}

void ProfilePlot::paintLegend(QPainter& painter) const {
    const Theme theme = themeOf(*this);
    const QRectF area = plotArea();
    double x = area.left();
    const QFontMetrics metrics = painter.fontMetrics();
    const double middle = metrics.height() / 2.0 + 2;
    int sample = kCurveSample;
    int gap = 2 * kSpacing;
    const auto widthOf = [&](const QString& text) {
        return sample + 4 + metrics.horizontalAdvance(text) + gap;
    };
    const auto withUnit = [this](const Curve& curve) {
        return m_axes[1].isUsed && !curve.unit.isEmpty()
                   ? QString("%1 (%2)").arg(curve.name, curve.unit)
                   : curve.name;
    };
    double whole = -gap;
    for (const Curve& curve : m_curves)
        whole += widthOf(withUnit(curve));
    // In a narrow plot only the axis shows the unit, and spacing is smaller.
    const bool hasRoom = whole <= area.width();
    if (!hasRoom) {
        sample /= 2;
        gap = kSpacing;
    }
    for (const Curve& curve : m_curves) {
        painter.setPen(QPen(curve.colour, 2.5));
        painter.drawLine(QPointF(x, middle), QPointF(x + sample, middle));
        const double begin = x + sample + 4;
        const QString text =
            metrics.elidedText(hasRoom ? withUnit(curve) : curve.name, Qt::ElideRight,
                               static_cast<int>(area.right() - begin) + 1);
        painter.setPen(theme.text);
        painter.drawText(QPointF(begin, middle + metrics.ascent() / 2.0 - 1), text);
        x += widthOf(text);
    }
}

void ProfilePlot::paintReadOut(QPainter& painter) const {
    const Index index = indexUnderPointer();
    if (index < 0) return;
    const Theme theme = themeOf(*this);
    const QRectF area = plotArea();
    const double x = xOf(area, static_cast<double>(index));
    painter.setPen(theme.muted);
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    for (const Curve& curve : m_curves) {
        if (index >= std::ssize(curve.values)) continue;
        const double value = curve.values[index];
        if (!std::isfinite(value)) continue;
        painter.setPen(Qt::NoPen);
        painter.setBrush(curve.colour);
        painter.drawEllipse(QPointF(x, yOf(area, axisOf(curve), value)), 3, 3);
    }
    const QString text = readOut();
    QRectF box = painter.fontMetrics().boundingRect(QRect(0, 0, 1000, 1000), Qt::AlignLeft, text);
    box.adjust(0, 0, 2 * kSpacing, kSpacing);
    // Drawn on the side of the pointer that has room, so that it does not cover the values it
    // describes, and always completely visible.
    const bool isRight = x + kSpacing + box.width() < area.right();
    const double left = isRight ? x + kSpacing : x - kSpacing - box.width();
    box.moveTopLeft({std::clamp(left, 0.0, std::max(0.0, width() - box.width())), area.top() + 2});
    QColor paper = theme.panel;
    paper.setAlphaF(0.92F);
    painter.setPen(theme.line);
    painter.setBrush(paper);
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(theme.text);
    painter.drawText(box.adjusted(kSpacing, kSpacing / 2.0, 0, 0), Qt::AlignLeft, text);
}

void ProfilePlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(tabular(font()));
    const Theme theme = themeOf(*this);
    const QRectF area = plotArea();
    painter.fillRect(area, theme.background);
    if (m_length == 0) {
        painter.setPen(theme.muted);
        painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    paintAxes(painter);
    paintXAxis(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.save();
    painter.setClipRect(area);
    for (const Curve& curve : m_curves)
        paintCurve(painter, curve);
    painter.restore();
    for (const Mark& mark : m_marks)
        paintMark(painter, mark);
    paintLegend(painter);
    paintReadOut(painter);
}

}  // namespace gantry
