#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <memory>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QStackedWidget;
class QTextBrowser;

namespace gantry {

/// An index of the manual's words, for searching. Tests: tests/ui/desktop/help_search_test.cpp
class HelpIndex {
  public:
    struct Hit {
        QString page;   ///< "desktop-jobs.md"
        int block = 0;  ///< number of the shown paragraph, table line or heading, from 0
        QString text;   ///< of the block
    };

    explicit HelpIndex(const QStringList& pages);
    /// The blocks that contain every one of the words, in the order of the pages, ignoring case.
    /// None for a query without words.
    [[nodiscard]] std::vector<Hit> search(const QString& query) const;
    /// The words of a query.
    [[nodiscard]] static QStringList words(const QString& query);

  private:
    std::vector<Hit> m_blocks;
};

/// A page's text in Markdown; empty if there is none.
[[nodiscard]] QString helpText(const QString& page);

/// Part of a text around the first of the words, short enough for a list.
[[nodiscard]] QString excerpt(const QString& text, const QStringList& words);

/// The manual (resources/help), page by page, with its table of contents, pictures that fit the
/// window, and a search over all pages (Ctrl+F; F3 to the next hit, Esc back to the contents).
/// Tests: tests/ui/desktop/help_test.cpp, tests/ui/desktop/help_search_test.cpp
class HelpWindow : public QWidget {
    Q_OBJECT

  public:
    explicit HelpWindow(QWidget* parent = nullptr);
    /// page: "desktop-timeline.md"; one that does not exist shows the first.
    void showPage(const QString& page);
    [[nodiscard]] const QString& currentPage() const { return m_page; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makeSide();
    void addShortcuts();
    void markCurrentPage();
    void search();
    void showHit(const QListWidgetItem* item);
    void stepHit(int by);
    void markHits();
    void goToHit();
    void goBack();
    void fitPictures();

    QLineEdit* m_search = nullptr;
    QStackedWidget* m_lists = nullptr;
    QListWidget* m_contents = nullptr;
    QListWidget* m_hits = nullptr;
    QLabel* m_count = nullptr;
    QTextBrowser* m_text = nullptr;
    std::unique_ptr<HelpIndex> m_index;  // made at the first search
    QString m_page;
    int m_hitBlock = -1;  // of the page, where the current hit is
};

}  // namespace gantry
