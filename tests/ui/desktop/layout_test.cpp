// Where the window and its docks stand: on screens of all sizes, before and after the first job.
#include <gtest/gtest.h>

#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QSettings>
#include <QToolButton>
#include <algorithm>
#include <map>

#include "core/job/job_directory.h"
#include "tests/ui/desktop/desk.h"
#include "tests/ui/desktop/other_screen.h"
#include "ui/desktop/window/folding_dock.h"
#include "ui/desktop/window/window_layout.h"
#include "ui/panels/shared/scan_field_editor.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

using test::Desk;
using test::runOnScreen;
using test::waitUntil;

class Layout : public testing::Test {
  protected:
    Layout() { QSettings().clear(); }
};

// What a user would say is on the screen: the whole of it, inside of whatever scrolls it.
bool isSeenWhole(const QWidget& widget) {
    if (!widget.isVisible()) return false;
    for (const QWidget* around = widget.parentWidget(); around; around = around->parentWidget()) {
        const QRect place(widget.mapTo(around, QPoint(0, 0)), widget.size());
        if (!around->rect().contains(place)) return false;
        if (around->isWindow()) break;
    }
    return true;
}

int rowsSeen(const QWidget& dock) {
    const auto rows = dock.findChildren<ScanFieldEditor*>();
    return static_cast<int>(
        std::ranges::count_if(rows, [](const ScanFieldEditor* row) { return isSeenWhole(*row); }));
}

// A finished job beside its volume.
std::filesystem::path finishedJob(Desk& desk, const char* name) {
    const auto scan = desk.makeScan(8, 16, std::string("scan of ") + name) / "scan.json";
    const JobSpec spec = test::jobOf(readScanFile(scan), 8, desk.folder() / name);
    (void)test::run(spec);
    return jobFolderFor(spec.output.path);
}

void dropJob(Desk& desk, const char* name) {
    const auto before = desk.workspace().jobs().jobs().size();
    desk.drop(finishedJob(desk, name));
    ASSERT_TRUE(waitUntil([&] { return desk.workspace().jobs().jobs().size() > before; }));
    test::pass(100);
}

bool isFolded(Desk& desk, const char* dock) {
    const auto& it = desk.part<FoldingDock>(dock);
    return !it.panel()->isVisible() && it.height() <= 4 * kSpacing;
}

TEST_F(Layout, WhatIsTooLargeOrOutsideIsPlacedInside) {
    const QRect area(10, 30, 1270, 733);
    EXPECT_EQ(placedInside({0, 0, 1600, 1000}, area), area);
    EXPECT_EQ(placedInside({1500, 700, 300, 200}, area), QRect(980, 563, 300, 200));
    EXPECT_EQ(placedInside({50, 60, 300, 200}, area), QRect(50, 60, 300, 200));
}

TEST_F(Layout, TenRowsOfTheGeometryAreSeenOnASmallScreenEighteenOnALargeOne) {
    for (const auto& [size, rows] : {std::pair(QSize(1280, 800), 10), {QSize(1600, 1000), 18}}) {
        QSettings().clear();
        Desk desk(size);
        desk.openScan(desk.makeScan(12, 64));
        test::pass(200);
        EXPECT_GE(rowsSeen(desk.part<QDockWidget>("geometryDock")), rows) << size.width();
        EXPECT_TRUE(isSeenWhole(desk.part<QWidget>("schematic")));
    }
}

// Whatever of a label is on the screen is the whole of it.
void expectNoLineIsCut(const QWidget& dock) {
    for (const QLabel* label : dock.findChildren<QLabel*>())
        if (!label->visibleRegion().isEmpty() && !label->text().isEmpty()) {
            EXPECT_TRUE(isSeenWhole(*label)) << label->text().toStdString();
        }
}

void expectTheScanIsSeen(QSize size) {
    QSettings().clear();
    Desk desk(size);
    desk.openScan(desk.makeScan(12, 64, "scan"));
    auto& dock = desk.part<QDockWidget>("scanDock");
    auto& problems = desk.part<QWidget>("problems");
    ASSERT_TRUE(waitUntil([&] { return desk.workspace().scan().inspection() != nullptr; }));
    test::pass(200);
    for (const char* line : {"scanName", "scanPlace", "views"})
        EXPECT_TRUE(isSeenWhole(desk.part<QLabel>(line))) << line;
    expectNoLineIsCut(dock);
    ASSERT_TRUE(problems.isHidden());
    test::screenshots(desk.window(), QString("layout-scan-%1").arg(size.width()));
    desk.openScan(desk.makeScan(12, 16, "coarse"));
    ASSERT_TRUE(waitUntil([&] { return problems.isVisible(); }));
    test::pass(200);
    // The docks get their new heights when the window next has time.
    EXPECT_TRUE(waitUntil([&] { return isSeenWhole(*problems.findChild<QLabel*>("note")); }));
    expectNoLineIsCut(dock);
    test::screenshots(desk.window(), QString("layout-problems-%1").arg(size.width()));
}

