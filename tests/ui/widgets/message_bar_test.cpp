#include "ui/widgets/message_bar.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QTest>
#include <QTimer>
#include <QVBoxLayout>

#include "tests/ui/support/ui_test.h"

namespace gantry {
namespace {

using Kind = Message::Kind;

class MessageBarTest : public testing::Test {
  protected:
    MessageBarTest() {
        auto* column = new QVBoxLayout(&m_window);
        column->addWidget(m_bar);
        column->addStretch();
        test::show(m_window, {500, 300});
    }

    void say(const QString& text, Kind kind = Kind::info) {
        m_bar->show({.kind = kind, .text = text});
        test::pass(10);
    }

    [[nodiscard]] QList<QWidget*> rows() const {
        QList<QWidget*> shown;
        for (QWidget* row : m_bar->findChildren<QWidget*>("message")) {
            if (row->isVisible()) shown.append(row);
        }
        return shown;
    }

    QWidget m_window;
    MessageBar* m_bar = new MessageBar;
};

TEST_F(MessageBarTest, TakesNoRoomWhileThereIsNothingToSay) {
    EXPECT_FALSE(m_bar->isVisible());
    say("The scan was reloaded.");
    EXPECT_TRUE(m_bar->isVisible());
    EXPECT_EQ(m_bar->text().toStdString(), "The scan was reloaded.");
    m_bar->clear();
    EXPECT_FALSE(m_bar->isVisible());
    EXPECT_TRUE(m_bar->text().isEmpty());
}

TEST_F(MessageBarTest, ShowsAtMostThreeAndDropsInformationFirst) {
    say("a", Kind::error);
    say("b");
    say("c", Kind::warning);
    say("d", Kind::error);
    EXPECT_EQ(m_bar->text().toStdString(), "d\nc\na");
    say("e", Kind::error);
    EXPECT_EQ(m_bar->text().toStdString(), "e\nd\nc");
    EXPECT_EQ(rows().size(), 3);
}

TEST_F(MessageBarTest, SaysTheSameOnce) {
    say("The disk is full.", Kind::error);
    say("The disk is full.", Kind::error);
    EXPECT_EQ(rows().size(), 1);
}

TEST_F(MessageBarTest, TheCrossClosesOneMessage) {
    say("first", Kind::error);
    say("second", Kind::error);
    QTest::mouseClick(rows().first()->findChild<QAbstractButton*>("close"), Qt::LeftButton);
    test::pass(10);
    EXPECT_EQ(rows().size(), 1);
    EXPECT_TRUE(m_bar->isVisible());
}

TEST_F(MessageBarTest, TheButtonDoesItsWorkAndTheMessageGoes) {
    int done = 0;
    m_bar->show({.kind = Kind::error,
                 .text = "The volume is too large.",
                 .actionText = "Use 8-bit output",
                 .action = [&] {
                     ++done;
                     say("Done.");
                 }});
    test::pass(10);
    auto* button = rows().first()->findChild<QAbstractButton*>("action");
    EXPECT_EQ(button->text().toStdString(), "Use 8-bit output");
    QTest::mouseClick(button, Qt::LeftButton);
    test::pass(10);
    EXPECT_EQ(done, 1);
    EXPECT_EQ(m_bar->text().toStdString(), "Done.");
}

TEST_F(MessageBarTest, AnInformationLeavesByItselfAndAnErrorStays) {
    QTest::mouseMove(&m_window, {250, 280});
    say("An error.", Kind::error);
    say("The scan was reloaded.");
    EXPECT_FALSE(rows().first()->findChild<QTimer*>()->isActive());
    auto* timer = rows().last()->findChild<QTimer*>();
    ASSERT_TRUE(timer->isActive());
    EXPECT_GE(timer->interval(), 5000);  // time to read
    // Not while the pointer is on it.
    QTest::mouseMove(rows().last());
    ASSERT_TRUE(test::waitUntil([&] { return !timer->isActive(); }));
    QTest::mouseMove(&m_window, {250, 280});
    ASSERT_TRUE(test::waitUntil([&] { return timer->isActive(); }));
    timer->start(1);
    ASSERT_TRUE(test::waitUntil([&] { return rows().size() == 1; }));
    EXPECT_EQ(m_bar->text().toStdString(), "An error.");
}

TEST_F(MessageBarTest, ALongSentenceWrapsAndIsNotCutOff) {
    say("short", Kind::error);
    const int line = rows().first()->height();
    m_bar->clear();
    say(QString("The output folder is full. ").repeated(8), Kind::error);
    ASSERT_TRUE(test::waitUntil([&] { return rows().first()->height() > 1.5 * line; }));
    EXPECT_LE(rows().first()->width(), m_window.width());
    EXPECT_EQ(rows().first()->accessibleName(), m_bar->text());
}

}  // namespace
}  // namespace gantry
