#include <gtest/gtest.h>

#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTextBrowser>
#include <QToolButton>

#include "core/base/file.h"
#include "core/job/job_directory.h"
#include "tests/ui/desktop/desk.h"
#include "tests/ui/workspace/small_volume.h"
#include "ui/desktop/help/help_window.h"
#include "ui/desktop/help/start_page.h"
#include "ui/desktop/window/preferences.h"
#include "ui/widgets/fields/spared_files.h"
#include "ui/widgets/message_bar.h"

namespace gantry {
namespace {

using test::Desk;
using test::waitUntil;

TEST(MainWindow, BeginsWithADropAreaAndNothingElse) {
    Desk desk;
    EXPECT_TRUE(desk.part<StartPage>("startPage").isVisible());
    EXPECT_TRUE(desk.part<QPushButton>("tryExample").isVisible());
    EXPECT_FALSE(test::actionOf(desk.window(), "Reconstruct")->isEnabled());
    test::screenshots(desk.window(), "start");
}

TEST(MainWindow, NothingIsCutOffAtTheSmallestSize) {
    Desk desk({1280, 800});
    desk.openScan(desk.makeScan());
    QString widths;
    for (const auto* dock : desk.window().findChildren<QDockWidget*>())
        widths += dock->objectName() + ' ' + QString::number(dock->minimumSizeHint().width()) + ' ';
    widths += QString::number(desk.window().centralWidget()->minimumSizeHint().width());
    EXPECT_LE(desk.window().minimumSizeHint().width(), 1280) << widths.toStdString();
    EXPECT_LE(desk.window().minimumSizeHint().height(), 800);
    EXPECT_EQ(desk.window().size(), QSize(1280, 800));
    test::screenshots(desk.window(), "window-1280x800");
}

TEST(MainWindow, OpensAScanByADrop) {
    Desk desk;
    desk.openScan(desk.makeScan() / "scan.json");
    EXPECT_TRUE(desk.part<QTabWidget>("tabs").isVisible());
    EXPECT_TRUE(desk.window().windowTitle().contains("simulated"));
    EXPECT_TRUE(test::actionOf(desk.window(), "Reconstruct")->isEnabled());
    EXPECT_EQ(desk.workspace().recentFiles().size(), 1);
}

TEST(MainWindow, OpensAScanByTheDialog) {
    Desk desk;
    // Quotes mean something else where a name is typed into the dialog.
    const QString path = toText(desk.makeScan(40, 64, "größer/scan") / "scan.json");
    QTest::keyClick(&desk.window(), Qt::Key_O, Qt::ControlModifier);
    ASSERT_TRUE(waitUntil([&] { return desk.window().findChild<QFileDialog*>("openDialog"); }));
    auto& dialog = desk.part<QFileDialog>("openDialog");
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&dialog));
    auto* name = dialog.findChild<QLineEdit*>("fileNameEdit");
    ASSERT_NE(name, nullptr);
    name->setFocus();
    name->setText(path);
    QTest::keyClick(name, Qt::Key_Return);
    EXPECT_TRUE(waitUntil([&] { return desk.workspace().scan().openScan() != nullptr; }));
}

TEST(MainWindow, AStackIsOpenedAsProjectionsOnRequest) {
    Desk desk;
    const std::filesystem::path stack = desk.folder() / "stack.mha";
    test::writeCounts(stack, {16, 12, 9});
    QAction* open = test::actionOf(desk.window(), "Open as projections…");
    ASSERT_NE(open, nullptr);
    open->trigger();
    test::chooseFile(desk.window(), "openProjectionsDialog", toText(stack));
    ASSERT_TRUE(waitUntil([&] { return desk.workspace().scan().hasScan(); }));
    EXPECT_EQ(desk.workspace().scan().geometry().views(), 9);
    EXPECT_EQ(desk.workspace().volume().volume(), nullptr);
}

