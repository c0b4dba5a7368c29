#include "ui/widgets/style/theme.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <cmath>

#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

QApplication& application() {
    return *static_cast<QApplication*>(QCoreApplication::instance());
}

// WCAG 2.1: relative luminance and contrast ratio.
double luminance(const QColor& colour) {
    const auto linear = [](double c) {
        return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double x = luminance(a) + 0.05;
    const double y = luminance(b) + 0.05;
    return std::max(x, y) / std::min(x, y);
}

TEST(Theme, TextOfEveryKindIsLegibleOnBackgroundAndPanel) {
    for (const ThemeKind kind : {ThemeKind::dark, ThemeKind::light}) {
        const Theme theme = themeFor(kind);
        for (const QColor& paper : {theme.background, theme.panel}) {
            for (const QColor& text :
                 {theme.text, theme.muted, theme.warning, theme.error, theme.good, theme.accent}) {
                EXPECT_GE(contrast(text, paper), 4.5)
                    << text.name().toStdString() << " on " << paper.name().toStdString();
            }
        }
        EXPECT_GE(contrast(theme.onAccent, theme.accent), 4.5);
    }
}

TEST(Theme, ReachesWidgetsThatAreAlreadyShownAndComesBack) {
    QWidget window;
    QLabel label("text", &window);
    QPushButton button("button", &window);
    button.move(0, 40);
    test::show(window, {200, 100});
    EXPECT_EQ(themeOf(label).kind, ThemeKind::dark);
    const auto darkButton = button.grab().toImage();
    applyTheme(application(), ThemeKind::light);
    test::pass(50);
    EXPECT_EQ(themeOf(label).kind, ThemeKind::light);
    EXPECT_EQ(themeOf(button).kind, ThemeKind::light);
    EXPECT_EQ(window.grab().toImage().pixelColor(190, 90), themeFor(ThemeKind::light).panel);
    EXPECT_NE(button.grab().toImage(), darkButton);
    applyTheme(application(), ThemeKind::dark);
    test::pass(50);
    EXPECT_EQ(button.grab().toImage(), darkButton);
}

TEST(Theme, WhatIsStyledAtOnceLooksAsWhatWasBuiltWithTheStyleSheet) {
    applyTheme(application(), ThemeKind::dark);
    const auto fill = [](QWidget& window) {
        auto* row = new QHBoxLayout(&window);
        row->addWidget(new QPushButton("Reconstruct"));
        row->addWidget(new QLineEdit("410 mm"));
    };
    QWidget styled;
    QWidget styledAtOnce;
    fill(styled);
    {
        const StyledAtOnce atOnce;
        fill(styledAtOnce);
    }
    EXPECT_EQ(styledAtOnce.sizeHint(), styled.sizeHint());
    const auto pictureOf = [](QWidget& window) {
        test::show(window, {300, 60});
        if (QWidget* focused = window.focusWidget()) focused->clearFocus();
        const QImage picture = window.grab().toImage();
        window.hide();
        return picture;
    };
    EXPECT_EQ(pictureOf(styledAtOnce), pictureOf(styled));
}

TEST(Theme, WhatCannotBeUsedOrHasTheFocusLooksDifferent) {
    QWidget window;
    QPushButton first("Reconstruct", &window);
    QPushButton second("Reconstruct", &window);
    first.setProperty("primary", true);
    second.move(0, 50);
    test::show(window, {200, 100});
    second.setFocus();
    const auto usable = first.grab().toImage();
    first.setEnabled(false);
    EXPECT_NE(first.grab().toImage(), usable);
    const auto focused = second.grab().toImage();
    second.clearFocus();
    EXPECT_NE(second.grab().toImage(), focused);
}

TEST(Theme, NumbersHaveDigitsOfOneWidth) {
    const QFontMetricsF metrics(tabular(QApplication::font()));
    for (const QChar digit : QString("123456789"))
        EXPECT_NEAR(metrics.horizontalAdvance(digit), metrics.horizontalAdvance('0'), 0.01);
    EXPECT_GE(QApplication::font().pointSizeF(), 9);
}

}  // namespace
}  // namespace gantry
