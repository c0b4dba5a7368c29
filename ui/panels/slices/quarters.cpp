#include "ui/panels/slices/quarters.h"

#include <QGridLayout>

#include "ui/widgets/style/theme.h"

namespace gantry {

Quarters::Quarters(const std::array<QWidget*, 4>& parts, QWidget* parent)
    : QWidget(parent), m_parts(parts), m_grid(new QGridLayout(this)) {
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(kSpacing / 2);
    int number = 0;
    for (QWidget* part : m_parts) {
        part->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
        m_grid->addWidget(part, number / 2, number % 2);
        ++number;
    }
    shareOut();
}

void Quarters::toggleMaximised(const QWidget* part) {
    m_maximised = m_maximised ? nullptr : part;
    for (QWidget* each : m_parts)
        each->setVisible(!m_maximised || each == m_maximised);
    shareOut();
}

void Quarters::shareOut() {
    for (int i = 0; i < 2; ++i) {
        m_grid->setRowStretch(i, m_maximised ? 0 : 1);
        m_grid->setColumnStretch(i, m_maximised ? 0 : 1);
    }
    for (int i = 0; i < 4; ++i) {
        if (m_parts[static_cast<std::size_t>(i)] != m_maximised) continue;
        m_grid->setRowStretch(i / 2, 1);
        m_grid->setColumnStretch(i % 2, 1);
    }
}

}  // namespace gantry
