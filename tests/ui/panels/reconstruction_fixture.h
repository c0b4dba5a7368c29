#pragma once

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTest>

#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"
#include "ui/panels/reconstruction/reconstruction_panel.h"
#include "ui/panels/reconstruction/reconstruction_stage_bar.h"
#include "ui/workspace/workspace.h"

namespace gantry::test {

/// A reconstruction panel on a workspace of its own, and what an operator does with it.
class ReconstructionPanelTest : public testing::Test {
  protected:
    void SetUp() override {
        QSettings().clear();
        makePanel();
    }
    // With the machine as it is now.
    void makePanel() {
        m_panel.reset();
        m_workspace = std::make_unique<Workspace>(m_machine.machine(), m_machine.program());
        m_panel = std::make_unique<ReconstructionPanel>(*m_workspace);
        show(*m_panel, {320, 900});
    }

    void open(const SimulationSpec& spec = smallScan()) {
        scan().open(toText(makeScan(m_folder / "scan", spec)));
        ASSERT_TRUE(waitUntil([&] { return scan().openScan() != nullptr; }));
    }
    [[nodiscard]] bool waitForForecast() {
        return waitUntil([&] { return bar().isVisible(); });
    }

    [[nodiscard]] ScanDocument& scan() { return m_workspace->scan(); }
    [[nodiscard]] const JobSpec& job() { return scan().request().job; }
    template <class Widget>
    [[nodiscard]] Widget& the(const QString& name) {
        auto* found = m_panel->findChild<Widget*>(name);
        EXPECT_NE(found, nullptr) << name.toStdString();
        return *found;
    }
    [[nodiscard]] ReconstructionStageBar& bar() {
        return the<ReconstructionStageBar>("forecastBar");
    }
    [[nodiscard]] QPushButton& button() { return the<QPushButton>("reconstruct"); }
    [[nodiscard]] QString sentence(const char* name) { return the<QLabel>(name).text(); }

    void type(const QString& field, const QString& text, bool isEntered = true) {
        auto* edit = the<QWidget>(field).findChild<QLineEdit*>();
        if (!edit) edit = &the<QLineEdit>(field);
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, text);
        if (isEntered) QTest::keyClick(edit, Qt::Key_Return);
    }
    void choose(const QString& box, const QString& text) {
        auto& combo = the<QComboBox>(box);
        combo.setFocus();
        combo.setCurrentText(text);
        // A click on the entry does the same.
        emit combo.activated(combo.currentIndex());
    }
    void tick(const QString& name) {
        auto& box = the<QCheckBox>(name);
        QTest::mouseClick(&box, Qt::LeftButton, {}, QPoint(8, box.height() / 2));
    }

    TemporaryFolder m_folder;
    FakeMachine m_machine;
    std::unique_ptr<Workspace> m_workspace;
    std::unique_ptr<ReconstructionPanel> m_panel;
};

}  // namespace gantry::test
