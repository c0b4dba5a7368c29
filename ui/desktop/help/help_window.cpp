#include "ui/desktop/help/help_window.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QImageReader>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QRegularExpression>
#include <QScrollBar>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QSvgRenderer>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

QString helpText(const QString& page) {
    QFile file(":/help/" + page);
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text)) return {};
    return QString::fromUtf8(file.readAll());
}

HelpIndex::HelpIndex(const QStringList& pages) {
    for (const QString& page : pages) {
        QTextDocument document;
        document.setMarkdown(helpText(page));
        for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
            if (!block.text().trimmed().isEmpty())
                m_blocks.push_back({page, block.blockNumber(), block.text().simplified()});
    }
}

QStringList HelpIndex::words(const QString& query) {
    static const QRegularExpression kSpace("\\s+");
    return query.split(kSpace, Qt::SkipEmptyParts);
}

std::vector<HelpIndex::Hit> HelpIndex::search(const QString& query) const {
    const QStringList wanted = words(query);
    std::vector<Hit> hits;
    if (wanted.isEmpty()) return hits;
    std::ranges::copy_if(m_blocks, std::back_inserter(hits), [&](const Hit& block) {
        return std::ranges::all_of(wanted, [&](const QString& word) {
            return block.text.contains(word, Qt::CaseInsensitive);
        });
    });
    return hits;
}

QString excerpt(const QString& text, const QStringList& words) {
    constexpr qsizetype kBefore = 24;
    constexpr qsizetype kMax = 90;
    qsizetype first = text.size();
    for (const QString& word : words) {
        const qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive);
        if (at >= 0) first = std::min(first, at);
    }
    qsizetype begin = std::max<qsizetype>(0, std::min(first - kBefore, text.size() - kMax));
    // It begins at the beginning of a word.
    if (begin > 0) begin = text.indexOf(' ', begin) + 1;
    QString part = text.mid(begin, kMax);
    if (begin > 0) part.prepend(QStringLiteral("…"));
    if (begin + kMax < text.size()) part.append(QStringLiteral("…"));
    return part;
}

