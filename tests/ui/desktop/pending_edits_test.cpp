// What is being typed when a command comes, in the real window: by key, menu, search, button, drop.
#include <gtest/gtest.h>

#include <QAbstractSpinBox>
#include <QAction>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/ui/desktop/desk.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/fields/pending_edit.h"

namespace gantry {
namespace {

using test::Desk;
using test::waitUntil;

class PendingEdits : public testing::Test {
  protected:
    PendingEdits() { m_desk.openScan(m_desk.makeScan(40, 61)); }

    [[nodiscard]] QWidget& geometryForm() { return m_desk.part<QDockWidget>("geometryDock"); }
    [[nodiscard]] NumberField& distance() {
        return *geometryForm()
                    .findChild<QWidget*>("trajectory.sourceToDetectorMm")
                    ->findChild<NumberField*>();
    }
    [[nodiscard]] QLineEdit& edit() { return *distance().findChild<QLineEdit*>("edit"); }
    [[nodiscard]] double distanceMm() {
        return m_desk.workspace().scan().geometry().cone().sourceToDetectorMm;
    }
    void type(const QString& text) {
        edit().setFocus();
        edit().selectAll();
        QTest::keyClicks(&edit(), text);
        ASSERT_TRUE(distance().isPending());
    }
    // To whatever has the focus, as the keyboard does.
    static void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::ControlModifier) {
        QTest::keyClick(QApplication::focusWidget(), key, modifiers);
    }
    void clickTab(int index) {
        auto* bar = m_desk.part<QTabWidget>("tabs").tabBar();
        QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(index).center());
    }
    void search(const QString& text) {
        press(Qt::Key_K);
        auto& palette = m_desk.part<QDialog>("commandPalette");
        auto* line = palette.findChild<QLineEdit*>();
        QTest::keyClicks(line, text);
        QTest::keyClick(line, Qt::Key_Return);
    }
    // Answers the question whether to save that comes while `act` is under way.
    bool asksToSave(const std::function<void()>& act) {
        bool isAsked = false;
        QTimer poll;
        QObject::connect(&poll, &QTimer::timeout, &poll, [&] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (!box) return;
            isAsked = box->objectName() == "saveQuestion";
            box->reject();
        });
        poll.start(50);
        act();
        return isAsked || waitUntil([&] { return isAsked; }, 5);
    }

    Desk m_desk;
};

double distanceInJob(const QString& folder) {
    QFile file(folder + "/job.json");
    if (!file.open(QIODevice::ReadOnly)) return 0;
    const QJsonObject job = QJsonDocument::fromJson(file.readAll()).object();
    return job["scan"]["trajectory"]["sourceToDetectorMm"].toDouble();
}

TEST_F(PendingEdits, AJobIsStartedWithTheNumberThatIsBeingTyped) {
    auto& button = m_desk.part<QPushButton>("reconstruct");
    ASSERT_TRUE(waitUntil([&] { return button.isEnabled(); })) << button.toolTip().toStdString();
    type("1150");
    press(Qt::Key_R);
    const auto& jobs = m_desk.workspace().jobs().jobs();
    // The job is listed before its folder is made.
    ASSERT_TRUE(waitUntil(
        [&] { return !jobs.empty() && QFile::exists(jobs.front().folder + "/job.json"); }));
    EXPECT_EQ(distanceInJob(jobs.front().folder), 1150);
    EXPECT_EQ(m_desk.workspace().scan().undoStack().count(), 1);
    ASSERT_TRUE(waitUntil([&] { return jobs.front().status.state == JobState::done; }));
}

TEST_F(PendingEdits, UndoTakesWhatIsBeingTypedBackAsOneEdit) {
    type("1150");
    press(Qt::Key_Z);
    EXPECT_EQ(distanceMm(), 1200);
    EXPECT_EQ(edit().text().toStdString(), "1200");
    press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(distanceMm(), 1150);
    EXPECT_EQ(edit().text().toStdString(), "1150");
}

TEST_F(PendingEdits, EveryCommandTakesThem) {
    const std::filesystem::path other = m_desk.makeScan(20, 33, "other");
    type("1151");
    press(Qt::Key_2);
    EXPECT_EQ(distanceMm(), 1151);
    type("1152");
    clickTab(0);
    EXPECT_EQ(distanceMm(), 1152);
    type("1153");
    search("export geom");
    EXPECT_EQ(distanceMm(), 1153);
    m_desk.part<QFileDialog>("exportDialog").close();
    m_desk.workspace().scan().undoStack().setClean();
    type("1154");
    EXPECT_TRUE(asksToSave([&] { m_desk.drop(other); }));
    EXPECT_EQ(distanceMm(), 1154);
    m_desk.workspace().scan().undoStack().setClean();
    type("1155");
    EXPECT_TRUE(asksToSave([&] { EXPECT_FALSE(m_desk.window().close()); }));
    EXPECT_EQ(distanceMm(), 1155);
    EXPECT_TRUE(m_desk.workspace().scan().hasScan());
}

