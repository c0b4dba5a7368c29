#include "ui/widgets/image/caption.h"

#include <QStringList>
#include <QToolTip>
#include <algorithm>

#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

constexpr int kMaxLines = 4;
constexpr QChar kEllipsis(0x2026);
// Without the joiner after it a line may end behind the ellipsis.
const QString kUnbroken = QStringLiteral("\u2026\u2060");

QRect placeOf(const QString& text, const QFontMetrics& metrics, const QRect& place) {
    return metrics.boundingRect(place, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, text);
}

}  // namespace

int captionWidth(int pictureWidth) {
    constexpr int kMin = 8 * kSpacing;  // a narrower one would tell nothing
    return std::max(kMin, pictureWidth / 3);
}

QString fittedCaption(const QString& text, const QFontMetrics& metrics, int width) {
    QStringList words = text.split(' ');
    for (QString& word : words)
        word = metrics.elidedText(word, Qt::ElideMiddle, width).replace(kEllipsis, kUnbroken);
    QString shown = words.join(' ');
    const QRect place(0, 0, width, QWIDGETSIZE_MAX);
    const int maxHeight = kMaxLines * metrics.lineSpacing();
    for (qsizetype kept = words.size() - 1; kept >= 2; --kept) {
        if (placeOf(shown, metrics, place).height() <= maxHeight) break;
        const QStringList front = words.first((kept + 1) / 2);
        const QStringList back = words.last(kept / 2);
        shown = front.join(' ') + QStringLiteral(" … ") + back.join(' ');
    }
    return shown;
}

bool tellWholeCaption(const QHelpEvent& event, QWidget& widget, const QFontMetrics& metrics,
                      const QRect& place, const QString& text) {
    const QString shown = fittedCaption(text, metrics, place.width());
    const QRect area = placeOf(shown, metrics, place);
    if (shown == text || !area.contains(event.pos())) return false;
    // A paragraph breaks names into lines and takes their letters for no markup.
    QToolTip::showText(event.globalPos(), QStringLiteral("<p>%1</p>").arg(text.toHtmlEscaped()),
                       &widget, area);
    return true;
}

}  // namespace gantry
