#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace gantry {

/// The words of the manual, to be searched.
/// Tests: tests/ui/desktop/help_search_test.cpp
class HelpIndex {
  public:
    struct Hit {
        QString page;   ///< "desktop-jobs.md"
        int block = 0;  ///< paragraph, line of a table or heading, counted from 0 as it is shown
        QString text;   ///< of the block
    };

    explicit HelpIndex(const QStringList& pages);
    /// The blocks that hold every one of the words, in the order of the pages; upper and lower case
    /// are alike. None for a query without words.
    [[nodiscard]] std::vector<Hit> search(const QString& query) const;
    /// The words of a query.
    [[nodiscard]] static QStringList words(const QString& query);

  private:
    std::vector<Hit> m_blocks;
};

/// A page's text as it is in the manual (Markdown); empty where there is none.
[[nodiscard]] QString helpText(const QString& page);

/// Part of a text about the first of the words, short enough for a list.
[[nodiscard]] QString excerpt(const QString& text, const QStringList& words);

}  // namespace gantry
