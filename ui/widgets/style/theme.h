#pragma once

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QPalette>
#include <QString>

class QApplication;
class QPainter;
class QWidget;

namespace gantry {

enum class ThemeKind { dark, light };

/// The colours of the desktop. Widgets call themeOf(*this) while painting, so that they follow a
/// change at once. Text, muted, warning, error and good are legible (4.5 to 1) as text on
/// background and on panel.
struct Theme {
    ThemeKind kind = ThemeKind::dark;
    QColor background;
    QColor panel;
    QColor text;
    QColor muted;
    QColor accent;
    QColor onAccent;  ///< text on the accent's colour
    QColor line;      ///< hair lines, grids
    QColor warning;
    QColor error;
    QColor good;
};

/// The unit of spacing, logical pixels.
inline constexpr int kSpacing = 8;

/// Tests: tests/ui/widgets/theme_test.cpp
[[nodiscard]] Theme themeFor(ThemeKind kind);
/// The theme of the widget's palette.
[[nodiscard]] Theme themeOf(const QWidget& widget);
/// Sets palette, style (Fusion), font and style sheet of the whole program. A push button with the
/// property "primary" is painted in the accent's colour.
void applyTheme(QApplication& application, ThemeKind kind);

/// Widgets that are built while one lives get the program's style sheet at its end, all at once. Qt
/// evaluates the sheet for a widget anew each time that one around it is put into a layout, which
/// took half of the time in which the window was made. No size hint means anything before the end.
/// Tests: tests/ui/widgets/theme_test.cpp
class StyledAtOnce {
  public:
    StyledAtOnce();
    ~StyledAtOnce();
    StyledAtOnce(const StyledAtOnce&) = delete;
    StyledAtOnce& operator=(const StyledAtOnce&) = delete;

  private:
    QString m_styleSheet;
};

/// One of the program's line icons (resources/icons/NAME.svg) in one of the theme's colours, greyed
/// if disabled; follows a change of theme. Sharp at every device pixel ratio.
/// Tests: tests/ui/widgets/icon_test.cpp
[[nodiscard]] QIcon icon(const QString& name, QColor Theme::*colour = &Theme::text);

/// The font with digits of one width, for numbers in columns or that change.
[[nodiscard]] QFont tabular(const QFont& font);

/// A heading above a group of fields.
[[nodiscard]] QWidget* heading(const QString& text, QWidget* parent = nullptr);

/// Paints the edge, in the accent's colour, of a view that paints itself and has the focus;
/// otherwise nothing. Must be called last.
/// Tests: tests/ui/desktop/keyboard_test.cpp
void paintFocusRing(QPainter& painter, const QWidget& view);

}  // namespace gantry
