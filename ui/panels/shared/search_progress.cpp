#include "ui/panels/shared/search_progress.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

SearchProgress::SearchProgress(const Names& names, QWidget* parent) : QWidget(parent) {
    m_what = named(new QLabel(this), names.what);
    m_what->setTextFormat(Qt::PlainText);
    m_bar = new QProgressBar(this);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setFixedHeight(kSpacing);
    m_bar->setAccessibleName(names.bar);
    auto* cancel = named(new QPushButton(names.cancelText, this), names.cancel);
    setFocusProxy(cancel);
    connect(cancel, &QPushButton::clicked, this, &SearchProgress::cancelled);
    auto* left = spaced(new QVBoxLayout, kSpacing / 2);
    left->addWidget(m_what);
    left->addWidget(m_bar);
    auto* row = spaced(new QHBoxLayout(this), 2 * kSpacing);
    row->addLayout(left, 1);
    row->addWidget(cancel);
}

void SearchProgress::tell(const QString& text, double fraction) {
    m_what->setText(text);
    m_bar->setValue(static_cast<int>(std::lround(m_bar->maximum() * fraction)));
}

}  // namespace gantry
