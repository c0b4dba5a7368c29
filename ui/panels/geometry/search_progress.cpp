#include "ui/panels/geometry/search_progress.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "ui/widgets/style/theme.h"

namespace gantry {

SearchProgress::SearchProgress(const Names& names, QWidget* parent) : QWidget(parent) {
    m_what = new QLabel(this);
    m_what->setObjectName(names.what);
    m_what->setTextFormat(Qt::PlainText);
    m_bar = new QProgressBar(this);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setFixedHeight(kSpacing);
    m_bar->setAccessibleName(names.bar);
    auto* cancel = new QPushButton(names.cancelText, this);
    cancel->setObjectName(names.cancel);
    setFocusProxy(cancel);
    connect(cancel, &QPushButton::clicked, this, &SearchProgress::cancelled);
    auto* left = new QVBoxLayout;
    left->setSpacing(kSpacing / 2);
    left->addWidget(m_what);
    left->addWidget(m_bar);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2 * kSpacing);
    row->addLayout(left, 1);
    row->addWidget(cancel);
}

void SearchProgress::tell(const QString& text, double fraction) {
    m_what->setText(text);
    m_bar->setValue(static_cast<int>(std::lround(m_bar->maximum() * fraction)));
}

}  // namespace gantry
