#include "ui/panels/jobs/jobs_delegate.h"

#include <QApplication>
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "ui/models/job/job_table.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

constexpr double kSign = 12;
constexpr double kStroke = 1.5;

JobState stateOf(const QModelIndex& index) {
    return static_cast<JobState>(index.data(JobTable::stateRole).toInt());
}

QColor colourOf(JobState state, const Theme& theme) {
    switch (state) {
        case JobState::queued:
            return theme.muted;
        case JobState::running:
            return theme.accent;
        case JobState::done:
            return theme.good;
        case JobState::failed:
            return theme.error;
        case JobState::cancelled:
            return theme.warning;
    }
    return theme.text;
}

// Every state has a shape of its own. It is drawn within a square of 12 × 12 about the origin.
QPainterPath signOf(JobState state) {
    QPainterPath path;
    switch (state) {
        case JobState::queued:
            path.addEllipse(QPointF(), 5, 5);
            path.moveTo(0, -3);
            path.lineTo(0, 0);
            path.lineTo(2.5, 0);
            break;
        case JobState::running:
            path.moveTo(-3.5, -5);
            path.lineTo(5, 0);
            path.lineTo(-3.5, 5);
            path.closeSubpath();
            break;
        case JobState::done:
            path.moveTo(-5, 0.5);
            path.lineTo(-1.5, 4);
            path.lineTo(5, -4);
            break;
        case JobState::failed:
            path.moveTo(-4, -4);
            path.lineTo(4, 4);
            path.moveTo(4, -4);
            path.lineTo(-4, 4);
            break;
        case JobState::cancelled:
            path.addRect(-4.5, -4.5, 9, 9);
            break;
    }
    return path;
}

Theme themeUnder(const QStyleOptionViewItem& option) {
    return option.widget ? themeOf(*option.widget) : themeFor(ThemeKind::dark);
}

}  // namespace

void JobsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    const int column = index.column();
    if (column != JobTable::stateColumn && column != JobTable::progressColumn) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    // Background, selection and focus as in every other cell.
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    cell.text.clear();
    const QStyle* style = cell.widget ? cell.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (column == JobTable::stateColumn)
        paintState(*painter, option, index);
    else
        paintProgress(*painter, option, index);
    painter->restore();
}

void JobsDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
    const auto* line = qobject_cast<QLineEdit*>(editor);
    if (!line || !line->isModified()) QStyledItemDelegate::setEditorData(editor, index);
}

void JobsDelegate::paintState(QPainter& painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const {
    const Theme theme = themeUnder(option);
    const JobState state = stateOf(index);
    const QRectF cell = QRectF(option.rect).adjusted(kSpacing, 0, -kSpacing, 0);
    painter.setPen(
        QPen(colourOf(state, theme), kStroke, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.save();
    painter.translate(cell.left() + kSign / 2, cell.center().y());
    painter.drawPath(signOf(state));
    painter.restore();
    painter.setPen(theme.text);
    painter.setFont(option.font);
    painter.drawText(cell.adjusted(kSign + kSpacing, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     index.data().toString());
}

void JobsDelegate::paintProgress(QPainter& painter, const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const {
    const Theme theme = themeUnder(option);
    const QString text = index.data().toString();
    const double textWidth = option.fontMetrics.horizontalAdvance("100 %") + kSpacing;
    QRectF bar = QRectF(option.rect).adjusted(kSpacing, 0, -kSpacing - textWidth, 0);
    constexpr double kHeight = 6;
    bar = {bar.left(), bar.center().y() - kHeight / 2, bar.width(), kHeight};
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(bar, kHeight / 2, kHeight / 2);
    const double fraction = index.data(JobTable::fractionRole).toDouble();
    if (fraction > 0) {
        QRectF done = bar;
        done.setWidth(std::max(kHeight, bar.width() * fraction));
        painter.setBrush(colourOf(stateOf(index), theme));
        painter.drawRoundedRect(done, kHeight / 2, kHeight / 2);
    }
    painter.setPen(theme.text);
    painter.setFont(tabular(option.font));
    painter.drawText(QRectF(option.rect).adjusted(0, 0, -kSpacing, 0),
                     Qt::AlignVCenter | Qt::AlignRight, text);
}

}  // namespace gantry
