#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QListWidget>
#include <QRegularExpression>
#include <QTextBrowser>

#include "tests/ui/support/ui_test.h"
#include "ui/desktop/help/help_window.h"

namespace gantry {
namespace {

QString textOf(const QString& page) {
    QFile file(":/help/" + page);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << page.toStdString();
    return QString::fromUtf8(file.readAll());
}

TEST(Help, EveryLinkAndPictureOfTheManualIsThere) {
    const QStringList pages = QDir(":/help").entryList({"*.md"});
    EXPECT_GE(pages.size(), 12);
    static const QRegularExpression kLink("\\]\\(([^)#]+)[^)]*\\)");
    static const QRegularExpression kCode("```.*?```",
                                          QRegularExpression::DotMatchesEverythingOption);
    for (const QString& page : pages) {
        auto links = kLink.globalMatch(textOf(page).remove(kCode));
        while (links.hasNext()) {
            const QString target = links.next().captured(1);
            // What leads out of the manual is for those who read it in the source tree.
            if (target.startsWith("http") || target.startsWith("../")) continue;
            EXPECT_TRUE(QFile::exists(":/help/" + target))
                << page.toStdString() << " links " << target.toStdString();
        }
    }
}

TEST(Help, EveryPageIsShownByTheListAndByItsName) {
    HelpWindow help;
    test::show(help, {900, 700});
    auto* text = help.findChild<QTextBrowser*>("helpText");
    auto* list = help.findChild<QListWidget*>("helpContents");
    for (int i = list->count() - 1; i >= 0; --i) {
        list->setCurrentRow(i);
        const QString title = list->item(i)->text();
        EXPECT_TRUE(text->toPlainText().startsWith(title)) << title.toStdString();
        const QString page = help.currentPage();
        help.showPage("desktop-keys.md");
        help.showPage(page);
        EXPECT_TRUE(text->toPlainText().startsWith(title)) << title.toStdString();
        EXPECT_EQ(list->currentRow(), i);
    }
}

TEST(Help, APageThatIsNotThereShowsTheFirst) {
    HelpWindow help;
    help.showPage("none.md");
    EXPECT_EQ(help.currentPage(), "desktop.md");
    help.showPage("desktop-keys.md");
    EXPECT_EQ(help.currentPage(), "desktop-keys.md");
}

}  // namespace
}  // namespace gantry
