#include "tests/ui/support/ui_test.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QDialogButtonBox>
#include <QDir>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QHelpEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QToolTip>
#include <QWheelEvent>

#include "ui/widgets/style/theme.h"

namespace gantry::test {

bool waitUntil(const std::function<bool()>& condition, int limitSeconds) {
    return QTest::qWaitFor(condition, limitSeconds * 1000);
}

void pass(int milliseconds) {
    QTest::qWait(milliseconds);
}

void show(QWidget& window, QSize size) {
    auto& application = *static_cast<QApplication*>(QCoreApplication::instance());
    if (application.styleSheet().isEmpty()) applyTheme(application, ThemeKind::dark);
    if (size.isValid()) window.resize(size);
    window.show();
    // There is no window manager that would do it.
    window.activateWindow();
    (void)QTest::qWaitForWindowActive(&window);
}

void screenshots(QWidget& widget, const QString& name) {
    if (qEnvironmentVariableIsSet("GANTRY_TEST_PICTURES")) savePictures(widget, name);
}

void savePictures(QWidget& widget, const QString& name) {
    constexpr int kQuick = 85;  // PNG as quick as it is packed: pictures are many and seldom kept
    const QDir folder(GANTRY_SCREENSHOTS);
    folder.mkpath(".");
    auto& application = *static_cast<QApplication*>(QCoreApplication::instance());
    for (const auto& [kind, suffix] :
         {std::pair(ThemeKind::light, "light"), std::pair(ThemeKind::dark, "dark")}) {
        applyTheme(application, kind);
        pass(100);
        widget.grab().save(folder.filePath(name + "-" + suffix + ".png"), "PNG", kQuick);
    }
}

void wheel(QWidget& widget, QPointF at, int steps, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, 120 * steps}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&widget, &event);
}

void doubleClick(QWidget& widget, QPoint at) {
    QTest::mouseClick(&widget, Qt::LeftButton, {}, at);
    QTest::mouseDClick(&widget, Qt::LeftButton, {}, at);
    pass(50);
}

QString toolTipAt(QWidget& widget, QPoint at) {
    QHelpEvent rest(QEvent::ToolTip, at, widget.mapToGlobal(at));
    QCoreApplication::sendEvent(&widget, &rest);
    return rest.isAccepted() ? QToolTip::text() : QString();
}

QRect changedArea(const QImage& before, const QImage& after) {
    QRect area;
    for (int y = 0; y < after.height(); ++y)
        for (int x = 0; x < after.width(); ++x)
            if (before.pixel(x, y) != after.pixel(x, y)) area |= QRect(x, y, 1, 1);
    return area;
}

void drag(QWidget& widget, QPoint from, QPoint to, Qt::MouseButton button,
          Qt::KeyboardModifiers modifiers) {
    constexpr int kSteps = 5;
    QTest::mousePress(&widget, button, modifiers, from);
    for (int i = 1; i <= kSteps; ++i) {
        const QPoint at = from + (to - from) * i / kSteps;
        QMouseEvent move(QEvent::MouseMove, at, widget.mapToGlobal(QPointF(at)), Qt::NoButton,
                         button, modifiers);
        QCoreApplication::sendEvent(&widget, &move);
        pass(5);
    }
    QTest::mouseRelease(&widget, button, modifiers, to);
}

void chooseFile(QWidget& widget, const char* dialogName, const QString& path) {
    ASSERT_TRUE(waitUntil([&] { return widget.findChild<QFileDialog*>(dialogName); }));
    auto* dialog = widget.findChild<QFileDialog*>(dialogName);
    dialog->findChild<QLineEdit*>("fileNameEdit")->setText(path);
    const auto buttons = dialog->findChild<QDialogButtonBox*>()->buttons();
    QTest::mouseClick(buttons.front(), Qt::LeftButton);
}

}  // namespace gantry::test