TEST_F(Layout, NoLineOfTheScanIsCut) {
    expectTheScanIsSeen({1280, 800});
    expectTheScanIsSeen({1600, 1000});
    runOnScreen("2800x1800", "2", "OnItsScreen.DISABLED_NoLineOfTheScanIsCut");
}

TEST_F(Layout, JobsTakeNoneOfTheGeometrysRowsAway) {
    for (const auto& [size, rows] : {std::pair(QSize(1280, 800), 10), {QSize(1600, 1000), 18}}) {
        QSettings().clear();
        Desk desk(size);
        desk.openScan(desk.makeScan(12, 64));
        dropJob(desk, "first.mha");
        desk.window().showTab(MainWindow::Tab::projections);
        test::pass(100);
        ASSERT_TRUE(desk.part<FoldingDock>("timelineDock").panel()->isVisible());
        EXPECT_GE(rowsSeen(desk.part<QDockWidget>("geometryDock")), rows) << size.width();
        EXPECT_TRUE(isSeenWhole(desk.part<QWidget>("schematic")));
        test::screenshots(desk.window(), QString("layout-job-%1").arg(size.width()));
    }
}

TEST_F(Layout, AnArrangementOfAnEarlierVersionGetsTheRoomBesideTheTimeline) {
    Desk desk({1280, 800});
    const auto scan = desk.makeScan(12, 64);
    desk.openScan(scan);
    dropJob(desk, "first.mha");
    desk.window().showTab(MainWindow::Tab::projections);
    desk.window().setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    test::pass(100);
    EXPECT_LT(rowsSeen(desk.part<QDockWidget>("geometryDock")), 10);
    EXPECT_TRUE(desk.window().close());
    desk.reopen({1280, 800});
    desk.openScan(scan);
    test::pass(200);
    EXPECT_GE(rowsSeen(desk.part<QDockWidget>("geometryDock")), 10);
}

// Images without a scan.json, with what makes the form long: no flat field, nothing known of the
// arc, a path of more than a line.
std::filesystem::path makeBareImages(Desk& desk) {
    const auto scan = desk.makeScan(
        12, 16, "measurements of the winter term/2026-11-22 walnut, second run/tiff 16 bit");
    for (const char* each : {"scan.json", "phantom.json", "flat"})
        std::filesystem::remove_all(scan / each);
    return scan;
}

void dropBareImages(Desk& desk) {
    desk.drop(makeBareImages(desk));
    ASSERT_TRUE(waitUntil([&] {
        return desk.workspace().scan().state() == ScanDocument::State::incomplete &&
               desk.workspace().scan().inspection();
    }));
    test::pass(200);
}

int rowsAsked(QWidget& questions) {
    const auto rows = questions.findChildren<ScanFieldEditor*>();
    return static_cast<int>(std::ranges::count_if(rows, &QWidget::isVisible));
}

TEST_F(Layout, AllQuestionsAboutBareImagesAreSeenWithTheButtonThatAnswersThem) {
    for (const QSize size : {QSize(1280, 800), QSize(1600, 1000)})
        for (const bool hasJob : {false, true}) {
            SCOPED_TRACE(std::to_string(size.width()) + (hasJob ? " with a job" : ""));
            QSettings().clear();
            Desk desk(size);
            if (hasJob) dropJob(desk, "first.mha");
            dropBareImages(desk);
            auto& questions = desk.part<QWidget>("questions");
            EXPECT_GE(rowsAsked(questions), 12);
            EXPECT_EQ(rowsSeen(questions), std::min(rowsAsked(questions), 18));
            EXPECT_TRUE(isSeenWhole(desk.part<QPushButton>("acceptGuesses")));
            test::screenshots(
                desk.window(),
                QString("layout-questions-%1%2").arg(size.width()).arg(hasJob ? "-job" : ""));
        }
}

