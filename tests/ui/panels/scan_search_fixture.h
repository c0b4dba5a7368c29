#pragma once

#include <gtest/gtest.h>

#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"
#include "ui/panels/geometry/geometry_panel.h"
#include "ui/workspace/workspace.h"

namespace gantry::test {

/// The geometry's panel over a scan, and the window that one of its buttons opens, which searches
/// the scan for something.
template <class Window>
class ScanSearchTest : public testing::Test {
  protected:
    /// Names of the panel's button, where one opens the window, and of the window's sentence.
    ScanSearchTest(const char* opener, const char* state) : m_opener(opener), m_state(state) {}

    void openScan(const SimulationSpec& spec) {
        m_scan.open(toText(makeScan(m_folder / "scan", spec)));
        ASSERT_TRUE(waitUntil([this] { return m_scan.openScan() && m_scan.inspection(); }));
        show(m_panel, {340, 900});
    }
    /// Opens it as a user does; it searches at least until events are handled.
    void openWindow() {
        QTest::mouseClick(&opener(), Qt::LeftButton);
        m_window = m_panel.findChild<Window*>();
        ASSERT_TRUE(m_window);
        ASSERT_TRUE(m_window->isVisible());
    }
    void search() {
        openWindow();
        waitForResult();
    }
    void waitForResult() {
        ASSERT_TRUE(waitUntil([this] { return !isSearching(); }, 120));
    }
    void click(const char* name) {
        ASSERT_TRUE(button(name).isEnabled()) << name;
        QTest::mouseClick(&button(name), Qt::LeftButton);
    }
    void setDistance(double mm) {
        m_scan.editJob([mm](JobSpec& job) { job.scan.geometry.cone().sourceToDetectorMm = mm; },
                       "Change SDD");
    }
    void expectNothingIsCutOff() {
        for (QLabel* label : m_window->template findChildren<QLabel*>()) {
            if (!label->isVisible() || label->text().isEmpty()) continue;
            const int height = label->wordWrap() ? label->heightForWidth(label->width())
                                                 : label->sizeHint().height();
            EXPECT_GE(label->height(), height) << label->text().toStdString();
        }
    }
    [[nodiscard]] QToolButton& opener() { return *m_panel.findChild<QToolButton*>(m_opener); }
    [[nodiscard]] QPushButton& button(const char* name) {
        return *m_window->template findChild<QPushButton*>(name);
    }
    [[nodiscard]] QString state() { return m_window->template findChild<QLabel*>(m_state)->text(); }
    [[nodiscard]] bool isSearching() { return button("cancelSearch").isVisible(); }

    TemporaryFolder m_folder;
    test::FakeMachine m_machine;
    Workspace m_workspace{m_machine.machine(), m_machine.program()};
    ScanDocument& m_scan = m_workspace.scan();
    GeometryPanel m_panel{m_workspace};
    QPointer<Window> m_window;

  private:
    const char* m_opener;
    const char* m_state;
};

}  // namespace gantry::test
