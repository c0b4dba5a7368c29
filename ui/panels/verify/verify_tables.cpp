#include "ui/panels/verify/verify_tables.h"

#include <QComboBox>
#include <QHeaderView>
#include <QStackedWidget>
#include <QTableWidget>
#include <QVBoxLayout>
#include <string>
#include <vector>

#include "ui/panels/verify/verify_texts.h"
#include "ui/widgets/theme.h"

namespace gantry {

namespace {

using TableRows = std::vector<std::vector<std::string>>;

QTableWidget* newTable(QWidget* parent, const char* name) {
    auto* table = new QTableWidget(parent);
    table->setObjectName(name);
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

// The first row is the head; the first column takes the room that the others leave.
void fillTable(QTableWidget& table, const TableRows& rows) {
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

}  // namespace

VerifyTables::VerifyTables(QWidget* parent)
    : QWidget(parent),
      m_which(new QComboBox(this)),
      m_tables(new QStackedWidget(this)),
      m_figures(newTable(this, "verifyFigures")),
      m_spheres(newTable(this, "verifySpheres")) {
    m_which->setObjectName("verifyTable");
    m_which->setAccessibleName(texts::table());
    m_which->addItem(texts::figuresTable());
    m_which->addItem(texts::spheresTable());
    m_which->setItemData(1, texts::spheresTableHelp(), Qt::ToolTipRole);
    m_tables->addWidget(m_figures);
    m_tables->addWidget(m_spheres);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kSpacing / 2);
    layout->addWidget(m_which, 0, Qt::AlignLeft);
    layout->addWidget(m_tables, 1);
    connect(m_which, &QComboBox::currentIndexChanged, m_tables, &QStackedWidget::setCurrentIndex);
}

void VerifyTables::setVerification(const Verification& verification) {
    const bool hasSpheres = !verification.spheres.empty();
    m_which->setVisible(hasSpheres);
    if (!hasSpheres) m_which->setCurrentIndex(0);
    showFigures(verification.figures);
    fillTable(*m_spheres, sphereTable(verification.spheres));
}

// That a limit is missed stands beside it; the others are met.
void VerifyTables::showFigures(const std::vector<Figure>& figures) {
    constexpr int kLimit = 2;  // column
    TableRows rows = figureTable(figures);
    for (std::vector<std::string>& row : rows) {
        if (row.back() == "missed") row[kLimit] += ", missed";
        row.pop_back();
    }
    fillTable(*m_figures, rows);
    for (std::size_t i = 0; i < figures.size(); ++i)
        if (!figures[i].isMet())
            m_figures->item(static_cast<int>(i), kLimit)->setForeground(themeOf(*this).error);
}

}  // namespace gantry
