#include "ui/panels/reconstruction/reconstruction_host.h"

#include <gtest/gtest.h>

#include <QPlainTextEdit>

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
        choose("engine", "Cluster abc");
        ASSERT_TRUE(waitUntil([&] { return m_workspace->hosts().order().has_value(); }));
    }

    test::OwnHost m_host;
};

TEST_F(ReconstructionHostTest, HostsAreBesideTheEnginesAndHaveFieldsOfTheirOwn) {
    EXPECT_FALSE(the<QComboBox>("hostNodes").isVisible());
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
    choose("engine", "CPU");
    EXPECT_FALSE(the<QComboBox>("hostNodes").isVisible());
    EXPECT_TRUE(waitForForecast());
    EXPECT_EQ(job().engine, Engine::cpu);
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
    EXPECT_TRUE(m_workspace->hosts().wishes().script.isEmpty());
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
    EXPECT_TRUE(m_workspace->hosts().wishes().script.endsWith("echo mine\n"));
    EXPECT_TRUE(sentence("scriptNote").contains("edited by hand"));
}

}  // namespace
}  // namespace gantry
