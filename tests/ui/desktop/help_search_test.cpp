#include <gtest/gtest.h>

#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>

#include "tests/ui/support/ui_test.h"
#include "ui/desktop/help/help_window.h"

namespace gantry {
namespace {

class HelpSearchTest : public testing::Test {
  protected:
    HelpSearchTest() { test::show(help, {860, 640}); }
    // Searches as an operator does: Ctrl+F, then the words.
    void searchFor(const QString& words) {
        QTest::keyClick(&help, Qt::Key_F, Qt::ControlModifier);
        QTest::keyClicks(QApplication::focusWidget(), words);
    }

    HelpWindow help;
    QTextBrowser& text = *help.findChild<QTextBrowser*>("helpText");
    QListWidget& hits = *help.findChild<QListWidget*>("helpHits");
    QListWidget& contents = *help.findChild<QListWidget*>("helpContents");
};

TEST_F(HelpSearchTest, FindsWordsOnAllPagesAndMarksThem) {
    help.showPage("desktop.md");
    searchFor("detector offset");
    EXPECT_TRUE(hits.isVisible());
    ASSERT_GT(hits.count(), 2);
    QStringList pages;
    for (int i = 0; i < hits.count(); ++i) {
        const QString line = hits.item(i)->text();
        EXPECT_TRUE(line.contains("detector", Qt::CaseInsensitive)) << line.toStdString();
        pages.append(line.section('\n', 0, 0).section(", line", 0, 0));
    }
    pages.removeDuplicates();
    EXPECT_GT(pages.size(), 1);
    // F3 goes through them; what is found is marked and visible.
    for (int i = 0; i < hits.count(); ++i) {
        QTest::keyClick(&help, Qt::Key_F3);
        EXPECT_EQ(hits.currentRow(), i);
        ASSERT_FALSE(text.extraSelections().isEmpty());
        EXPECT_TRUE(text.textCursor().block().text().contains("offset", Qt::CaseInsensitive));
        EXPECT_TRUE(text.viewport()->rect().intersects(text.cursorRect()));
    }
    QTest::keyClick(&help, Qt::Key_F3, Qt::ShiftModifier);
    EXPECT_EQ(hits.currentRow(), hits.count() - 2);
    test::screenshots(help, "help-search");
}

TEST_F(HelpSearchTest, WhatIsNowhereSaysSo) {
    searchFor("xyzzy");
    EXPECT_EQ(hits.count(), 0);
    EXPECT_TRUE(help.findChild<QWidget*>("helpHitCount")->isVisible());
    EXPECT_TRUE(text.extraSelections().isEmpty());
}

TEST_F(HelpSearchTest, EscGoesBackToTheContentsAndThenOut) {
    searchFor("roll");
    ASSERT_TRUE(hits.isVisible());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    EXPECT_TRUE(contents.isVisible());
    EXPECT_TRUE(help.isVisible());
    EXPECT_TRUE(text.extraSelections().isEmpty());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    EXPECT_FALSE(help.isVisible());
}

TEST_F(HelpSearchTest, TheArrowsInTheSearchFieldGoThroughTheResults) {
    searchFor("voxel");
    ASSERT_GT(hits.count(), 3);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
    EXPECT_EQ(hits.currentRow(), 1);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Up);
    EXPECT_EQ(hits.currentRow(), 0);
}

TEST_F(HelpSearchTest, PicturesFitTheWindow) {
    for (const QSize size : {QSize(700, 600), QSize(1500, 900), QSize(620, 500)}) {
        help.resize(size);
        for (const char* page : {"desktop.md", "desktop-geometry.md", "architecture.md"}) {
            help.showPage(page);
            test::pass(50);
            EXPECT_EQ(text.horizontalScrollBar()->maximum(), 0) << page << ' ' << size.width();
        }
    }
    test::screenshots(help, "help-picture");
}

TEST_F(HelpSearchTest, DrawingsAreShownAsFineAsTheScreen) {
    help.resize(1180, 860);
    help.showPage("architecture.md");
    test::pass(50);
    const auto drawn =
        text.document()
            ->resource(QTextDocument::ImageResource, QUrl("qrc:/help/pictures/architecture.svg"))
            .value<QImage>();
    ASSERT_FALSE(drawn.isNull());
    EXPECT_GT(drawn.width(), 600);
    // The card's middle has a colour of its own, on a dark page as on a light one.
    EXPECT_EQ(drawn.pixelColor(drawn.width() / 2, 4).name(), "#f7f9fb");
    test::screenshots(help, "help-drawing");
}

}  // namespace
}  // namespace gantry
