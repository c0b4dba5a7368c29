#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QLabel>
#include <algorithm>

#include "ui/widgets/style/program_style.h"
#include "ui/widgets/style/style_sheet.h"

namespace gantry {
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

QFont tabular(const QFont& font) {
    const QFontMetricsF metrics(font);
    const double width = metrics.horizontalAdvance('0');
    const QString digits = "123456789";
    const bool isTabular = std::all_of(digits.begin(), digits.end(), [&](QChar digit) {
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

}  // namespace gantry
