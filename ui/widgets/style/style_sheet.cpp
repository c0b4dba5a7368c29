#include "ui/widgets/style/style_sheet.h"

#include <QFile>
#include <initializer_list>
#include <utility>

namespace gantry {
namespace {

QColor mixed(const QColor& a, const QColor& b, double shareOfB) {
    const auto mix = [&](int x, int y) { return qRound(x + (y - x) * shareOfB); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

}  // namespace

QColor disabledColour(const Theme& theme) {
    constexpr double kTowardsPanel = 0.62;
    return mixed(theme.text, theme.panel, kTowardsPanel);
}

QString styleSheetOf(const Theme& theme) {
    const QColor hover = mixed(theme.panel, theme.text, 0.14);
    // The longer words first: "@accent" is the beginning of "@accentHover".
    const std::initializer_list<std::pair<const char*, QColor>> colours = {
        {"@accentHover", mixed(theme.accent, theme.text, 0.2)},
        {"@accentPressed", mixed(theme.accent, theme.background, 0.25)},
        {"@accent", theme.accent},
        {"@onAccent", theme.onAccent},
        {"@background", theme.background},
        {"@panel", theme.panel},
        {"@text", theme.text},
        {"@muted", theme.muted},
        {"@line", theme.line},
        {"@warning", theme.warning},
        {"@error", theme.error},
        {"@good", theme.good},
        {"@disabled", disabledColour(theme)},
        {"@button", mixed(theme.panel, theme.text, 0.08)},
        {"@hover", hover},
        {"@pressed", mixed(theme.panel, theme.text, 0.22)},
        {"@selection", mixed(theme.panel, theme.accent, 0.28)},
        {"@scroll", mixed(theme.panel, theme.text, 0.28)},
        {"@chunk", mixed(theme.accent, theme.panel, 0.5)},  // the text upon it stays legible
        {"@track", mixed(theme.panel, theme.text, 0.16)},
    };
    QFile file(":/style/widgets.qss");
    (void)file.open(QIODevice::ReadOnly);
    QString sheet = QString::fromUtf8(file.readAll());
    for (const auto& [word, colour] : colours)
        sheet.replace(QLatin1String(word), colour.name());
    return sheet;
}

}  // namespace gantry
