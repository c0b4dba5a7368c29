#include "tests/ui/support/compared_pictures.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QCursor>
#include <QDir>
#include <QFontInfo>
#include <QPainter>
#include <QScreen>
#include <QSpinBox>

#include "tests/ui/support/picture_comparison.h"
#include "tests/ui/support/ui_test.h"
#include "ui/widgets/style/theme.h"

namespace gantry::test {
namespace {

// In the widget's pixels, also where the screen has more of them.
QImage pictureOf(QWidget& widget, const QStringList& masked) {
    // Which part has the focus depends on when the window became active.
    if (QWidget* focused = widget.window()->focusWidget()) focused->clearFocus();
    QImage picture = widget.grab().toImage().convertToFormat(QImage::Format_RGB32);
    QPainter painter(&picture);
    for (const QString& name : masked)
        for (const QWidget* part : widget.findChildren<QWidget*>(name)) {
            const QRect seen = part->visibleRegion().boundingRect();
            painter.fillRect(seen.translated(part->mapTo(&widget, QPoint())), Qt::gray);
        }
    painter.end();
    if (picture.size() != widget.size())
        picture = picture.scaled(widget.size(), Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    picture.setDevicePixelRatio(1);
    return picture;
}

// What is drawn in the background may come later.
void expectAsBaseline(QWidget& widget, const QStringList& masked, const QString& name) {
    const bool isWritten = qEnvironmentVariableIsSet("GANTRY_NEW_BASELINES");
    const int limitSeconds = isWritten ? 3 : 10;
    const QString file = QDir(GANTRY_BASELINES).filePath(name + ".png");
    const QImage baseline(file);
    QImage picture;
    PictureDifference difference;
    const auto isAsBaseline = [&] {
        picture = pictureOf(widget, masked);
        difference = compare(picture, baseline);
        return difference.sentence.isEmpty();
    };
    if (waitUntil(isAsBaseline, limitSeconds)) return;
    if (isWritten) {
        EXPECT_TRUE(baselineOf(picture).save(file, "PNG", 0)) << file.toStdString();
        return;
    }
    const QDir folder(GANTRY_PICTURES);
    folder.mkpath(".");
    const QString sheet = folder.filePath(name + ".png");
    EXPECT_TRUE(comparisonSheet(picture, baseline, difference).save(sheet)) << sheet.toStdString();
    ADD_FAILURE() << name.toStdString()
                  << " is not as its baseline: " << difference.sentence.toStdString()
                  << ".\nBefore, after and where: " << sheet.toStdString()
                  << "\nIf it is right, run this test again with GANTRY_NEW_BASELINES=1, which "
                     "writes "
                  << file.toStdString();
}

}  // namespace

void comparePictures(QWidget& widget, const QString& name, const Compared& compared) {
    auto& application = *static_cast<QApplication*>(QCoreApplication::instance());
    const QString family = QFontInfo(QApplication::font()).family();
    if (family != "DejaVu Sans")
        GTEST_SKIP() << "the baselines show DejaVu Sans, this system " << family.toStdString();
    // The pointer is on none of the parts, and the text's cursor does not blink.
    QCursor::setPos(widget.screen()->geometry().bottomRight());
    QApplication::setCursorFlashTime(0);
    // Qt's versions differ in the width that they give to these.
    constexpr int kSpinBoxWidth = 64;
    for (auto* box : widget.findChildren<QSpinBox*>())
        box->setMinimumWidth(kSpinBoxWidth);
    if (compared.isLightToo) {
        applyTheme(application, ThemeKind::light);
        expectAsBaseline(widget, compared.masked, name + "-light");
        applyTheme(application, ThemeKind::dark);
    }
    expectAsBaseline(widget, compared.masked, name + "-dark");
}

}  // namespace gantry::test
