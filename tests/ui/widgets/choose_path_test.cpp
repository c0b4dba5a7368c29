#include "ui/widgets/fields/choose_path.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QLineEdit>
#include <QMessageBox>
#include <QSignalSpy>
#include <QTest>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "ui/widgets/fields/spared_files.h"

namespace gantry {
namespace {

class SaveDialogTest : public testing::Test {
  protected:
    SaveDialogTest() { test::show(m_dialog, {640, 420}); }

    // What is saved to after a name is typed and entered, without the folder.
    std::string enter(const QString& name) {
        auto* edit = m_dialog.findChild<QLineEdit*>("fileNameEdit");
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, name);
        QTest::keyClick(edit, Qt::Key_Return);
        return m_chosen.isEmpty()
                   ? std::string()
                   : QFileInfo(m_chosen.last().first().toString()).fileName().toStdString();
    }

    test::TemporaryFolder m_folder;
    SaveDialog m_dialog{nullptr,
                        "Export geometry",
                        QString::fromStdString((m_folder / "geometry").string()),
                        {{"RTK geometry", {"xml"}}, {"ASTRA vectors", {"txt", "vec"}}}};
    QSignalSpy m_chosen{&m_dialog, &QFileDialog::fileSelected};
};

TEST_F(SaveDialogTest, AddsTheEndingOfTheFormatThatIsChosen) {
    EXPECT_EQ(enter("tooth"), "tooth.xml");
    m_dialog.show();
    m_dialog.selectNameFilter(m_dialog.nameFilters().at(1));
    EXPECT_EQ(enter("tooth 0.5mm"), "tooth 0.5mm.txt");
}

TEST_F(SaveDialogTest, LeavesAnEndingOfAnyFormatAsItIs) {
    EXPECT_EQ(enter("tooth.VEC"), "tooth.VEC");
}

TEST_F(SaveDialogTest, AsksBeforeTheFileWithTheEndingIsReplaced) {
    QFile file(QString::fromStdString((m_folder / "tooth.xml").string()));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    bool isAsked = false;
    QTimer::singleShot(300, &m_dialog, [&] {
        auto* box = m_dialog.findChild<QMessageBox*>();
        isAsked = box != nullptr;
        if (box) box->reject();
    });
    EXPECT_EQ(enter("tooth"), "");
    EXPECT_TRUE(isAsked);
}

TEST(SaveDialogOfAWindow, RefusesWhatTheWindowHasOpenButItsOwnFile) {
    const test::TemporaryFolder folder;
    QWidget window;
    new SparedFiles(window, [&](const std::filesystem::path& output) {
        if (output.filename() != "free.xml") throw InputError("It is read as a view.");
    });
    auto* inside = new QWidget(&window);
    SaveDialog dialog(inside, "Export", QString::fromStdString((folder / "view.xml").string()),
                      {{"RTK geometry", {"xml"}}});
    test::show(dialog, {640, 420});
    const QSignalSpy chosen(&dialog, &QFileDialog::fileSelected);
    auto* edit = dialog.findChild<QLineEdit*>("fileNameEdit");
    const auto enter = [&](const QString& name) {
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, name);
        QTest::keyClick(edit, Qt::Key_Return);
    };
    enter("view");
    EXPECT_TRUE(chosen.isEmpty());
    EXPECT_TRUE(dialog.isVisible());
    auto* box = dialog.findChild<QMessageBox*>("sparedFileBox");
    ASSERT_NE(box, nullptr);
    EXPECT_EQ(box->text().toStdString(), "It is read as a view.");
    QTest::keyClick(box, Qt::Key_Return);
    enter("free");
    EXPECT_EQ(chosen.size(), 1);
    dialog.setOwn(QString::fromStdString((folder / "view.xml").string()));
    dialog.show();
    enter("view");
    EXPECT_EQ(chosen.size(), 2);
}

}  // namespace
}  // namespace gantry
