#include "ui/panels/shared/text_table.h"

#include <QHeaderView>
#include <QTableWidget>

#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

QTableWidget* newTextTable(QWidget* parent, const char* name) {
    auto* table = named(new QTableWidget(parent), name);
    table->setFont(tabular(table->font()));
    table->setShowGrid(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setTabKeyNavigation(false);
    table->setWordWrap(false);
    table->verticalHeader()->hide();
    table->verticalHeader()->setMinimumSectionSize(1);
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + kSpacing / 2);
    table->horizontalHeader()->setSectionsClickable(false);
    return table;
}

void fillTextTable(QTableWidget& table, const std::vector<std::vector<std::string>>& rows) {
    const std::vector<std::string>& head = rows.front();
    table.setColumnCount(static_cast<int>(head.size()));
    table.setRowCount(static_cast<int>(rows.size()) - 1);
    table.horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table.horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int column = 0; column < table.columnCount(); ++column) {
        const auto at = static_cast<std::size_t>(column);
        table.setHorizontalHeaderItem(column,
                                      new QTableWidgetItem(QString::fromStdString(head[at])));
        for (int row = 0; row < table.rowCount(); ++row) {
            const QString text =
                QString::fromStdString(rows[static_cast<std::size_t>(row) + 1][at]);
            auto* item = new QTableWidgetItem(text);
            item->setToolTip(text);  // where the column is too narrow
            item->setTextAlignment(column == 0 ? Qt::AlignLeft | Qt::AlignVCenter
                                               : Qt::AlignRight | Qt::AlignVCenter);
            table.setItem(row, column, item);
        }
    }
}

}  // namespace gantry
