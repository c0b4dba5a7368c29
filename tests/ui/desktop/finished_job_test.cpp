// A job that ends: what it may change in the window.
#include <gtest/gtest.h>

#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>

#include "core/job/job_directory.h"
#include "tests/ui/desktop/desk.h"
#include "ui/widgets/message_bar.h"
#include "ui/workspace/jobs/job_reading.h"

namespace gantry {
namespace {

using test::Desk;
using test::waitUntil;

class FinishedJob : public testing::Test {
  protected:
    FinishedJob() { m_desk.openScan(m_desk.makeScan(60, 96)); }

    void pressReconstruct() {
        auto& button = m_desk.part<QPushButton>("reconstruct");
        ASSERT_TRUE(waitUntil([&] { return button.isEnabled(); }));
        QTest::mouseClick(&button, Qt::LeftButton);
    }
    [[nodiscard]] bool isDone() {
        const auto& jobs = m_desk.workspace().jobs().jobs();
        return waitUntil(
            [&] { return !jobs.empty() && jobs.front().status.state == JobState::done; });
    }
    [[nodiscard]] int tab() { return m_desk.part<QTabWidget>("tabs").currentIndex(); }
    [[nodiscard]] bool isAnnounced() {
        auto& messages = m_desk.part<MessageBar>("messages");
        return waitUntil([&] { return messages.text().contains(" finished in "); });
    }

    Desk m_desk;
    static constexpr int kProjections = static_cast<int>(MainWindow::Tab::projections);
    static constexpr int kSlices = static_cast<int>(MainWindow::Tab::slices);
};

TEST_F(FinishedJob, WhoeverWaitsForItSeesItsVolume) {
    pressReconstruct();
    ASSERT_TRUE(isDone());
    EXPECT_EQ(tab(), kSlices);
    // The button is folded away there. No field gets its keyboard, in which a key would edit.
    EXPECT_FALSE(m_desk.part<QPushButton>("reconstruct").isVisible());
    EXPECT_TRUE(m_desk.part<QTabWidget>("tabs").isAncestorOf(QApplication::focusWidget()))
        << QApplication::focusWidget()->objectName().toStdString();
}

TEST_F(FinishedJob, WhoeverGoesOnWorkingIsOnlyTold) {
    pressReconstruct();
    QTest::mouseClick(&m_desk.part<QTabWidget>("tabs"), Qt::LeftButton);
    ASSERT_TRUE(isDone());
    EXPECT_TRUE(isAnnounced());
    test::pass(100);
    EXPECT_EQ(tab(), kProjections);
    QTest::mouseClick(m_desk.part<MessageBar>("messages").findChild<QPushButton*>("action"),
                      Qt::LeftButton);
    EXPECT_TRUE(waitUntil([&] { return tab() == kSlices; }));
}

TEST_F(FinishedJob, AKeyIsWorkToo) {
    pressReconstruct();
    QTest::keyClick(&m_desk.window(), Qt::Key_F9);
    ASSERT_TRUE(isDone());
    EXPECT_TRUE(isAnnounced());
    EXPECT_EQ(tab(), kProjections);
}

TEST_F(FinishedJob, TheKeyboardStaysWhereItWas) {
    auto& name = m_desk.part<QLineEdit>("outputName");
    ASSERT_TRUE(waitUntil([&] { return m_desk.part<QPushButton>("reconstruct").isEnabled(); }));
    name.setFocus();
    QStringList others;
    const QObject listener;
    QObject::connect(qApp, &QApplication::focusChanged, &listener, [&](QWidget*, QWidget* now) {
        if (now != &name) others << (now ? now->objectName() : "none");
    });
    QTest::keyClick(&name, Qt::Key_R, Qt::ControlModifier);
    ASSERT_TRUE(waitUntil([&] { return !m_desk.workspace().jobs().jobs().empty(); }));
    // Whoever goes on typing is not awaited to look at the volume.
    QTest::keyClicks(&name, "x");
    ASSERT_TRUE(isDone());
    EXPECT_TRUE(isAnnounced());
    EXPECT_TRUE(name.hasFocus());
    EXPECT_TRUE(others.isEmpty()) << others.join(' ').toStdString();
}

// Another window has started it: this one only follows it.
TEST_F(FinishedJob, AJobOfAnotherWindowIsOnlyTold) {
    Workspace& workspace = m_desk.workspace();
    const ScanFile scan = workspace.scan().request().job.scan;
    JobSpec spec = test::longJobOf(scan, m_desk.folder() / "other.mha");
    spec.volume = fitGrid(scan.geometry, 128);
    JobStore other(GANTRY_PROGRAM);
    const QString folder = other.start(spec);
    ASSERT_TRUE(waitUntil([&] {
        const JobEntry* job = other.find(folder);
        return job && job->status.state == JobState::running;
    }));
    workspace.jobs().adopt(readJobEntry(folder).value());
    ASSERT_TRUE(isDone());
    EXPECT_TRUE(isAnnounced());
    test::pass(100);
    EXPECT_EQ(tab(), kProjections);
}

}  // namespace
}  // namespace gantry
