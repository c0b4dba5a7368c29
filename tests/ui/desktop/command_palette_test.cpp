#include "ui/desktop/window/command_palette.h"

#include <gtest/gtest.h>

#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QStringList>
#include <QToolButton>

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

TEST_F(CommandPaletteTest, WhatOtherProgramsCallItIsFound) {
    for (const auto& [word, name] : {std::pair("stl", "Volume: Save surface"),
                                     {"ruler", "Slices: Distance"},
                                     {"screenshot", "Volume: Save picture"},
                                     {"screenshot", "Slices: Save the slice"}}) {
        search(word);
        EXPECT_TRUE(found().contains(name)) << word << ": " << found().join("; ").toStdString();
        QTest::keyClick(m_line, Qt::Key_Escape);
        test::pass(20);
    }
}

TEST_F(CommandPaletteTest, WhenNothingMatchesItSaysSo) {
    search("xyzzy");
    ASSERT_EQ(found().size(), 1);
    EXPECT_TRUE(found().front().contains("“xyzzy”")) << found().front().toStdString();
    test::screenshots(m_desk.part<CommandPalette>("commandPalette"), "nothing-found");
    QTest::keyClick(m_line, Qt::Key_Return);  // which does nothing
    EXPECT_TRUE(m_desk.part<CommandPalette>("commandPalette").isVisible());
}

TEST_F(CommandPaletteTest, AToolOfAnotherTabIsShownAndUsed) {
    const JobSpec spec = test::jobOf(m_desk.workspace().scan().request().job.scan, 16,
                                     m_desk.folder() / "volume.mha");
    (void)test::run(spec);
    m_desk.drop(spec.output.path);
    ASSERT_TRUE(test::waitUntil([&] { return m_desk.workspace().volume().volume() != nullptr; }));
    m_desk.window().showTab(MainWindow::Tab::projections);
    search("ruler");
    QTest::keyClick(m_line, Qt::Key_Return);
    auto& ruler = m_desk.part<QToolButton>("measure-distance");
    EXPECT_TRUE(test::waitUntil([&] { return ruler.isVisible() && ruler.isChecked(); }));
    search("stl");
    while (!m_desk.part<CommandPalette>("commandPalette")
                .findChild<QListWidget*>()
                ->currentItem()
                ->text()
                .startsWith("Volume: Save surface"))
        QTest::keyClick(m_line, Qt::Key_Down);
    QTest::keyClick(m_line, Qt::Key_Return);
    EXPECT_TRUE(test::waitUntil([&] { return m_desk.part<QWidget>("saveSurface").isVisible(); }));
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