TEST_F(Layout, TheReasonOfADoubtOpensAtAClickAndItsLineIsAsHighAsOneOfText) {
    Desk desk({1280, 800});
    dropBareImages(desk);
    const auto* arc = desk.part<QWidget>("questions").findChild<QWidget*>("trajectory.arcDeg");
    auto* doubt = arc->findChild<QLabel*>("doubt");
    ASSERT_TRUE(isSeenWhole(*doubt));
    EXPECT_LT(doubt->height(), 2 * doubt->fontMetrics().height());
    const int width = desk.part<QWidget>("scanDock").width();
    const auto clickOnLink = [&] {
        QTest::mouseClick(doubt, Qt::LeftButton, {}, {doubt->width() - 8, doubt->height() - 6});
        test::pass(50);
    };
    clickOnLink();
    EXPECT_TRUE(doubt->text().contains("Most scans are one full turn"));
    EXPECT_TRUE(
        test::waitUntil([&] { return doubt->height() >= doubt->heightForWidth(doubt->width()); }));
    EXPECT_EQ(desk.part<QWidget>("scanDock").width(), width);
    clickOnLink();
    EXPECT_FALSE(doubt->text().contains("Most scans"));
}

TEST_F(Layout, WithTheAnswersGivenTheGeometryHasTheRoomAgain) {
    for (const QSize size : {QSize(1280, 800), QSize(1600, 1000)}) {
        QSettings().clear();
        Desk desk(size);
        const auto scan = desk.makeScan(12, 64, "images");
        std::filesystem::remove(scan / "scan.json");
        std::filesystem::remove(scan / "phantom.json");
        desk.drop(scan);
        ASSERT_TRUE(waitUntil([&] {
            return desk.workspace().scan().state() == ScanDocument::State::incomplete &&
                   desk.workspace().scan().inspection();
        }));
        test::pass(200);
        auto& accept = desk.part<QPushButton>("acceptGuesses");
        accept.ensurePolished();
        ASSERT_TRUE(waitUntil([&] { return accept.isEnabled(); }));
        accept.click();
        test::pass(200);
        EXPECT_GE(rowsSeen(desk.part<QDockWidget>("geometryDock")), 10) << size.width();
    }
}

TEST_F(Layout, TimelineAndJobsAreALineEachUntilThereIsAJob) {
    Desk desk({1280, 800});
    for (const char* dock : {"timelineDock", "jobsDock"}) {
        EXPECT_TRUE(isFolded(desk, dock)) << dock << desk.part<QWidget>(dock).height();
        EXPECT_GT(desk.part<QWidget>(dock).width(), 300) << dock;
    }
    dropJob(desk, "first.mha");
    for (const char* dock : {"timelineDock", "jobsDock"}) {
        EXPECT_TRUE(desk.part<FoldingDock>(dock).panel()->isVisible()) << dock;
        EXPECT_GE(desk.part<QDockWidget>(dock).height(), 100) << dock;
    }
}

TEST_F(Layout, WhatWasFoldedByHandStaysFolded) {
    Desk desk;
    dropJob(desk, "first.mha");
    for (const char* dock : {"timelineDock", "jobsDock"}) {
        auto* fold = desk.part<QDockWidget>(dock).findChild<QToolButton*>("fold");
        QTest::mouseClick(fold, Qt::LeftButton);
        test::pass(50);
    }
    for (const char* dock : {"timelineDock", "jobsDock"})
        EXPECT_TRUE(isFolded(desk, dock)) << dock;
    dropJob(desk, "second.mha");
    EXPECT_TRUE(isFolded(desk, "jobsDock"));
    EXPECT_TRUE(desk.window().close());
    desk.reopen();
    ASSERT_TRUE(waitUntil([&] { return !desk.workspace().jobs().jobs().empty(); }));
    test::pass(100);
    EXPECT_TRUE(isFolded(desk, "timelineDock"));
    EXPECT_TRUE(isFolded(desk, "jobsDock"));
}

TEST_F(Layout, AFoldedDockOpensForWhatIsAskedOfIt) {
    Desk desk;
    dropJob(desk, "first.mha");
    QTest::mouseClick(desk.part<QDockWidget>("jobsDock").findChild<QToolButton*>("fold"),
                      Qt::LeftButton);
    emit desk.workspace().showJobLog(desk.workspace().selection().jobFolder());
    EXPECT_TRUE(desk.part<FoldingDock>("jobsDock").panel()->isVisible());
}