namespace {

constexpr const char* kFirstPage = "desktop.md";
constexpr int kPageRole = Qt::UserRole;
constexpr int kBlockRole = Qt::UserRole + 1;

// The first heading of a page.
QString titleOf(const QString& page) {
    const QString line = helpText(page).section('\n', 0, 0).trimmed();
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

bool isDrawing(const QString& picture) {
    return picture.endsWith(".svg");
}

// Empty of one that is not there.
QSizeF sizeOf(const QString& picture) {
    if (isDrawing(picture)) return QSvgRenderer(picture).defaultSize();
    return QImageReader(picture).size();
}

// Drawings are drawn here, as the plugin by which images are read as such is not on every system.
QImage pictureOf(const QString& picture, QSize size) {
    if (!isDrawing(picture))
        return QImage(picture).scaled(size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    QImage drawn(size, QImage::Format_ARGB32_Premultiplied);
    drawn.fill(Qt::transparent);
    QPainter painter(&drawn);
    QSvgRenderer(picture).render(&painter);
    return drawn;
}

// A page is laid out once, when it is whole: Qt does so for each piece of it, and of a long table's
// for all that came before.
class PageText : public QTextBrowser {
  protected:
    void doSetSource(const QUrl& source, QTextDocument::ResourceType type) override {
        document()->setLayoutEnabled(false);
        QTextBrowser::doSetSource(source, type);
        document()->setLayoutEnabled(true);
        document()->markContentsDirty(0, document()->characterCount());
        if (source.hasFragment()) scrollToAnchor(source.fragment());
    }
};

// Every place of the words in a document.
std::vector<QTextCursor> placesOf(const QStringList& words, QTextDocument& document) {
    std::vector<QTextCursor> places;
    for (const QString& word : words)
        for (QTextCursor at = document.find(word); !at.isNull(); at = document.find(word, at))
            places.push_back(at);
    return places;
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
    m_text = named(new PageText, "helpText");
    m_text->setSearchPaths({":/help"});
    m_text->setOpenExternalLinks(true);
    m_text->document()->setDocumentMargin(3 * kSpacing);
    m_text->viewport()->installEventFilter(this);
    splitter->addWidget(makeSide());
    splitter->addWidget(m_text);
    splitter->setSizes({260, 720});
    connect(m_contents, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (item) showPage(item->data(kPageRole).toString());
    });
    // The source also changes by links in the text, and by going back.
    connect(m_text, &QTextBrowser::sourceChanged, this, [this](const QUrl& source) {
        m_page = source.fileName();
        markCurrentPage();
        fitPictures();
        m_hitBlock = -1;
        markHits();
    });
    addShortcuts();
}

QWidget* HelpWindow::makeSide() {
    constexpr int kMinWidth = 220;
    auto* side = new QWidget;
    side->setMinimumWidth(kMinWidth);
    auto* column = spaced(new QVBoxLayout(side), kSpacing, {kSpacing, kSpacing, 0, kSpacing});
    m_search = named(new QLineEdit, "helpSearch");
    m_search->setPlaceholderText(tr("Search the manual (Ctrl+F)"));
    m_search->setAccessibleName(tr("Search the manual"));
    m_search->setClearButtonEnabled(true);
    m_count = named(wrapped(new QLabel), "helpHitCount");
    m_count->setProperty("muted", true);
    m_count->hide();
    m_contents = named(new QListWidget, "helpContents");
    m_contents->setAccessibleName(tr("Pages of the manual"));
    m_hits = named(new QListWidget, "helpHits");
    m_hits->setAccessibleName(tr("Search results"));
    for (QListWidget* list : {m_contents, m_hits}) {
        list->setWordWrap(true);
        list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    }
    for (const QString& page : pages()) {
        auto* item = new QListWidgetItem(titleOf(page), m_contents);
        item->setData(kPageRole, page);
    }
    m_lists = new QStackedWidget;
    m_lists->addWidget(m_contents);
    m_lists->addWidget(m_hits);
    column->addWidget(m_search);
    column->addWidget(m_count);
    column->addWidget(m_lists, 1);
    connect(m_search, &QLineEdit::textChanged, this, &HelpWindow::search);
    connect(m_search, &QLineEdit::returnPressed, this, [this] { stepHit(1); });
    connect(m_hits, &QListWidget::currentItemChanged, this, &HelpWindow::showHit);
    connect(m_hits, &QListWidget::itemActivated, this, [this] { m_text->setFocus(); });
    m_search->installEventFilter(this);
    return side;
}

void HelpWindow::addShortcuts() {
    const auto on = [this](const QKeySequence& keys, auto&& does) {
        connect(new QShortcut(keys, this), &QShortcut::activated, this, does);
    };
    on(QKeySequence::Back, [this] { m_text->backward(); });
    on(QKeySequence::Find, [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
    on(Qt::Key_F3, [this] { stepHit(1); });
    on(Qt::SHIFT | Qt::Key_F3, [this] { stepHit(-1); });
    on(Qt::Key_Escape, [this] { goBack(); });
}

void HelpWindow::markCurrentPage() {
    const QSignalBlocker quiet(m_contents);
    for (int i = 0; i < m_contents->count(); ++i)
        if (m_contents->item(i)->data(kPageRole).toString() == m_page) m_contents->setCurrentRow(i);
}

void HelpWindow::showPage(const QString& page) {
    const QString known = QFile::exists(":/help/" + page) ? page : kFirstPage;
    if (known == m_page) return;
    m_text->setSource(QUrl("qrc:/help/" + known), QTextDocument::MarkdownResource);
}

void HelpWindow::search() {
    const QString query = m_search->text();
    const QStringList words = HelpIndex::words(query);
    const QSignalBlocker quiet(m_hits);
    m_hits->clear();
    m_hitBlock = -1;
    if (words.isEmpty()) {
        m_count->hide();
        m_lists->setCurrentWidget(m_contents);
        return markHits();
    }
    if (!m_index) m_index = std::make_unique<HelpIndex>(pages());
    for (const HelpIndex::Hit& hit : m_index->search(query)) {
        auto* item = new QListWidgetItem(tr("%1, line %2\n%3")
                                             .arg(titleOf(hit.page))
                                             .arg(hit.block + 1)
                                             .arg(excerpt(hit.text, words)),
                                         m_hits);
        item->setData(kPageRole, hit.page);
        item->setData(kBlockRole, hit.block);
    }
    const int count = m_hits->count();
    m_count->setText(count == 0
                         ? tr("Nothing found. Try fewer or shorter words.")
                         : tr("%n result(s). F3: next, Esc: back to the contents.", "", count));
    m_count->show();
    m_lists->setCurrentWidget(m_hits);
    markHits();
}

void HelpWindow::showHit(const QListWidgetItem* item) {
    if (!item) return;
    showPage(item->data(kPageRole).toString());
    m_hitBlock = item->data(kBlockRole).toInt();
    markHits();
    goToHit();
}

void HelpWindow::stepHit(int by) {
    const int count = m_hits->count();
    if (count == 0) return;
    const int row = m_hits->currentRow();
    m_hits->setCurrentRow(row < 0 ? (by > 0 ? 0 : count - 1) : (row + by + count) % count);
}

// Marks every hit on the current page, the current one most strongly.
void HelpWindow::markHits() {
    const Theme theme = themeOf(*this);
    QList<QTextEdit::ExtraSelection> marks;
    for (const QTextCursor& place :
         placesOf(HelpIndex::words(m_search->text()), *m_text->document())) {
        const bool isCurrent = place.block().blockNumber() == m_hitBlock;
        QTextEdit::ExtraSelection mark;
        mark.cursor = place;
        mark.format.setBackground(isCurrent ? theme.accent : theme.line);
        mark.format.setForeground(isCurrent ? theme.onAccent : theme.text);
        marks.append(mark);
    }
    m_text->setExtraSelections(marks);
}

// Scrolls the hit to the middle.
void HelpWindow::goToHit() {
    const QTextBlock block = m_text->document()->findBlockByNumber(m_hitBlock);
    if (!block.isValid()) return;
    m_text->setTextCursor(QTextCursor(block));
    QScrollBar& bar = *m_text->verticalScrollBar();
    bar.setValue(bar.value() + m_text->cursorRect().center().y() -
                 m_text->viewport()->height() / 2);
}

void HelpWindow::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_text) markHits();
}

// Goes from the results to the contents, and from there closes the manual.
void HelpWindow::goBack() {
    if (m_search->text().isEmpty()) {
        close();
        return;
    }
    m_search->clear();
    m_contents->setFocus(Qt::ShortcutFocusReason);
}

// Pictures are not wider than the text, and drawn smoothly at that size.
void HelpWindow::fitPictures() {
    QTextDocument& document = *m_text->document();
    const double room = m_text->viewport()->width() - 2 * document.documentMargin();
    const double ratio = devicePixelRatioF();
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
        for (auto at = block.begin(); !at.atEnd(); ++at) {
            QTextImageFormat format = at.fragment().charFormat().toImageFormat();
            if (!format.isValid() || room <= 0) continue;
            const QString name = ":/help/" + QUrl(format.name()).path();
            const QSizeF whole = sizeOf(name);
            if (whole.isEmpty()) continue;
            // Whole pixels, or a row of the picture is left out where it is painted.
            const double width = std::floor(std::min(room, whole.width()));
            const double height = std::floor(whole.height() * width / whole.width());
            if (format.width() == width) continue;
            format.setWidth(width);
            format.setHeight(height);
            QImage fitted = pictureOf(name, (QSizeF(width, height) * ratio).toSize());
            fitted.setDevicePixelRatio(ratio);
            document.addResource(QTextDocument::ImageResource,
                                 document.baseUrl().resolved(QUrl(format.name())), fitted);
            QTextCursor cursor(&document);
            cursor.setPosition(at.fragment().position());
            cursor.setPosition(at.fragment().position() + at.fragment().length(),
                               QTextCursor::KeepAnchor);
            cursor.setCharFormat(format);
            return fitPictures();  // the fragments have changed
        }
}

bool HelpWindow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_text->viewport() && event->type() == QEvent::Resize) fitPictures();
    if (watched == m_search && event->type() == QEvent::KeyPress &&
        m_lists->currentWidget() == m_hits) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            stepHit(key == Qt::Key_Down ? 1 : -1);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace gantry
