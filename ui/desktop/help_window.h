#pragma once

#include <QWidget>

class QListWidget;
class QTextBrowser;

namespace gantry {

/// The manual (resources/help), page by page, with its table of contents and pictures.
/// Tests: tests/ui/desktop/help_test.cpp
class HelpWindow : public QWidget {
    Q_OBJECT

  public:
    explicit HelpWindow(QWidget* parent = nullptr);
    /// page: "desktop-timeline.md"; one that does not exist shows the first.
    void showPage(const QString& page);
    [[nodiscard]] const QString& currentPage() const { return m_page; }

  private:
    QListWidget* m_contents = nullptr;
    QTextBrowser* m_text = nullptr;
    QString m_page;
};

}  // namespace gantry
