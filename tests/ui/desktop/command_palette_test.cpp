#include "ui/desktop/window/command_palette.h"

#include <gtest/gtest.h>

#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QStringList>

#include "tests/ui/desktop/desk.h"

namespace gantry {
namespace {

using test::Desk;

class CommandPaletteTest : public testing::Test {
  protected:
    CommandPaletteTest() { m_desk.openScan(m_desk.makeScan()); }

    void search(const QString& text) {
        QTest::keyClick(&m_desk.window(), Qt::Key_K, Qt::ControlModifier);
        m_line = m_desk.part<CommandPalette>("commandPalette").findChild<QLineEdit*>();
        QTest::keyClicks(m_line, text);
    }
    [[nodiscard]] QStringList found() {
        const auto* list = m_desk.part<CommandPalette>("commandPalette").findChild<QListWidget*>();
        QStringList names;
        for (int row = 0; row < list->count(); ++row)
            names << list->item(row)->text();
        return names;
    }
    // The name that the field with the focus goes by.
    static std::string focused() {
        return QApplication::focusWidget()->accessibleName().toStdString();
    }

    Desk m_desk{QSize(1280, 800)};
    QLineEdit* m_line = nullptr;
};

TEST_F(CommandPaletteTest, AFieldIsFoundByItsLabelAndGone) {
    search("roll");
    EXPECT_TRUE(found().contains("Geometry: Roll")) << found().join("; ").toStdString();
    test::screenshots(m_desk.part<CommandPalette>("commandPalette"), "fields");
    while (!found().first().startsWith("Geometry: Roll"))
        QTest::keyClick(m_line, Qt::Key_Down);
    QTest::keyClick(m_line, Qt::Key_Return);
    EXPECT_EQ(focused(), "Roll, °");
    test::pass(50);
    EXPECT_FALSE(QApplication::focusWidget()->visibleRegion().isEmpty());
}

TEST_F(CommandPaletteTest, AFieldOfAHiddenPanelIsShown) {
    auto& dock = m_desk.part<QDockWidget>("reconstructionDock");
    dock.hide();
    search("folder");
    while (!m_desk.part<CommandPalette>("commandPalette")
                .findChild<QListWidget*>()
                ->currentItem()
                ->text()
                .startsWith("Reconstruction"))
        QTest::keyClick(m_line, Qt::Key_Down);
    QTest::keyClick(m_line, Qt::Key_Return);
    EXPECT_TRUE(dock.isVisible());
    EXPECT_EQ(QApplication::focusWidget()->objectName().toStdString(), "outputFolder");
}

TEST_F(CommandPaletteTest, EveryFieldOfTheFormsHasAName) {
    search(":");
    const QStringList names = found();
    for (const char* name :
         {"Geometry: Source–detector", "Reconstruction: Cut-off", "Reconstruction: Engine",
          "Reconstruction: Format", "Reconstruction: Voxels, x", "Reconstruction: Only a region"})
        EXPECT_TRUE(std::any_of(names.begin(), names.end(),
                                [&](const QString& each) { return each.startsWith(name); }))
            << name << " is not in: " << names.join("; ").toStdString();
}

}  // namespace
}  // namespace gantry
