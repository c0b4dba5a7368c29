// The window while one looks at a volume: the docks step aside.
#include <gtest/gtest.h>

#include <QPushButton>
#include <QSettings>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>

#include "tests/ui/desktop/desk.h"
#include "ui/desktop/window/folding_dock.h"

namespace gantry {
namespace {

using test::Desk;
using test::waitUntil;
using Tab = MainWindow::Tab;

class ViewingLayout : public testing::TestWithParam<QSize> {
  protected:
    ViewingLayout() {
        QSettings().clear();
        m_desk = std::make_unique<Desk>(GetParam());
        m_desk->openScan(m_desk->makeScan(12, 16));
        test::pass(100);
    }

    [[nodiscard]] FoldingDock& dock(const char* name) { return m_desk->part<FoldingDock>(name); }
    [[nodiscard]] QTabWidget& tabs() { return m_desk->part<QTabWidget>("tabs"); }
    void click(Tab tab) {
        QTabBar* bar = tabs().tabBar();
        QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(static_cast<int>(tab)).center());
        test::pass(100);
    }
    void click(const char* dockName, const char* button) {
        QTest::mouseClick(dock(dockName).findChild<QToolButton*>(button), Qt::LeftButton);
        test::pass(100);
    }
    // A tab at the edge is as wide as a title that is read from below, and no part of the panel.
    [[nodiscard]] bool isAtEdge(const char* name) {
        return dock(name).isVisible() && !dock(name).panel()->isVisible() &&
               dock(name).width() <= 5 * kSpacing;
    }
    void keepPicture(const char* name) {
        test::screenshots(m_desk->window(),
                          QString("viewing-%1-%2").arg(name).arg(GetParam().width()));
    }

