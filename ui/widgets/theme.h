#pragma once

#include <QColor>
#include <QIcon>
#include <QPalette>
#include <QString>

class QApplication;
class QWidget;

namespace gantry {

enum class ThemeKind { dark, light };

/// The colours of the desktop. Widgets ask themeOf(*this) while painting, so that they follow a
/// change at once.
struct Theme {
    ThemeKind kind = ThemeKind::dark;
    QColor background;
    QColor panel;
    QColor text;
    QColor muted;
    QColor accent;
    QColor line;  ///< hair lines, grids
    QColor warning;
    QColor error;
    QColor good;
};

/// One unit of distance between things, logical pixels.
inline constexpr int kSpacing = 8;

[[nodiscard]] Theme themeFor(ThemeKind kind);
/// The theme whose palette the widget has.
[[nodiscard]] Theme themeOf(const QWidget& widget);
/// Palette, style (Fusion), font and style sheet of the whole program.
void applyTheme(QApplication& application, ThemeKind kind);

/// One of our line icons (resources/icons/NAME.svg), in the palette's text colour, greyed where
/// disabled; follows a change of theme. Sharp at every device pixel ratio.
[[nodiscard]] QIcon icon(const QString& name);

/// A heading above a group of fields.
[[nodiscard]] QWidget* heading(const QString& text, QWidget* parent = nullptr);

}  // namespace gantry
