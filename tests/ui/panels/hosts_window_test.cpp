#include "ui/panels/hosts/hosts_window.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QPushButton>
#include <QSettings>
#include <QTest>

#include "core/base/file.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/compared_pictures.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/own_host.h"
#include "ui/models/text.h"
#include "ui/workspace/jobs/host_plan.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {
namespace {

using test::waitUntil;

class HostsWindowTest : public testing::Test {
  protected:
    void SetUp() override {
        QSettings().clear();
        ASSERT_TRUE(waitUntil([&] { return m_plan.known().size() == 1; }));
        m_window = new HostsWindow(m_plan);
        test::show(*m_window, {880, 640});
    }
    void TearDown() override { delete m_window; }

    template <class T>
    [[nodiscard]] T& the(const char* name) {
        T* found = m_window->findChild<T*>(name);
        if (!found) throw std::runtime_error(name);
        return *found;
    }
    void click(const char* name) { QTest::mouseClick(&the<QWidget>(name), Qt::LeftButton); }
    void type(const char* name, const QString& text) {
        auto& line = the<QLineEdit>(name);
        line.setFocus();
        line.selectAll();
        QTest::keyClicks(&line, text);
    }
    [[nodiscard]] QString state() { return the<QLabel>("hostState").text(); }

    test::OwnHost m_host;
    test::TemporaryFolder m_folder;
    ScanDocument m_scan;
    HostPlan m_plan{m_scan};
    QPointer<HostsWindow> m_window;
};

TEST_F(HostsWindowTest, EditsAreKeptAtOnceWhereTheyAreRight) {
    EXPECT_EQ(the<QLineEdit>("host.scratch").text().toStdString(), m_host.scratch().string());
    type("host.scratch", "scratch");
    EXPECT_TRUE(the<QLabel>("problem.scratch").text().contains("must begin with /"));
    EXPECT_TRUE(state().startsWith("Not saved"));
    EXPECT_EQ(findHost("here").scratch, m_host.scratch().string());
    type("host.scratch", "/tmp/other");
    EXPECT_EQ(findHost("here").scratch, "/tmp/other");
    EXPECT_TRUE(the<QLabel>("problem.scratch").isHidden());
    // What is read meanwhile does not disturb the typing.
    type("host.start.program", "/opt/gan");
    test::pass(200);
    QTest::keyClicks(&the<QLineEdit>("host.start.program"), "try");
    test::pass(200);
    EXPECT_EQ(findHost("here").program, "/opt/gantry");
}

TEST_F(HostsWindowTest, FieldsOfSlurmAreSeenWhereItStartsJobs) {
    EXPECT_FALSE(the<QWidget>("host.batch.partition").isVisible());
    auto& box = the<QComboBox>("host.scheduler");
    box.setFocus();
    QTest::keyClick(&box, Qt::Key_Down);
    EXPECT_TRUE(the<QWidget>("host.batch.partition").isVisible());
    EXPECT_EQ(findHost("here").scheduler, Scheduler::slurm);
}

TEST_F(HostsWindowTest, AHostIsAddedAndRemovedAfterAsking) {
    click("addHost");
    type("host.name", "here");
    click("saveHost");
    EXPECT_TRUE(the<QLabel>("problem.name").text().contains("already"));
    type("host.name", "other");
    type("host.address", "me@login.example.org");
    click("saveHost");
    ASSERT_TRUE(waitUntil([&] { return m_plan.find("other") != nullptr; }));
    EXPECT_EQ(findHost("other").address, "me@login.example.org");
    EXPECT_EQ(the<QListWidget>("hosts").currentItem()->text(), "other");
    click("removeHost");
    test::pass(50);
    EXPECT_NE(m_plan.find("other"), nullptr);
    click("removeYes");
    ASSERT_TRUE(waitUntil([&] { return m_plan.find("other") == nullptr; }));
    EXPECT_FALSE(pathExists(hostsFolder() / "other.json"));
}

TEST_F(HostsWindowTest, AFileOfASiteIsTaken) {
    Host site = m_host.host("site");
    site.address = "login.example.org";
    writeFileAtomically(m_folder / "site.json", toJson(site));
    m_window->openFile(toText(m_folder / "site.json"));
    ASSERT_TRUE(waitUntil([&] { return m_plan.find("site") != nullptr; }));
    EXPECT_EQ(the<QListWidget>("hosts").currentItem()->text(), "site");
    writeFileAtomically(m_folder / "bad.json", "{}");
    m_window->openFile(toText(m_folder / "bad.json"));
    EXPECT_TRUE(state().contains("gantryHost"));
}

TEST_F(HostsWindowTest, ACheckTellsLineByLine) {
    click("checkHost");
    auto& found = the<QLabel>("checkState");
    ASSERT_TRUE(waitUntil([&] { return found.text().startsWith("Everything"); }))
        << found.text().toStdString();
    const QList<QLabel*> lines = m_window->findChildren<QLabel*>("finding");
    EXPECT_GE(lines.size(), 6);
    EXPECT_TRUE(lines.front()->text().startsWith("Yes – "));
    type("host.start.program", "/nowhere/gantry");
    click("checkHost");
    ASSERT_TRUE(waitUntil([&] { return found.text().startsWith("Jobs cannot"); }));
}

// Its gantry answers when it may: what comes before it is to be read meanwhile.
TEST_F(HostsWindowTest, FindingsAppearOneByOneAndTheCheckCanBeCancelled) {
    const std::filesystem::path go = m_folder / "go";
    writeFileAtomically(m_folder / "gantry", "#!/bin/sh\nwhile [ ! -e '" + go.string() +
                                                 "' ]; do sleep 0.1; done\n"
                                                 "exec '" GANTRY_PROGRAM "' \"$@\"\n");
    std::filesystem::permissions(m_folder / "gantry", std::filesystem::perms::owner_all);
    type("host.start.program", toText(m_folder / "gantry"));
    const auto found = [&] { return m_window->findChildren<QLabel*>("finding").size(); };
    auto& state = the<QLabel>("checkState");
    for (const bool isCancelled : {true, false}) {
        click("checkHost");
        ASSERT_TRUE(waitUntil([&] { return found() == 3; }));
        EXPECT_TRUE(state.text().startsWith("Asking"));
        EXPECT_EQ(the<QPushButton>("checkHost").text(), "Cancel");
        if (!isCancelled) break;
        click("checkHost");
        EXPECT_TRUE(state.text().contains("cancelled"));
        EXPECT_EQ(found(), 3);
    }
    writeFileAtomically(go, "");
    ASSERT_TRUE(waitUntil([&] { return state.text().startsWith("Everything"); }))
        << state.text().toStdString();
    EXPECT_EQ(found(), 7);
}

using PicturesOfHosts = HostsWindowTest;

TEST_F(PicturesOfHosts, LookAsBefore) {
    Host cluster = m_host.host("cluster");
    cluster.address = "me@login.example.org";
    cluster.scheduler = Scheduler::slurm;
    cluster.scratch = "/scratch/me";
    cluster.program = "/opt/gantry/bin/gantry";
    writeFileAtomically(m_folder / "cluster.json", toJson(cluster));
    m_window->openFile(toText(m_folder / "cluster.json"));
    ASSERT_TRUE(waitUntil([&] { return m_plan.find("cluster") != nullptr; }));
    test::comparePictures(*m_window, "hosts");
}

}  // namespace
}  // namespace gantry