    std::unique_ptr<Desk> m_desk;
    static constexpr int kSpacing = 8;
    static constexpr const char* kSides[] = {"scanDock", "geometryDock", "reconstructionDock"};
};

INSTANTIATE_TEST_SUITE_P(Sizes, ViewingLayout, testing::Values(QSize(1280, 800), QSize(1600, 1000)),
                         [](const auto& size) { return std::to_string(size.param.width()); });

TEST_P(ViewingLayout, WhatTheVolumeDoesNotNeedFoldsToTheEdges) {
    const int before = tabs().width();
    const int left = dock("geometryDock").width();
    const int right = dock("reconstructionDock").width();
    keepPicture("setting-up");
    for (const Tab tab : {Tab::slices, Tab::volume, Tab::verify}) {
        click(tab);
        for (const char* name : kSides)
            EXPECT_TRUE(isAtEdge(name)) << name << ' ' << dock(name).width();
        for (const char* name : kSides) {
            const auto* title = dock(name).findChild<QToolButton*>("edge");
            EXPECT_GE(title->height(), title->sizeHint().height()) << name << ", its title is cut";
        }
        EXPECT_GE(tabs().width(), m_desk->window().width() - 2 * 6 * kSpacing);
    }
    keepPicture("slices");
    click(Tab::projections);
    for (const char* name : kSides)
        EXPECT_TRUE(dock(name).panel()->isVisible()) << name;
    EXPECT_EQ(dock("geometryDock").width(), left);
    EXPECT_EQ(dock("reconstructionDock").width(), right);
    EXPECT_EQ(tabs().width(), before);
}

TEST_P(ViewingLayout, WhatIsOpenedInATabIsOpenThereTheNextTime) {
    click(Tab::slices);
    click("reconstructionDock", "edge");
    EXPECT_TRUE(dock("reconstructionDock").panel()->isVisible());
    EXPECT_GE(dock("reconstructionDock").width(), 37 * kSpacing);
    EXPECT_TRUE(isAtEdge("geometryDock"));
    click(Tab::volume);
    EXPECT_TRUE(isAtEdge("reconstructionDock"));
    EXPECT_TRUE(m_desk->window().close());
    m_desk->reopen(GetParam());
    test::pass(100);
    EXPECT_TRUE(dock("geometryDock").panel()->isVisible());
    EXPECT_GE(dock("geometryDock").width(), 37 * kSpacing);
    m_desk->window().showTab(Tab::slices);
    test::pass(100);
    EXPECT_TRUE(dock("reconstructionDock").panel()->isVisible());
    EXPECT_TRUE(isAtEdge("geometryDock"));
}

TEST_P(ViewingLayout, OneKeyShowsThePictureAloneAndBringsAllBack) {
    dock("jobsDock").hide();
    const int before = tabs().height();
    QTest::keyClick(&m_desk->window(), Qt::Key_F9);
    test::pass(100);
    for (const auto* each : m_desk->window().findChildren<FoldingDock*>())
        EXPECT_FALSE(each->isVisible()) << each->objectName().toStdString();
    EXPECT_EQ(tabs().width(), m_desk->window().width());
    EXPECT_GT(tabs().height(), before);
    keepPicture("alone");
    QTest::keyClick(&m_desk->window(), Qt::Key_F9);
    test::pass(100);
    for (const auto* each : m_desk->window().findChildren<FoldingDock*>())
        EXPECT_EQ(each->isVisible(), each->objectName() != "jobsDock");
    // Nor does the next start begin with a bare picture.
    QTest::keyClick(&m_desk->window(), Qt::Key_F9);
    EXPECT_TRUE(m_desk->window().close());
    m_desk->reopen(GetParam());
    EXPECT_TRUE(dock("geometryDock").isVisible());
}

TEST_P(ViewingLayout, ProblemsAreSeenWhateverIsFolded) {
    auto& sign = m_desk->part<QPushButton>("problemSign");
    EXPECT_FALSE(sign.text().contains("error"));
    Request request = m_desk->workspace().scan().request();
    request.job.scan.geometry.cone().sourceToDetectorMm = 1;
    m_desk->workspace().scan().edit(request, "Move the detector");
    test::pass(50);
    click(Tab::slices);
    ASSERT_TRUE(sign.isVisible());
    EXPECT_TRUE(sign.text().contains("error")) << sign.text().toStdString();
    EXPECT_GE(sign.width(), sign.sizeHint().width());
    EXPECT_FALSE(sign.toolTip().isEmpty());
    keepPicture("problem");
    QTest::mouseClick(&sign, Qt::LeftButton);
    test::pass(100);
    EXPECT_TRUE(dock("scanDock").panel()->isVisible());
    auto& problems = m_desk->part<QWidget>("problems");
    EXPECT_FALSE(problems.visibleRegion().isEmpty());
    m_desk->workspace().scan().undoStack().undo();
    EXPECT_TRUE(waitUntil([&] { return !sign.text().contains("error"); }));
}

TEST_P(ViewingLayout, TheTimelineHasTheWholeWidth) {
    click("timelineDock", "fold");
    click("jobsDock", "fold");
    EXPECT_EQ(dock("timelineDock").width(), dock("jobsDock").width());
    EXPECT_GE(dock("timelineDock").width(), m_desk->window().width() - 45 * kSpacing);
    click(Tab::slices);
    EXPECT_GE(dock("timelineDock").width(), m_desk->window().width() - 7 * kSpacing);
    EXPECT_GE(dock("timelineDock").height(), 100);
    EXPECT_GE(dock("jobsDock").height(), 100);
    keepPicture("timeline");
}

// Versions up to 0.1 saved timeline and jobs beside each other.
TEST_P(ViewingLayout, AnArrangementOfAnEarlierVersionIsTaken) {
    m_desk->window().splitDockWidget(&dock("timelineDock"), &dock("jobsDock"), Qt::Horizontal);
    dock("reconstructionDock").hide();
    const QByteArray former = m_desk->window().saveState(2);
    EXPECT_TRUE(m_desk->window().close());
    QSettings().setValue("window/state", former);
    m_desk->reopen(GetParam());
    test::pass(100);
    EXPECT_FALSE(dock("reconstructionDock").isVisible());
    EXPECT_EQ(dock("timelineDock").width(), dock("jobsDock").width());
    QSettings().setValue("window/state", QByteArray("no state at all"));
    m_desk->reopen(GetParam());
    EXPECT_TRUE(dock("geometryDock").isVisible());
}

}  // namespace
}  // namespace gantry
