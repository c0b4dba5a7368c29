#include <gtest/gtest.h>

#include <QApplication>
#include <QDir>
#include <QPixmap>
#include <algorithm>

#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

// The colour of the pixel that is most opaque.
QColor strokeOf(const QPixmap& pixmap) {
    const QImage image = pixmap.toImage().convertToFormat(QImage::Format_ARGB32);
    QColor max(0, 0, 0, 0);
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor colour = image.pixelColor(x, y);
            if (colour.alpha() > max.alpha()) max = colour;
        }
    }
    return max;
}

bool isClose(const QColor& a, const QColor& b) {
    return std::max({std::abs(a.red() - b.red()), std::abs(a.green() - b.green()),
                     std::abs(a.blue() - b.blue())}) <= 3;
}

TEST(Icon, EveryFileIsDrawnInTheThemesColourAndWithinItsFrame) {
    const QStringList files = QDir(":/icons").entryList({"*.svg"});
    ASSERT_GE(files.size(), 40);
    for (const QString& file : files) {
        const QPixmap pixmap = icon(file.chopped(4)).pixmap(QSize(40, 40));
        const QColor stroke = strokeOf(pixmap);
        EXPECT_GT(stroke.alpha(), 200) << file.toStdString();
        EXPECT_TRUE(isClose(stroke, themeFor(ThemeKind::dark).text)) << file.toStdString();
        const QImage image = pixmap.toImage();
        for (int i = 0; i < image.width(); ++i) {
            for (const QPoint edge : {QPoint(i, 0), QPoint(i, 39), QPoint(0, i), QPoint(39, i)})
                EXPECT_LT(image.pixelColor(edge).alpha(), 128) << file.toStdString();
        }
    }
}

TEST(Icon, FollowsTheThemeAndIsGreyedWhereItCannotBeUsed) {
    auto& application = *static_cast<QApplication*>(QCoreApplication::instance());
    const QIcon open = icon("open");
    const QIcon warning = icon("warning", &Theme::warning);
    applyTheme(application, ThemeKind::light);
    EXPECT_TRUE(isClose(strokeOf(open.pixmap(40)), themeFor(ThemeKind::light).text));
    EXPECT_TRUE(isClose(strokeOf(warning.pixmap(40)), themeFor(ThemeKind::light).warning));
    applyTheme(application, ThemeKind::dark);
    EXPECT_TRUE(isClose(strokeOf(open.pixmap(40)), themeFor(ThemeKind::dark).text));
    EXPECT_FALSE(isClose(strokeOf(open.pixmap(40, QIcon::Disabled)), strokeOf(open.pixmap(40))));
}

TEST(Icon, OneThatIsNotThereIsEmptyAndHarmless) {
    EXPECT_EQ(strokeOf(icon("no-such-icon").pixmap(20)).alpha(), 0);
}

}  // namespace
}  // namespace gantry