TEST(MainWindow, NothingCanBeSavedOverWhatIsOpen) {
    Desk desk;
    const std::filesystem::path scan = desk.makeScan();
    desk.openScan(scan);
    const std::filesystem::path view = entriesOf(scan / "proj").front();
    const auto problemWith = [&](const std::filesystem::path& path) {
        return SparedFiles::problemWith(desk.part<QTabWidget>("tabs"), toText(path)).toStdString();
    };
    EXPECT_NE(problemWith(view).find("a projection of the scan"), std::string::npos);
    std::filesystem::create_hard_link(view, desk.folder() / "link.tif");
    EXPECT_NE(problemWith(desk.folder() / "link.tif").find("would be lost"), std::string::npos);
    EXPECT_NE(problemWith(scan / "scan.json").find("description"), std::string::npos);
    EXPECT_NE(problemWith(scan / "proj/new.tif").find("would be read as a projection"),
              std::string::npos);
    EXPECT_EQ(problemWith(scan / "new.tif"), "");
}

TEST(MainWindow, ClosingEverythingBringsBackTheStartPage) {
    Desk desk;
    const auto scan = desk.makeScan(8, 16) / "scan.json";
    const JobSpec spec = test::jobOf(readScanFile(scan), 8, desk.folder() / "volume.mha");
    (void)test::run(spec);
    desk.drop(jobFolderFor(spec.output.path));
    ASSERT_TRUE(waitUntil(
        [&] { return desk.workspace().volume().volume() && desk.workspace().scan().openScan(); }));
    auto& start = desk.part<StartPage>("startPage");
    EXPECT_FALSE(start.isVisible());
    QTest::keyClick(&desk.window(), Qt::Key_W, Qt::ControlModifier);
    EXPECT_FALSE(start.isVisible());
    QTest::keyClick(&desk.window(), Qt::Key_W, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_TRUE(start.isVisible());
    EXPECT_FALSE(test::actionOf(desk.window(), "Close volume")->isEnabled());
}

TEST(MainWindow, RecentPathsAreShownOnceAndPlain) {
    StartPage page;
    page.setRecentFiles({"/scans/walnut/.", "/scans/walnut", "/scans//tooth/scan.json"});
    QStringList shown;
    for (const auto* button : page.findChildren<QPushButton*>())
        if (button->text().startsWith('/')) shown << button->text();
    EXPECT_EQ(shown, QStringList({"/scans/walnut", "/scans/tooth/scan.json"}));
}

TEST(MainWindow, AnOpenedThingThatIsNoneIsSaidInASentence) {
    Desk desk;
    desk.drop(desk.folder() / "not there.json");
    auto& messages = desk.part<MessageBar>("messages");
    EXPECT_TRUE(waitUntil([&] { return messages.text().contains("not there.json"); }));
    EXPECT_TRUE(desk.part<StartPage>("startPage").isVisible());
}

TEST(MainWindow, AMessageLiesOverNothingAndMovesNothing) {
    for (const QSize size : {QSize(1280, 800), QSize(1600, 1000)}) {
        Desk desk(size);
        desk.openScan(desk.makeScan());
        test::pass(100);
        auto& messages = desk.part<MessageBar>("messages");
        const auto places = [&] {
            std::vector<QRect> all{desk.window().centralWidget()->geometry()};
            for (const auto* dock : desk.window().findChildren<QDockWidget*>())
                all.push_back(dock->geometry());
            return all;
        };
        const std::vector<QRect> before = places();
        desk.drop(desk.folder() / "not there.json");
        ASSERT_TRUE(waitUntil([&] { return messages.isVisible(); }));
        test::pass(50);
        EXPECT_EQ(places(), before);
        const QRect strip(messages.mapTo(&desk.window(), QPoint()), messages.size());
        for (const QRect& place : before)
            EXPECT_FALSE(place.intersects(strip));
        test::screenshots(desk.window(), QString("message-%1").arg(size.width()));
        // What was tried last succeeded, so the complaint is outdated.
        desk.openScan(desk.makeScan(8, 16, "another"));
        EXPECT_TRUE(waitUntil([&] { return !messages.text().contains("not there.json"); }));
    }
}

TEST(MainWindow, DocksAreRememberedAndBroughtBack) {
    Desk desk;
    auto* dock = &desk.part<QDockWidget>("jobsDock");
    dock->toggleViewAction()->trigger();
    EXPECT_FALSE(dock->isVisible());
    desk.window().close();
    desk.reopen();
    dock = &desk.part<QDockWidget>("jobsDock");
    EXPECT_FALSE(dock->isVisible());
    test::actionOf(desk.window(), "Reset the layout")->trigger();
    EXPECT_TRUE(dock->isVisible());
}

TEST(MainWindow, AFloatingDockComesBackWithItsPicture) {
    Desk desk;
    desk.openScan(desk.makeScan());
    auto& dock = desk.part<QDockWidget>("geometryDock");
    dock.setFloating(true);
    test::pass(300);
    dock.setFloating(false);
    test::pass(300);
    EXPECT_TRUE(dock.isVisible());
}

TEST(MainWindow, EveryActionIsFoundByItsName) {
    Desk desk;
    QTest::keyClick(&desk.window(), Qt::Key_K, Qt::ControlModifier);
    auto& palette = desk.part<QDialog>("commandPalette");
    auto* edit = palette.findChild<QLineEdit*>();
    auto* list = palette.findChild<QListWidget*>();
    EXPECT_GT(list->count(), 20);
    QTest::keyClicks(edit, "dark lig");
    ASSERT_EQ(list->count(), 1);
    test::screenshots(palette, "actions");
    const ThemeKind before = Preferences::read().theme;
    QTest::keyClick(edit, Qt::Key_Return);
    EXPECT_NE(Preferences::read().theme, before);
}

TEST(MainWindow, PreferencesHoldAtOnceAndAreKept) {
    Desk desk;
    QTest::keyClick(&desk.window(), Qt::Key_Comma, Qt::ControlModifier);
    auto& dialog = desk.part<QDialog>("preferences");
    dialog.findChild<QComboBox*>("theme")->setCurrentIndex(1);
    EXPECT_EQ(themeOf(desk.window()).kind, ThemeKind::light);
    EXPECT_EQ(Preferences::read().theme, ThemeKind::light);
    test::screenshots(dialog, "preferences");
}

TEST(MainWindow, F1OpensTheManualAtThePanelInUse) {
    Desk desk;
    QTest::mouseClick(desk.part<QDockWidget>("jobsDock").findChild<QToolButton*>("fold"),
                      Qt::LeftButton);
    desk.part<QDockWidget>("jobsDock").widget()->setFocusPolicy(Qt::StrongFocus);
    desk.part<QDockWidget>("jobsDock").widget()->setFocus();
    QTest::keyClick(&desk.window(), Qt::Key_F1);
    auto& help = desk.part<HelpWindow>("help");
    EXPECT_EQ(help.currentPage(), "desktop-jobs.md");
    EXPECT_TRUE(desk.part<QTextBrowser>("helpText").toPlainText().startsWith("Jobs"));
    test::screenshots(help, "help");
}

TEST(MainWindow, ChangesThatAreNotSavedAreAskedAbout) {
    Desk desk;
    desk.openScan(desk.makeScan());
    Request request = desk.workspace().scan().request();
    request.job.scan.geometry.cone().sourceToDetectorMm += 1;
    desk.workspace().scan().edit(request, "Change source–detector distance");
    EXPECT_TRUE(desk.window().isWindowModified());
    QTimer::singleShot(200, [&] {
        auto* box = desk.window().findChild<QMessageBox*>("saveQuestion");
        ASSERT_NE(box, nullptr);
        box->button(QMessageBox::Cancel)->click();
    });
    EXPECT_FALSE(desk.window().close());
    desk.workspace().scan().undoStack().undo();
    EXPECT_TRUE(desk.window().close());
}

}  // namespace
}  // namespace gantry
