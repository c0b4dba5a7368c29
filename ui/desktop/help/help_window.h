#pragma once

#include <QWidget>
#include <memory>

#include "ui/desktop/help/help_index.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QStackedWidget;
class QTextBrowser;

namespace gantry {

/// The manual (resources/help), page by page, with its table of contents, pictures that fit the
/// window, and a search over all pages (Ctrl+F; F3 to the next hit, Esc back to the contents).
/// Tests: tests/ui/desktop/help_test.cpp, tests/ui/desktop/help_search_test.cpp
class HelpWindow : public QWidget {
    Q_OBJECT

  public:
    explicit HelpWindow(QWidget* parent = nullptr);
    ~HelpWindow() override;
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
