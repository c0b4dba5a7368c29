#include "ui/panels/reconstruction/reconstruction_host.h"

#include <gtest/gtest.h>

#include <QPlainTextEdit>
#include <QSignalSpy>

#include "tests/ui/panels/reconstruction_fixture.h"
#include "tests/ui/workspace/own_host.h"

namespace gantry {
namespace {

using test::waitUntil;

class ReconstructionHostTest : public test::ReconstructionPanelTest {
  protected:
    void SetUp() override {
        Host cluster = m_host.host("abc");
        cluster.address = "nowhere.example.org";
        cluster.scheduler = Scheduler::slurm;
        cluster.maxNodes = 4;
        cluster.ranksPerNode = 2;
        cluster.timeMinutes = 90;
        cluster.cluster = "abci";
        addHost(cluster);
        test::ReconstructionPanelTest::SetUp();
        open();
        ASSERT_TRUE(waitUntil([&] { return m_workspace->hosts().known().size() == 2; }));
    }
    void chooseHost() {
        choose("runOn", "Cluster abc");
        ASSERT_TRUE(waitUntil([&] { return m_workspace->hosts().order().has_value(); }));
    }

    [[nodiscard]] QStringList entriesOf(const QString& box) {
        QStringList entries;
        const auto& list = the<QComboBox>(box);
        for (int i = 0; i < list.count(); ++i)
            if (!list.itemText(i).isEmpty()) entries << list.itemText(i);
        return entries;
    }

    test::OwnHost m_host;
};

TEST_F(ReconstructionHostTest, WhereAJobRunsHasARowOfItsOwn) {
    EXPECT_EQ(entriesOf("engine"), (QStringList{"Automatic", "CPU", "GPU"}));
    EXPECT_EQ(entriesOf("runOn"),
              (QStringList{"This computer", "Cluster abc", "here", "Add a host…"}));
    auto& runOn = the<QComboBox>("runOn");
    EXPECT_EQ(runOn.currentText(), "This computer");
    const QSignalSpy wanted(m_panel.get(), &ReconstructionPanel::hostsWanted);
    runOn.setFocus();
    QTest::keyClick(&runOn, Qt::Key_End);
    EXPECT_EQ(wanted.count(), 1);
    EXPECT_EQ(runOn.currentText(), "This computer");
    EXPECT_TRUE(m_workspace->hosts().chosen().isEmpty());
    QTest::keyClick(&runOn, Qt::Key_Down);
    EXPECT_EQ(m_workspace->hosts().chosen(), "abc");
    EXPECT_FALSE(the<QComboBox>("engine").isVisible());
    test::screenshots(*m_panel, "reconstruction-host");
    // A host that is added elsewhere is in the list, and the choice is kept.
    Host other = m_host.host("zed");
    addHost(other);
    m_workspace->hosts().reload();
    EXPECT_TRUE(waitUntil([&] { return entriesOf("runOn").contains("zed"); }));
    EXPECT_EQ(runOn.currentText(), "Cluster abc");
    EXPECT_EQ(scan().undoStack().count(), 0);
}

TEST_F(ReconstructionHostTest, HostsHaveFieldsOfTheirOwn) {
    EXPECT_FALSE(the<QComboBox>("hostNodes").isVisible());
    choose("engine", "CPU");
    chooseHost();
    EXPECT_TRUE(the<QComboBox>("hostNodes").isVisible());
    EXPECT_FALSE(the<QComboBox>("threads").isVisible());
    EXPECT_TRUE(sentence("forecastTotal").startsWith("abc: "));
    EXPECT_TRUE(sentence("forecastEngine").startsWith("Predicted to take"));
    choose("hostNodes", "4");
    ASSERT_TRUE(waitUntil([&] { return sentence("forecastTotal").contains("4 nodes, 8 proc"); }))
        << sentence("forecastTotal").toStdString();
    choose("hostLimit", "30 min");
    ASSERT_TRUE(waitUntil([&] { return sentence("forecastTotal").contains("at most 30 min"); }));
    EXPECT_TRUE(button().isEnabled());
    // What this computer would use is not asked of the host, and is kept.
    EXPECT_EQ(HostPlan::specFor(job(), *m_workspace->hosts().order()).engine, Engine::automatic);
    choose("runOn", "This computer");
    EXPECT_FALSE(the<QComboBox>("hostNodes").isVisible());
    EXPECT_TRUE(waitForForecast());
    EXPECT_EQ(job().engine, Engine::cpu);
    EXPECT_EQ(the<QComboBox>("engine").currentText(), "CPU");
}

TEST_F(ReconstructionHostTest, WhatKeepsAJobFromAHostIsSaid) {
    chooseHost();
    choose("hostData", "Host sees the same files");
    ASSERT_TRUE(waitUntil([&] { return sentence("forecastRefusal").contains("pathMap"); }));
    EXPECT_FALSE(button().isEnabled());
    choose("hostData", "Are there already");
    ASSERT_TRUE(waitUntil([&] { return sentence("forecastRefusal").contains("where the scan"); }));
    type("hostPlace", "/data/scan.json");
    ASSERT_TRUE(waitUntil([&] { return button().isEnabled(); }));
}

TEST_F(ReconstructionHostTest, TheScriptIsShownAndMayBeEdited) {
    chooseHost();
    QTest::mouseClick(&the<QPushButton>("showScript"), Qt::LeftButton);
    auto& text = the<QPlainTextEdit>("scriptText");
    EXPECT_TRUE(text.toPlainText().startsWith("#!/bin/sh\n#SBATCH "));
    text.setFocus();
    QTest::keyClick(&text, Qt::Key_End, Qt::ControlModifier);
    QTest::keyClicks(&text, "echo mine");
    QTest::keyClick(&text, Qt::Key_Escape);
    EXPECT_TRUE(m_workspace->hosts().wishes().script.empty());
    test::pass(50);
    QTest::mouseClick(&the<QPushButton>("showScript"), Qt::LeftButton);
    auto& again = the<QPlainTextEdit>("scriptText");
    again.setFocus();
    QTest::keyClick(&again, Qt::Key_End, Qt::ControlModifier);
    QTest::keyClicks(&again, "echo mine");
    QTest::mouseClick(
        m_panel->findChild<QWidget*>("scriptWindow")->findChild<QPushButton*>("scriptOk"),
        Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return m_workspace->hosts().order().has_value(); }));
    EXPECT_TRUE(m_workspace->hosts().wishes().script.ends_with("echo mine\n"));
    EXPECT_TRUE(sentence("scriptNote").contains("edited by hand"));
}

}  // namespace
}  // namespace gantry
