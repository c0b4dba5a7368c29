#include "ui/widgets/message_bar.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QLabel>
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
        column->addWidget(m_content, 1);
        m_bar = new MessageBar;
        column->addWidget(m_bar);
        test::show(m_window, {700, 300});
        away();
    }

    void say(const QString& text, Kind kind = Kind::info, const QString& topic = {}) {
        Message message{kind, text};
        message.topic = topic;
        m_bar->show(message);
        test::pass(10);
    }
    void away() {
        QTest::mouseMove(&m_window, {20, 20});
        test::pass(10);
    }
    [[nodiscard]] QAbstractButton& button(const char* name) const {
        return *m_bar->findChild<QAbstractButton*>(name);
    }
    void click(const char* name) {
        QTest::mouseClick(&button(name), Qt::LeftButton);
        test::pass(10);
    }
    [[nodiscard]] std::string shown() const {
        return m_bar->isVisible() ? m_bar->findChild<QLabel*>("text")->text().toStdString() : "";
    }
    [[nodiscard]] std::string count() const {
        const auto* label = m_bar->findChild<QLabel*>("count");
        return label->isVisible() ? label->text().toStdString() : "";
    }

    QWidget m_window;
    QWidget* m_content = new QWidget;
    MessageBar* m_bar = nullptr;
};

TEST_F(MessageBarTest, HasASpaceOfItsOwnThatMovesNothing) {
    const QRect before = m_content->geometry();
    EXPECT_FALSE(m_bar->isVisible());
    say("The scan was reloaded.");
    EXPECT_TRUE(m_bar->isVisible());
    EXPECT_EQ(m_content->geometry(), before);
    EXPECT_FALSE(m_bar->geometry().intersects(m_content->geometry()));
    EXPECT_TRUE(m_window.rect().contains(m_bar->geometry()));
    Message message{Kind::error, "The job failed.", "Resume"};
    message.topic = "job:a";
    m_bar->show(message);
    test::pass(10);
    EXPECT_EQ(m_content->geometry(), before);
    for (const char* each : {"action", "close"})
        EXPECT_TRUE(m_bar->rect().contains(button(each).geometry())) << each;
    m_bar->clear();
    test::pass(10);
    EXPECT_FALSE(m_bar->isVisible());
    EXPECT_TRUE(m_bar->text().isEmpty());
    EXPECT_EQ(m_content->geometry(), before);
}

TEST_F(MessageBarTest, TheNextSuccessReplacesWhatWasSaidBefore) {
    say("The picture cannot be saved: the disk is full.", Kind::error);
    say("The job failed.", Kind::error, "job:a");
    say("Saved the picture.");
    EXPECT_EQ(m_bar->text().toStdString(), "Saved the picture.\nThe job failed.");
    say("There is no such file.", Kind::error);
    m_bar->succeed();
    test::pass(10);
    EXPECT_EQ(m_bar->text().toStdString(), "The job failed.");
    // That a job has ended is no answer to what the user tried.
    say("The report cannot be saved.", Kind::error);
    say("walnut finished.", Kind::info, "job:b");
    EXPECT_TRUE(m_bar->text().contains("The report cannot be saved."));
}

TEST_F(MessageBarTest, WhatThePointerIsOnStaysUntilItLeaves) {
    say("walnut failed.", Kind::error, "job:a");
    QTest::mouseMove(m_bar);
    ASSERT_TRUE(test::waitUntil([&] { return m_bar->underMouse(); }));
    m_bar->withdraw("job:a");
    test::pass(10);
    EXPECT_EQ(shown(), "walnut failed.");
    say("walnut finished in 3 s.", Kind::info, "job:a");
    say("Saved the picture.");
    EXPECT_EQ(shown(), "walnut failed.");
    away();
    ASSERT_TRUE(test::waitUntil([&] { return shown() == "Saved the picture."; }));
    EXPECT_EQ(m_bar->text().toStdString(), "Saved the picture.\nwalnut finished in 3 s.");
}

TEST_F(MessageBarTest, ShowsOneAtATimeAndCountsTheRest) {
    say("a", Kind::error);
    EXPECT_EQ(count(), "");
    say("b", Kind::info, "job:b");
    say("c", Kind::warning);
    EXPECT_EQ(shown(), "c");
    EXPECT_EQ(count(), "1 of 3");
    EXPECT_EQ(m_bar->text().toStdString(), "c\nb\na");
    click("next");
    EXPECT_EQ(shown(), "b");
    EXPECT_EQ(count(), "2 of 3");
    click("close");
    EXPECT_EQ(shown(), "a");
    EXPECT_EQ(count(), "2 of 2");
    click("next");
    EXPECT_EQ(shown(), "c");
}

