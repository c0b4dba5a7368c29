// The whole way by the keyboard alone, with the focus visible at every stop.
#include <gtest/gtest.h>

#include <QDesktopServices>
#include <QDockWidget>
#include <QFileDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSet>
#include <QTabBar>
#include <QTabWidget>
#include <QTextBrowser>
#include <functional>
#include <string>

#include "tests/ui/desktop/desk.h"
#include "ui/widgets/image/image_view.h"

namespace gantry {
namespace {

using test::Desk;
using test::waitUntil;

// There is no window manager that would do it.
void activate(QWidget& window) {
    window.activateWindow();
    ASSERT_TRUE(waitUntil([&] {
        return QApplication::activeWindow() == &window && QApplication::focusWidget() != nullptr;
    }));
}

void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(QApplication::focusWidget(), key, modifiers);
    test::pass(0);  // a form scrolls to the field, a message gives way to it
}

void write(const QString& text) {
    QTest::keyClicks(QApplication::focusWidget(), text);
}

// The widget and what is just around it; of a line of text only its edge, where no cursor blinks.
QImage lookOf(const QWidget& widget) {
    constexpr int kAround = 3;
    constexpr int kEdge = 3;
    const QRect place(widget.mapTo(widget.window(), QPoint(0, 0)), widget.size());
    QImage image = widget.window()
                       ->grab(place.adjusted(-kAround, -kAround, kAround, kAround))
                       .toImage()
                       .convertToFormat(QImage::Format_RGB32);
    if (!qobject_cast<const QLineEdit*>(&widget)) return image;
    const int inner = kAround + kEdge;
    for (int y = inner; y < image.height() - inner; ++y)
        for (int x = inner; x < image.width() - inner; ++x)
            image.setPixel(x, y, 0);
    return image;
}

// Whether the widget that has the focus looks otherwise than without it.
bool showsFocus(QWidget& widget) {
    const QImage with = lookOf(widget);
    widget.clearFocus();
    const QImage without = lookOf(widget);
    widget.setFocus(Qt::TabFocusReason);
    return with != without;
}

std::string nameOf(const QWidget& widget) {
    QString name = widget.metaObject()->className();
    for (const QWidget* around = &widget; around; around = around->parentWidget())
        if (!around->objectName().isEmpty()) name = around->objectName() + " > " + name;
    return name.toStdString();
}

// Goes by Tab until `isThere`, looking at each stop. @returns whether it came there
bool tabTo(const std::function<bool(QWidget&)>& isThere) {
    QSet<QWidget*> stops;
    for (QWidget* at = QApplication::focusWidget(); at && !stops.contains(at);
         at = QApplication::focusWidget()) {
        stops << at;
        EXPECT_FALSE(at->visibleRegion().isEmpty()) << nameOf(*at);
        EXPECT_TRUE(showsFocus(*at)) << nameOf(*at);
        if (isThere(*at)) return true;
        press(Qt::Key_Tab);
    }
    return false;
}

// In place of the program that shows pages.
struct Browser {
    Browser() { QDesktopServices::setUrlHandler("file", &page, "setSource"); }
    ~Browser() { QDesktopServices::unsetUrlHandler("file"); }
    QTextBrowser page;
};

TEST(Keyboard, TheWholeWayFromAScanToTheReport) {
    Desk desk;
    const QString scan = toText(desk.makeScan(60, 61, "scan") / "scan.json");
    const Browser browser;
    ASSERT_TRUE(tabTo([](QWidget& at) { return at.objectName() == "openFile"; }));
    press(Qt::Key_O, Qt::ControlModifier);
    ASSERT_TRUE(waitUntil([&] { return desk.window().findChild<QFileDialog*>("openDialog"); }));
    activate(desk.part<QFileDialog>("openDialog"));
    write(scan);
    press(Qt::Key_Return);
    ASSERT_TRUE(waitUntil([&] { return desk.workspace().scan().openScan() != nullptr; }));
    activate(desk.window());
    EXPECT_TRUE(
        tabTo([](QWidget& at) { return at.accessibleName().startsWith("Source–detector"); }));
    write("1150");
    ASSERT_TRUE(waitUntil([&] { return desk.part<QPushButton>("reconstruct").isEnabled(); }));
    press(Qt::Key_R, Qt::ControlModifier);
    const auto& jobs = desk.workspace().jobs().jobs();
    ASSERT_TRUE(waitUntil(
        [&] { return !jobs.empty() && jobs.front().status.state == JobState::done; }, 120));
    EXPECT_EQ(desk.workspace().scan().geometry().cone().sourceToDetectorMm, 1150);
    const auto& axial = desk.part<ImageView>("axialView");
    ASSERT_TRUE(waitUntil([&] { return !axial.image().isEmpty() && axial.isVisible(); }));
    EXPECT_TRUE(tabTo([&](QWidget& at) { return &at == &axial; }));
    press(Qt::Key_K, Qt::ControlModifier);
    write("show report");
    press(Qt::Key_Return);
    EXPECT_EQ(browser.page.source().fileName().toStdString(), "report.html");
    EXPECT_FALSE(browser.page.toPlainText().isEmpty());
}

TEST(Keyboard, EveryStopOfEveryTabShowsItsFocus) {
    Desk desk;
    desk.openScan(desk.makeScan(40, 61));
    auto& button = desk.part<QPushButton>("reconstruct");
    ASSERT_TRUE(waitUntil([&] { return button.isEnabled(); }));
    QTest::mouseClick(&button, Qt::LeftButton);
    auto& axial = desk.part<ImageView>("axialView");
    ASSERT_TRUE(waitUntil([&] { return !axial.image().isEmpty() && axial.isVisible(); }, 120));
    for (const auto tab :
         {MainWindow::Tab::projections, MainWindow::Tab::slices, MainWindow::Tab::volume}) {
        desk.window().showTab(tab);
        test::pass(500);
        desk.part<QTabWidget>("tabs").tabBar()->setFocus(Qt::TabFocusReason);
        int stops = 0;
        EXPECT_FALSE(tabTo([&](QWidget&) { return ++stops > 500; }));
        // The forms at the sides are folded where one looks at the volume.
        EXPECT_GT(stops, tab == MainWindow::Tab::projections ? 40 : 25);
    }
}

}  // namespace
}  // namespace gantry