void expectNoDockWidens(Desk& desk) {
    std::map<QString, int> widths;
    const auto docks = desk.window().findChildren<QDockWidget*>();
    for (const QDockWidget* dock : docks)
        widths[dock->objectName()] = dock->width();
    for (auto* field : desk.window().findChildren<NumberField*>()) {
        if (!field->isVisible()) continue;
        auto* edit = field->findChild<QLineEdit*>();
        edit->setFocus();
        edit->selectAll();
        for (const char* text : {"-12345678901234567", "nonsense"}) {
            edit->selectAll();
            QTest::keyClicks(edit, text);
            QTest::keyClick(edit, Qt::Key_Return);
            test::pass(20);
            for (const QDockWidget* dock : docks)
                ASSERT_EQ(dock->width(), widths[dock->objectName()])
                    << dock->objectName().toStdString() << " by " << text << " in "
                    << edit->accessibleName().toStdString();
        }
        QTest::keyClick(edit, Qt::Key_Escape);
    }
    for (auto* problem : desk.window().findChildren<QLabel*>("problem"))
        if (problem->isVisible()) {
            const QWidget* dock = problem->parentWidget();
            while (!qobject_cast<const QDockWidget*>(dock))
                dock = dock->parentWidget();
            EXPECT_LE(problem->mapTo(dock, QPoint(problem->width(), 0)).x(), dock->width());
            EXPECT_GE(problem->height(), problem->heightForWidth(problem->width()));
        }
    desk.workspace().scan().undoStack().setClean();
}

TEST_F(Layout, NoDockWidensWhileOneTypes) {
    Desk desk({1280, 800});
    desk.openScan(desk.makeScan(12, 64));
    test::pass(200);
    expectNoDockWidens(desk);
}

TEST_F(Layout, NoDockWidensWhileOneTypesIntoTheQuestions) {
    Desk desk({1280, 800});
    dropBareImages(desk);
    expectNoDockWidens(desk);
}

TEST_F(Layout, TheFirstStartFitsTheScreen) {
    for (const char* screen : {"1280x800", "1366x768", "3840x2160"})
        runOnScreen(screen, "1", "OnItsScreen.DISABLED_EverythingIsInside");
    runOnScreen("2560x1600", "2", "OnItsScreen.DISABLED_EverythingIsInside");
}

TEST_F(Layout, TheFirstStartLeavesRoomForThePanelsOfTheScreen) {
    runOnScreen("1280x800", "1", "OnItsScreen.DISABLED_TheWorkAreaIsKept");
}

TEST_F(Layout, ALayoutOfALargerScreenIsBroughtBackInside) {
    runOnScreen("1280x800", "1", "OnItsScreen.DISABLED_ALargerLayoutIsBroughtIn");
}

void expectInside(Desk& desk) {
    MainWindow& window = desk.window();
    const QRect area = window.screen()->availableGeometry();
    EXPECT_TRUE(area.contains(window.frameGeometry()))
        << area.width() << " x " << area.height() << ", window " << window.frameGeometry().right()
        << ", " << window.frameGeometry().bottom();
    EXPECT_TRUE(isSeenWhole(desk.part<QPushButton>("reconstruct")));
    for (const QDockWidget* dock : window.findChildren<QDockWidget*>()) {
        if (dock->isFloating())
            EXPECT_TRUE(area.contains(dock->geometry())) << dock->objectName().toStdString();
        else
            EXPECT_TRUE(isSeenWhole(*dock)) << dock->objectName().toStdString();
    }
}

TEST(OnItsScreen, DISABLED_EverythingIsInside) {
    Desk desk{QSize()};
    expectInside(desk);
    EXPECT_LE(desk.window().width(), 1600);
}

TEST(OnItsScreen, DISABLED_NoLineOfTheScanIsCut) {
    expectTheScanIsSeen({1280, 800});
}

TEST(OnItsScreen, DISABLED_TheWorkAreaIsKept) {
    // A desktop with a panel at the top and one at the left says it so.
    if (QProcess::execute("xprop", {"-root", "-f", "_NET_WORKAREA", "32c", "-set", "_NET_WORKAREA",
                                    "64, 32, 1216, 768"}) != 0)
        GTEST_SKIP() << "xprop is not installed";
    const QRect area(64, 32, 1216, 768);
    if (!QTest::qWaitFor(
            [&] { return QGuiApplication::primaryScreen()->availableGeometry() == area; }, 3000))
        GTEST_SKIP() << "this Qt does not follow the work area without a window manager";
    Desk desk{QSize()};
    expectInside(desk);
    // The title stands above the window, and is to be seen, too.
    EXPECT_GE(desk.window().y(), area.y() + 20);
}

TEST(OnItsScreen, DISABLED_ALargerLayoutIsBroughtIn) {
    Desk desk({2400, 1500});
    auto& scan = desk.part<QDockWidget>("scanDock");
    scan.setFloating(true);
    scan.move(2000, 1300);
    test::pass(100);
    desk.window().resizeDocks({&desk.part<QDockWidget>("geometryDock")}, {900}, Qt::Horizontal);
    EXPECT_TRUE(desk.window().close());
    desk.reopen(QSize());
    test::pass(100);
    expectInside(desk);
    EXPECT_TRUE(desk.part<QDockWidget>("scanDock").isFloating());
}

}  // namespace
}  // namespace gantry
