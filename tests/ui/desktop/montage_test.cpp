// The window that compares values, as it is opened from the desktop.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTest>

#include "tests/ui/desktop/desk.h"
#include "tests/ui/support/ui_test.h"
#include "ui/desktop/window/command_palette.h"
#include "ui/panels/montage/montage_window.h"
#include "ui/panels/shared/corrections_editor.h"

namespace gantry {
namespace {

using test::waitUntil;

class MontageDeskTest : public testing::Test {
  protected:
    void search(const char* words) {
        QTest::keyClick(&m_desk.window(), Qt::Key_K, Qt::ControlModifier);
        auto& palette = m_desk.part<CommandPalette>("commandPalette");
        auto* line = palette.findChild<QLineEdit*>();
        QTest::keyClicks(line, words);
        auto* list = palette.findChild<QListWidget*>();
        QStringList names;
        for (int row = 0; row < list->count(); ++row)
            names << list->item(row)->text();
        const auto at = names.indexOf("Compare values…");
        ASSERT_GE(at, 0) << words << ": " << names.join("; ").toStdString();
        for (qsizetype i = 0; i < at; ++i)
            QTest::keyClick(line, Qt::Key_Down);
        QTest::keyClick(line, Qt::Key_Return);
        ASSERT_TRUE(waitUntil([&] { return montage() && montage()->isVisible(); })) << words;
    }
    [[nodiscard]] MontageWindow* montage() { return m_desk.window().findChild<MontageWindow*>(); }
    [[nodiscard]] QString parameter() {
        return montage()->findChild<QComboBox*>("montageParameter")->currentText();
    }
    [[nodiscard]] QString place() {
        return montage()->findChild<QWidget*>("montageAt")->findChild<QLineEdit*>()->text();
    }

    test::Desk m_desk;
};

TEST_F(MontageDeskTest, ThePaletteFindsItByWhatOthersCallIt) {
    for (const char* words : {"montage", "parameter sweep", "try values", "compare val"}) {
        search(words);
        QTest::keyClick(montage(), Qt::Key_Escape);
        ASSERT_TRUE(waitUntil([&] { return !montage()->isVisible(); }));
        test::pass(20);  // the palette goes
    }
    search("montage");
    QTest::mouseClick(montage()->findChild<QPushButton*>("makeMontage"), Qt::LeftButton);
    EXPECT_TRUE(montage()->findChild<QLabel*>("montageState")->text().startsWith("Open a scan"));
}

TEST_F(MontageDeskTest, CorrectionsAndLiveSlicesOpenIt) {
    m_desk.openScan(m_desk.makeScan());
    auto& ofCorrections = m_desk.part<QPushButton>("compareCorrections");
    ofCorrections.click();
    ASSERT_TRUE(waitUntil([&] { return montage()->isVisible(); }));
    EXPECT_EQ(parameter(), "Corrections: Rings");
    montage()->close();

    m_desk.window().showTab(MainWindow::Tab::live);
    QTest::mouseClick(&m_desk.part<QPushButton>("startLive"), Qt::LeftButton);
    auto& ofLive = m_desk.part<QPushButton>("compareLive");
    ASSERT_TRUE(waitUntil([&] { return ofLive.isVisible(); }));
    QTest::mouseClick(&ofLive, Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return montage()->isVisible(); }));
    EXPECT_EQ(parameter(), "Alignment: Centre of rotation (px)") << "none was chosen before";
    EXPECT_TRUE(place().startsWith('0')) << place().toStdString();
}

}  // namespace
}  // namespace gantry
