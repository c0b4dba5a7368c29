#include "ui/widgets/style/program_style.h"

#include <QPainter>
#include <QStyleOption>

namespace gantry {

ProgramStyle::ProgramStyle() : QProxyStyle("fusion") {}

void ProgramStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    m_wheelGuard.watch(*widget);
}

void ProgramStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                 QPainter* painter, const QWidget* widget) const {
    const bool isCheck =
        element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck;
    const bool isRadio = element == PE_IndicatorRadioButton;
    if (!isCheck && !isRadio) {
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        return;
    }
    const QPalette& palette = option->palette;
    const bool isPartly = option->state & State_NoChange;
    const bool isOn = option->state & State_On || isPartly;
    const bool isHot = option->state & (State_MouseOver | State_HasFocus);
    const QRectF box = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QColor edge =
        palette.color(isHot || isOn ? QPalette::Highlight : QPalette::PlaceholderText);
    painter->setPen(edge);
    painter->setBrush(palette.color(isOn ? QPalette::Highlight : QPalette::Base));
    constexpr double kRound = 3;
    if (isRadio) {
        painter->drawEllipse(box);
    } else {
        painter->drawRoundedRect(box, kRound, kRound);
    }
    const auto at = [&](double x, double y) {
        return QPointF(box.left() + x * box.width(), box.top() + y * box.height());
    };
    painter->setPen(QPen(palette.color(QPalette::HighlightedText), 1.8, Qt::SolidLine, Qt::RoundCap,
                         Qt::RoundJoin));
    if (isOn && isRadio) {
        painter->setBrush(palette.color(QPalette::HighlightedText));
        painter->drawEllipse(box.center(), box.width() / 8, box.height() / 8);
    } else if (isPartly) {
        painter->drawLine(at(0.25, 0.5), at(0.75, 0.5));
    } else if (isOn) {
        const QPointF tick[] = {at(0.22, 0.52), at(0.42, 0.72), at(0.78, 0.3)};
        painter->drawPolyline(tick, 3);
    }
    painter->restore();
}

}  // namespace gantry
