#include "ui/panels/shared/host_browser.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "core/base/file.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/own_host.h"
#include "ui/models/text.h"

namespace gantry {
namespace {

using test::waitUntil;

class HostBrowserTest : public testing::Test {
  protected:
    void SetUp() override {
        QSettings().clear();
        std::filesystem::create_directories(m_folder / "it's $(touch no)/two  words ");
        std::filesystem::create_directories(m_folder / "a\nb");
        std::filesystem::create_directories(m_folder / "\xff odd");
        writeFileAtomically(m_folder / "it's $(touch no)/größer.json", "{}");
        writeFileAtomically(m_folder / "plain.json", "{}");
        open(m_folder / "scan.json");
    }
    void TearDown() override { delete m_browser; }

    void open(const std::filesystem::path& start) {
        delete m_browser;
        m_browser = new HostBrowser({m_host.host("here")}, toText(start));
        test::show(*m_browser, {});
        m_chosen = std::make_unique<QSignalSpy>(m_browser, &HostBrowser::chosen);
        ASSERT_TRUE(comesTo(toText(m_folder.path())));
    }
    template <class T>
    [[nodiscard]] T& the(const char* name) {
        return *m_browser->findChild<T*>(name);
    }
    [[nodiscard]] QListWidget& list() { return the<QListWidget>("browsedList"); }
    [[nodiscard]] bool comesTo(const QString& place) {
        return waitUntil([&] { return the<QLineEdit>("browsedPlace").text() == place; });
    }
    [[nodiscard]] QStringList names() {
        QStringList names;
        for (int row = 0; row < list().count(); ++row)
            names << list().item(row)->text();
        return names;
    }
    // By a double click, as the mouse does it.
    void enter(int row) {
        const QPoint at = list().visualItemRect(list().item(row)).center();
        QTest::mouseClick(list().viewport(), Qt::LeftButton, {}, at);
        QTest::mouseDClick(list().viewport(), Qt::LeftButton, {}, at);
    }
    void press(QDialogButtonBox::StandardButton button) {
        QTest::mouseClick(m_browser->findChild<QDialogButtonBox*>()->button(button),
                          Qt::LeftButton);
    }
    void type(const QString& place) {
        auto& line = the<QLineEdit>("browsedPlace");
        line.setFocus();
        line.selectAll();
        QTest::keyClicks(&line, place);
        QTest::keyClick(&line, Qt::Key_Return);
    }

    test::OwnHost m_host;
    test::TemporaryFolder m_folder;
    QPointer<HostBrowser> m_browser;
    std::unique_ptr<QSignalSpy> m_chosen;
};

TEST_F(HostBrowserTest, FoldersAreEnteredAndAScansFileIsChosen) {
    const QString top = toText(m_folder.path());
    EXPECT_EQ(names().first(2),
              (QStringList{QString("a") + QChar(0x21B5) + "b", "it's $(touch no)"}));
    enter(1);
    ASSERT_TRUE(comesTo(top + "/it's $(touch no)"));
    EXPECT_EQ(names(), (QStringList{"two  words ", "größer.json"}));
    enter(0);
    ASSERT_TRUE(comesTo(top + "/it's $(touch no)/two  words "));
    EXPECT_TRUE(the<QLabel>("browsedState").text().contains("no folders and no scans"));
    QTest::mouseClick(&the<QToolButton>("browseUp"), Qt::LeftButton);
    ASSERT_TRUE(comesTo(top + "/it's $(touch no)"));
    enter(1);
    ASSERT_EQ(m_chosen->size(), 1);
    EXPECT_EQ(m_chosen->first().first().toString(), top + "/it's $(touch no)/größer.json");
    EXPECT_FALSE(pathExists(m_folder / "no"));
}

TEST_F(HostBrowserTest, EnterOpensAFolderAndTakesNothing) {
    list().setFocus();
    list().setCurrentRow(1);
    QTest::keyClick(&list(), Qt::Key_Return);
    ASSERT_TRUE(comesTo(toText(m_folder.path()) + "/it's $(touch no)"));
    EXPECT_EQ(m_chosen->size(), 0);
    list().setCurrentRow(1);
    QTest::keyClick(&list(), Qt::Key_Return);
    EXPECT_EQ(m_chosen->size(), 1);
}

TEST_F(HostBrowserTest, AnotherHostIsChosen) {
    delete m_browser;
    m_browser = new HostBrowser({m_host.host("here"), m_host.host("beside")}, {});
    test::show(*m_browser, {});
    QSignalSpy chosen(m_browser, &HostBrowser::chosen);
    auto& box = the<QComboBox>("browsedHost");
    box.setFocus();
    QTest::keyClick(&box, Qt::Key_Down);
    EXPECT_EQ(m_browser->windowTitle(), "Folders of beside");
    type(toText(m_folder / "it's $(touch no)"));
    ASSERT_TRUE(waitUntil([&] { return list().count() == 2; }));
    list().setCurrentRow(1);
    press(QDialogButtonBox::Ok);
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen.first()[1].value<Host>().name, "beside");
}

TEST_F(HostBrowserTest, AFolderStandsForItsScan) {
    list().setCurrentRow(0);
    press(QDialogButtonBox::Ok);
    ASSERT_EQ(m_chosen->size(), 1);
    EXPECT_EQ(m_chosen->first().first().toString(), toText(m_folder.path()) + "/a\nb/scan.json");
}

TEST_F(HostBrowserTest, NamesThatAreNoTextAreEnteredButNotTaken) {
    enter(2);
    ASSERT_TRUE(waitUntil([&] { return list().count() == 0; }));
    press(QDialogButtonBox::Ok);
    EXPECT_EQ(m_chosen->size(), 0);
    EXPECT_TRUE(the<QLabel>("browsedState").text().contains("not in UTF-8"));
}

TEST_F(HostBrowserTest, APlaceIsTypedAndWhatIsWrongWithItIsSaid) {
    const QString top = toText(m_folder.path());
    const auto says = [&](const char* text) {
        return waitUntil([&] { return the<QLabel>("browsedState").text().contains(text); });
    };
    type(top + "/nowhere");
    EXPECT_TRUE(says("has no folder"));
    type("nowhere");
    EXPECT_TRUE(says("must begin with /"));
    type(top + "/plain.json");
    EXPECT_TRUE(says("is a file"));
    // What was there before stays to be chosen from.
    EXPECT_EQ(list().count(), 4);
    type(top + "/it's $(touch no)");
    ASSERT_TRUE(waitUntil([&] { return list().count() == 2; }));
    press(QDialogButtonBox::Cancel);
    EXPECT_EQ(m_chosen->size(), 0);
}

}  // namespace
}  // namespace gantry
