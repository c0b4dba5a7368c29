#include "ui/panels/shared/shared_grid.h"

#include <QGridLayout>
#include <utility>

#include "ui/widgets/style/theme.h"

namespace gantry {

SharedGrid::SharedGrid(std::vector<Part> parts, std::vector<int> shares, QWidget* parent)
    : QWidget(parent),
      m_parts(std::move(parts)),
      m_shares(std::move(shares)),
      m_grid(new QGridLayout(this)) {
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(kSpacing / 2);
    for (const Part& part : m_parts) {
        part.widget->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
        m_grid->addWidget(part.widget, part.row, part.column, part.rowSpan, 1);
    }
    shareOut();
}

SharedGrid::SharedGrid(const std::array<QWidget*, 4>& quarters, QWidget* parent)
    : SharedGrid(
          {{quarters[0], 0, 0}, {quarters[1], 0, 1}, {quarters[2], 1, 0}, {quarters[3], 1, 1}},
          {1, 1}, parent) {}

void SharedGrid::toggleMaximised(const QWidget* part) {
    m_maximised = m_maximised ? nullptr : part;
    for (const Part& each : m_parts)
        each.widget->setVisible(!m_maximised || each.widget == m_maximised);
    shareOut();
}

void SharedGrid::shareOut() {
    std::vector<int> rows(m_grid->rowCount(), 0);
    std::vector<int> columns(m_shares.size(), 0);
    for (const Part& part : m_parts) {
        if (m_maximised && part.widget != m_maximised) continue;
        const auto column = static_cast<std::size_t>(part.column);
        columns[column] = m_shares[column];
        for (int row = part.row; row < part.row + part.rowSpan; ++row)
            rows[row] = 1;
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        m_grid->setRowStretch(static_cast<int>(i), rows[i]);
    for (std::size_t i = 0; i < columns.size(); ++i)
        m_grid->setColumnStretch(static_cast<int>(i), columns[i]);
}

}  // namespace gantry
