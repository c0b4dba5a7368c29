#include "ui/panels/reconstruction/reconstruction_stage_bar.h"

#include <QPainter>
#include <QStringList>
#include <algorithm>
#include <numeric>

#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

constexpr int kBarHeight = 12;
constexpr int kSwatch = 8;
constexpr int kMaxColumns = 2;
constexpr double kMinPart = 2;  // the shortest stages stay visible

QString timeOf(const ForecastPart& part) {
    return part.seconds > 0 ? secondsText(part.seconds) : QString("–");
}

}  // namespace

ReconstructionStageBar::ReconstructionStageBar(QWidget* parent) : QWidget(parent) {
    // Not fixed: the size hint's height, of two columns, would be the most it gets for one.
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void ReconstructionStageBar::setParts(std::vector<ForecastPart> parts) {
    m_parts = std::move(parts);
    QStringList words;
    for (const ForecastPart& part : m_parts)
        words << part.name + ' ' + timeOf(part);
    setAccessibleDescription(words.join(", "));
    updateGeometry();
    update();
}

// Width of a name and its seconds.
int ReconstructionStageBar::entryWidth() const {
    int max = 0;
    for (const ForecastPart& part : m_parts)
        max = std::max(max, fontMetrics().horizontalAdvance(part.name + "  " + timeOf(part)));
    return max + kSwatch + kSpacing / 2;
}

int ReconstructionStageBar::columnsIn(int width) const {
    return std::clamp((width + kSpacing) / (entryWidth() + kSpacing), 1, kMaxColumns);
}

int ReconstructionStageBar::heightForWidth(int width) const {
    const int columns = columnsIn(width);
    const int rows = (static_cast<int>(m_parts.size()) + columns - 1) / columns;
    return kBarHeight + kSpacing / 2 + rows * (fontMetrics().height() + 2);
}

QSize ReconstructionStageBar::sizeHint() const {
    const int wide = kMaxColumns * (entryWidth() + kSpacing);
    return {wide, heightForWidth(wide)};
}

QSize ReconstructionStageBar::minimumSizeHint() const {
    return {entryWidth(), kBarHeight};
}

void ReconstructionStageBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme theme = themeOf(*this);
    const double total =
        std::accumulate(m_parts.begin(), m_parts.end(), 0.0,
                        [](double sum, const ForecastPart& part) { return sum + part.seconds; });
    const double room = width() - kMinPart * static_cast<double>(m_parts.size());
    double x = 0;
    for (const ForecastPart& part : m_parts) {
        const double wide = kMinPart + (total > 0 ? room * part.seconds / total : 0);
        painter.fillRect(QRectF(x, 0, wide - 1, kBarHeight), part.colour);
        x += wide;
    }
    const int line = fontMetrics().height() + 2;
    const int columns = columnsIn(width());
    const int column = (width() + kSpacing) / columns;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        const ForecastPart& part = m_parts[i];
        const int number = static_cast<int>(i);
        const int left = number % columns * column;
        const int top = kBarHeight + kSpacing / 2 + number / columns * line;
        painter.fillRect(QRect(left, top + (line - kSwatch) / 2, kSwatch, kSwatch), part.colour);
        const QRect text(left + kSwatch + kSpacing / 2, top,
                         column - kSwatch - kSpacing / 2 - kSpacing, line);
        painter.setPen(theme.muted);
        painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft, part.name);
        painter.setPen(theme.text);
        painter.drawText(text, Qt::AlignVCenter | Qt::AlignRight, timeOf(part));
    }
}

}  // namespace gantry
