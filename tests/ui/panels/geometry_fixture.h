#pragma once

#include <gtest/gtest.h>

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <stdexcept>

#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"
#include "ui/panels/geometry/geometry_panel.h"
#include "ui/panels/shared/scan_field_editor.h"
#include "ui/workspace/workspace.h"

namespace gantry::test {

/// The panel over a real scan of 24 × 16 pixels, 600 and 1200 mm.
class GeometryPanelTest : public testing::Test {
  protected:
    void open(const SimulationSpec& spec = smallScan()) {
        show(m_panel, {340, 900});
        m_scan.open(toText(makeScan(m_folder / "scan", spec)));
        ASSERT_TRUE(waitUntil([this] { return m_scan.hasScan() && m_scan.inspection(); }));
    }
    [[nodiscard]] ScanFieldEditor& editor(const QString& name) {
        auto* found = m_panel.findChild<ScanFieldEditor*>(name);
        if (!found) throw std::runtime_error("no field " + name.toStdString());
        return *found;
    }
    [[nodiscard]] QLineEdit& edit(const QString& name) {
        return *editor(name).findChild<QLineEdit*>();
    }
    void type(const QString& name, const QString& text) {
        m_panel.focusField(name);
        edit(name).selectAll();
        QTest::keyClicks(&edit(name), text);
    }
    void enter(const QString& name, const QString& text) {
        type(name, text);
        QTest::keyClick(&edit(name), Qt::Key_Return);
    }
    [[nodiscard]] QString derived(const QString& name) {
        return m_panel.findChild<QLabel*>(name)->text();
    }
    /// Does what a click on the button that opens the menu and one on the entry do.
    void choose(const char* menu, const QString& text) {
        for (QAction* action : m_panel.findChild<QMenu*>(menu)->actions())
            if (action->text() == text) return action->trigger();
        FAIL() << "no entry " << text.toStdString();
    }

    TemporaryFolder m_folder;
    test::FakeMachine m_machine;
    Workspace m_workspace{m_machine.machine(), m_machine.program()};
    ScanDocument& m_scan = m_workspace.scan();
    GeometryPanel m_panel{m_workspace};
};

}  // namespace gantry::test