TEST_F(MessageBarTest, WhatIsPointedAtIsNotReplaced) {
    say("pointed at", Kind::error);
    QTest::mouseMove(m_bar);
    ASSERT_TRUE(test::waitUntil([&] { return m_bar->underMouse(); }));
    const QPoint close = button("close").mapTo(&m_window, QPoint());
    say("another", Kind::error);
    EXPECT_EQ(shown(), "pointed at");
    EXPECT_EQ(count(), "2 of 2");
    EXPECT_EQ(button("close").mapTo(&m_window, QPoint()), close);
    away();
    ASSERT_TRUE(test::waitUntil([&] { return !m_bar->underMouse(); }));
    say("a third", Kind::error);
    EXPECT_EQ(shown(), "a third");
}

TEST_F(MessageBarTest, AMessageTakesThePlaceOfTheOneOnTheSameTopicAndIsWithdrawn) {
    say("The job failed.", Kind::error, "job:a");
    say("Something else.", Kind::error);
    say("The job failed again.", Kind::error, "job:a");
    EXPECT_EQ(shown(), "The job failed again.");
    EXPECT_EQ(m_bar->text().toStdString(), "Something else.\nThe job failed again.");
    m_bar->withdraw("job:b");
    m_bar->withdraw("");
    EXPECT_EQ(count(), "2 of 2");
    m_bar->withdraw("job:a");
    EXPECT_EQ(m_bar->text().toStdString(), "Something else.");
    EXPECT_EQ(shown(), "Something else.");
}

TEST_F(MessageBarTest, SaysTheSameOnce) {
    say("The disk is full.", Kind::error);
    say("The disk is full.", Kind::error);
    EXPECT_EQ(count(), "");
}

TEST_F(MessageBarTest, OfTooManyTheOldestInformationGoesFirst) {
    say("kept", Kind::error);
    for (int i = 0; i < 30; ++i)
        say(QString("note %1").arg(i), Kind::info, QString("job:%1").arg(i));
    EXPECT_EQ(m_bar->text().count('\n') + 1, 20);
    EXPECT_TRUE(m_bar->text().endsWith("kept"));
    EXPECT_EQ(shown(), "note 29");
}

TEST_F(MessageBarTest, TheButtonsDoTheirWorkAndTheMessageGoes) {
    QStringList done;
    Message message{Kind::error, "The job failed.", "Resume", [&] { done << "resumed"; }};
    message.secondText = "Show the log";
    message.secondAction = [&] {
        done << "log";
        say("Done.");
    };
    m_bar->show(message);
    test::pass(10);
    EXPECT_EQ(button("action").text().toStdString(), "Resume");
    EXPECT_EQ(button("second").text().toStdString(), "Show the log");
    click("action");
    EXPECT_EQ(done, QStringList{"resumed"});
    EXPECT_EQ(shown(), "");
    m_bar->show(message);
    test::pass(10);
    click("second");
    EXPECT_EQ(done, (QStringList{"resumed", "log"}));
    EXPECT_EQ(m_bar->text().toStdString(), "Done.");
}

TEST_F(MessageBarTest, AnInformationLeavesByItselfAndAnErrorStays) {
    auto* timer = m_bar->findChild<QTimer*>();
    say("An error.", Kind::error);
    EXPECT_FALSE(timer->isActive());
    say("The scan was reloaded.", Kind::info, "job:a");
    ASSERT_TRUE(timer->isActive());
    EXPECT_GE(timer->interval(), 5000);  // time to read
    // Not while the pointer is on it.
    QTest::mouseMove(m_bar);
    ASSERT_TRUE(test::waitUntil([&] { return !timer->isActive(); }));
    away();
    ASSERT_TRUE(test::waitUntil([&] { return timer->isActive(); }));
    timer->start(1);
    ASSERT_TRUE(test::waitUntil([&] { return shown() == "An error."; }));
    EXPECT_FALSE(timer->isActive());
}

TEST_F(MessageBarTest, ALongSentenceWrapsAndIsNotCutOff) {
    say("short", Kind::error);
    const int line = m_bar->height();
    m_bar->clear();
    say(QString("The output folder is full. ").repeated(20), Kind::error);
    EXPECT_GT(m_bar->height(), 1.5 * line);
    EXPECT_LE(m_bar->width(), m_window.width());
    const auto* text = m_bar->findChild<QLabel*>("text");
    EXPECT_GE(text->height(), text->heightForWidth(text->width()))
        << text->width() << " in " << m_bar->width() << " x " << m_bar->height();
    EXPECT_EQ(m_bar->accessibleName(), m_bar->text());
}

}  // namespace
}  // namespace gantry
