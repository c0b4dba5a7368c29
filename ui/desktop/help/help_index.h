#pragma once

#include <QString>
#include <QStringList>
#include <vector>

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

}  // namespace gantry
