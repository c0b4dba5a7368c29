#include "ui/desktop/help/help_index.h"

#include <QFile>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextDocument>
#include <algorithm>

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
    std::copy_if(m_blocks.begin(), m_blocks.end(), std::back_inserter(hits), [&](const Hit& block) {
        return std::all_of(wanted.begin(), wanted.end(), [&](const QString& word) {
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

}  // namespace gantry
