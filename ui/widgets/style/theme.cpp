#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QLabel>
#include <QPainter>
#include <QProxyStyle>
#include <QStyleOption>
#include <QWidget>
#include <algorithm>

#include "ui/widgets/style/style_sheet.h"
#include "ui/widgets/style/wheel_guard.h"

namespace gantry {

/// Fusion with flat check box and radio button marks in the palette's colours; style sheets could
/// show them only as files of one colour. The wheel changes only widgets that were clicked.
class ProgramStyle : public QProxyStyle {
  public:
    ProgramStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    using QProxyStyle::polish;
    void polish(QWidget* widget) override;

  private:
    WheelGuard m_wheelGuard;
};

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

namespace {

QPalette paletteOf(const Theme& theme) {
    QPalette palette;
    const QColor button =
        theme.kind == ThemeKind::dark ? theme.panel.lighter(130) : theme.panel.darker(104);
    const std::pair<QPalette::ColorRole, QColor> colours[] = {
        {QPalette::Window, theme.panel},
        {QPalette::WindowText, theme.text},
        {QPalette::Base, theme.background},
        {QPalette::AlternateBase, theme.panel},
        {QPalette::Text, theme.text},
        {QPalette::PlaceholderText, theme.muted},
        {QPalette::Button, button},
        {QPalette::ButtonText, theme.text},
        {QPalette::BrightText, theme.error},
        {QPalette::ToolTipBase, theme.background},
        {QPalette::ToolTipText, theme.text},
        {QPalette::Highlight, theme.accent},
        {QPalette::HighlightedText, theme.onAccent},
        {QPalette::Link, theme.accent},
        {QPalette::LinkVisited, theme.accent},
        {QPalette::Mid, theme.line},
        {QPalette::Dark, theme.line.darker(120)},
        {QPalette::Light, button.lighter(110)},
        {QPalette::Midlight, button},
    };
    for (const auto& [role, colour] : colours)
        palette.setColor(role, colour);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, disabledColour(theme));
    palette.setColor(QPalette::Disabled, QPalette::PlaceholderText, disabledColour(theme));
    palette.setColor(QPalette::Disabled, QPalette::Highlight, theme.line);
    palette.setColor(QPalette::Disabled, QPalette::HighlightedText, theme.muted);
    return palette;
}

QFont programFont() {
    constexpr double kMinPoints = 9;
    constexpr double kMaxPoints = 11;  // a desktop set to more scales its pixels, too
    QFont font = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    if (font.pointSizeF() > 0)
        font.setPointSizeF(std::clamp(font.pointSizeF(), kMinPoints, kMaxPoints));
    return font;
}

}  // namespace

// If a colour does not reach a contrast of 4.5 to 1 on the panels, or warning and good as text on
// white, the nearest colour that does is used.
Theme themeFor(ThemeKind kind) {
    if (kind == ThemeKind::dark) {
        return {.kind = kind,
                .background = "#16181c",
                .panel = "#1e2126",
                .text = "#d8dbe0",
                .muted = "#8a919c",
                .accent = "#4da3ff",
                .onAccent = "#0d1117",
                .line = "#3a3f48",
                .warning = "#e0a100",
                .error = "#ef6165",
                .good = "#30a46c"};
    }
    return {.kind = kind,
            .background = "#ffffff",
            .panel = "#f3f4f6",
            .text = "#1c1f24",
            .muted = "#636a77",
            .accent = "#0b69d0",
            .onAccent = "#ffffff",
            .line = "#cdd1d8",
            .warning = "#8a6100",
            .error = "#c62f35",
            .good = "#18794e"};
}

Theme themeOf(const QWidget& widget) {
    constexpr int kMiddle = 128;
    const bool isDark = widget.palette().color(QPalette::Window).lightness() < kMiddle;
    return themeFor(isDark ? ThemeKind::dark : ThemeKind::light);
}

void applyTheme(QApplication& application, ThemeKind kind) {
    const Theme theme = themeFor(kind);
    // Settings common to both themes are made once, because each of these polishes every widget
    // again.
    constexpr const char* kIsSet = "gantryStyle";
    if (!application.property(kIsSet).toBool()) {
        QApplication::setStyle(new ProgramStyle);
        QApplication::setFont(programFont());
        application.setProperty(kIsSet, true);
    }
    QApplication::setPalette(paletteOf(theme));
    application.setStyleSheet(styleSheetOf(theme));
}

// Setting an empty style sheet takes as long as setting another, so it is left out.
StyledAtOnce::StyledAtOnce() : m_styleSheet(qApp->styleSheet()) {
    if (!m_styleSheet.isEmpty()) qApp->setStyleSheet({});
}

StyledAtOnce::~StyledAtOnce() {
    if (!m_styleSheet.isEmpty()) qApp->setStyleSheet(m_styleSheet);
}

QFont tabular(const QFont& font) {
    const QFontMetricsF metrics(font);
    const double width = metrics.horizontalAdvance('0');
    const QString digits = "123456789";
    const bool isTabular = std::ranges::all_of(digits, [&](QChar digit) {
        return std::abs(metrics.horizontalAdvance(digit) - width) < 0.01;
    });
    if (isTabular) return font;
    QFont result = font;
    result.setFamilies({"DejaVu Sans", font.family()});
    return result;
}

QWidget* heading(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setProperty("heading", true);
    label->setIndent(0);  // a style sheet's padding would push it out of line with the labels
    return label;
}

void paintFocusRing(QPainter& painter, const QWidget& view) {
    if (!view.hasFocus()) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(themeOf(view).accent);
    painter.drawRect(view.rect().adjusted(0, 0, -1, -1));
    painter.restore();
}

}  // namespace gantry