TEST_F(PendingEdits, WhereTheyCannotBeTakenEveryCommandStopsAtTheField) {
    const std::filesystem::path other = m_desk.makeScan(20, 33, "other");
    const auto& scan = m_desk.workspace().scan();
    const auto tab = [&] { return m_desk.part<QTabWidget>("tabs").currentIndex(); };
    const auto click = [&](const char* name) {
        return [this, name] {
            QTest::mouseClick(&m_desk.part<QAbstractButton>(name), Qt::LeftButton);
        };
    };
    const std::vector<std::pair<std::string, std::function<void()>>> commands = {
        {"reconstruct", [] { press(Qt::Key_R); }},
        {"save", [] { press(Qt::Key_S); }},
        {"open", [] { press(Qt::Key_O); }},
        {"open a folder", [] { press(Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier); }},
        {"import", [] { press(Qt::Key_I); }},
        {"export", [] { press(Qt::Key_E); }},
        {"close the scan", [] { press(Qt::Key_W); }},
        {"tab by key", [] { press(Qt::Key_2); }},
        {"tab by click", [&] { clickTab(1); }},
        {"reset by search", [&] { search("reset to file"); }},
        {"drop", [&] { m_desk.drop(other); }},
        {"close the window", [&] { EXPECT_FALSE(m_desk.window().close()); }},
        {"reconstruct by button", click("reconstruct")},
        {"reset by button", click("resetToFile")},
    };
    // Undone, so that there is something to reset.
    type("1170");
    press(Qt::Key_Return, {});
    ASSERT_TRUE(waitUntil([&] { return m_desk.part<QPushButton>("reconstruct").isEnabled(); }));
    const QString title = scan.title();
    const int before = tab();
    for (const QString& text : {QString("11x"), QString("1,150")})
        for (const auto& [name, act] : commands) {
            type(text);
            act();
            test::pass(20);
            EXPECT_EQ(QApplication::activeModalWidget(), nullptr) << name;
            EXPECT_EQ(QApplication::focusWidget(), &edit()) << name;
            EXPECT_FALSE(distance().problem().isEmpty()) << name;
            EXPECT_EQ(edit().text(), text) << name;
            EXPECT_EQ(distanceMm(), 1170) << name;
            EXPECT_EQ(tab(), before) << name;
            EXPECT_EQ(scan.title(), title) << name;
        }
    EXPECT_TRUE(m_desk.workspace().jobs().jobs().empty());
}

TEST_F(PendingEdits, RunAgainStopsAtTheField) {
    auto& button = m_desk.part<QPushButton>("reconstruct");
    ASSERT_TRUE(waitUntil([&] { return button.isEnabled(); }));
    QTest::mouseClick(&button, Qt::LeftButton);
    const auto& jobs = m_desk.workspace().jobs().jobs();
    ASSERT_TRUE(waitUntil(
        [&] { return !jobs.empty() && jobs.front().status.state == JobState::done; }, 120));
    type("1,150");
    m_desk.part<QAction>("runAgain").trigger();
    test::pass(500);
    EXPECT_TRUE(edit().hasFocus());
    EXPECT_EQ(edit().text().toStdString(), "1,150");
}

TEST_F(PendingEdits, WhatIsTypedMeanwhileIsNoObstacleToHelp) {
    type("11x");
    press(Qt::Key_F1, {});
    EXPECT_NE(m_desk.window().findChild<QWidget*>("help"), nullptr);
    EXPECT_EQ(edit().text().toStdString(), "11x");
}

TEST_F(PendingEdits, EveryTextOfTheFormsIsOneThatCommandsTake) {
    for (const auto* dock : m_desk.window().findChildren<QDockWidget*>())
        for (QLineEdit* line : dock->findChildren<QLineEdit*>()) {
            if (line->isReadOnly() || qobject_cast<QAbstractSpinBox*>(line->parent())) continue;
            EXPECT_TRUE(dynamic_cast<PendingEdit*>(line) ||
                        dynamic_cast<PendingEdit*>(line->parentWidget()))
                << line->parentWidget()->objectName().toStdString() << " > "
                << line->objectName().toStdString();
        }
}

TEST_F(PendingEdits, AMisreadNumberIsMarkedForALook) {
    type("1150000");
    press(Qt::Key_Return, {});
    EXPECT_TRUE(distance().problem().contains("more than tenfold"))
        << distance().problem().toStdString();
    test::screenshots(geometryForm(), "tenfold");
    // It stands until there is another edit.
    test::pass(500);
    EXPECT_TRUE(distance().problem().contains("more than tenfold"));
    press(Qt::Key_Z);
    EXPECT_FALSE(distance().problem().contains("tenfold"));
}

}  // namespace
}  // namespace gantry
