#include "ui/desktop/help_window.h"

#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QListWidget>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "ui/widgets/theme.h"

namespace gantry {

namespace {

constexpr const char* kFirstPage = "desktop.md";

// The first heading of a page.
QString titleOf(const QString& page) {
    QFile file(":/help/" + page);
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text)) return page;
    const QString line = QString::fromUtf8(file.readLine()).trimmed();
    return line.startsWith("# ") ? line.mid(2) : page;
}

// The first page, the other pages of the desktop, the rest.
QStringList pages() {
    QStringList desktop = {kFirstPage};
    QStringList others;
    for (const QString& page : QDir(":/help").entryList({"*.md"}, QDir::Files, QDir::Name))
        if (page != kFirstPage) (page.startsWith("desktop") ? desktop : others).append(page);
    return desktop + others;
}

}  // namespace

HelpWindow::HelpWindow(QWidget* parent) : QWidget(parent, Qt::Window) {
    setObjectName("help");
    setWindowTitle(tr("Gantry manual"));
    resize(980, 720);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* splitter = new QSplitter;
    layout->addWidget(splitter);
    m_contents = new QListWidget;
    m_contents->setAccessibleName(tr("Pages of the manual"));
    m_text = new QTextBrowser;
    m_text->setObjectName("helpText");
    m_text->setSearchPaths({":/help"});
    m_text->setOpenExternalLinks(true);
    m_text->document()->setDocumentMargin(3 * kSpacing);
    splitter->addWidget(m_contents);
    splitter->addWidget(m_text);
    splitter->setSizes({240, 740});
    for (const QString& page : pages()) {
        auto* item = new QListWidgetItem(titleOf(page), m_contents);
        item->setData(Qt::UserRole, page);
    }
    connect(m_contents, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (item) showPage(item->data(Qt::UserRole).toString());
    });
    // Also by a link in the text, and by the way back.
    connect(m_text, &QTextBrowser::sourceChanged, this, [this](const QUrl& source) {
        m_page = source.fileName();
        const QSignalBlocker quiet(m_contents);
        for (int i = 0; i < m_contents->count(); ++i)
            if (m_contents->item(i)->data(Qt::UserRole).toString() == m_page)
                m_contents->setCurrentRow(i);
    });
    connect(new QShortcut(QKeySequence::Back, this), &QShortcut::activated, m_text,
            &QTextBrowser::backward);
    connect(new QShortcut(QKeySequence(Qt::Key_Escape), this), &QShortcut::activated, this,
            &QWidget::close);
}

void HelpWindow::showPage(const QString& page) {
    const QString known = QFile::exists(":/help/" + page) ? page : kFirstPage;
    if (known == m_page) return;
    m_text->setSource(QUrl("qrc:/help/" + known), QTextDocument::MarkdownResource);
}

}  // namespace gantry
