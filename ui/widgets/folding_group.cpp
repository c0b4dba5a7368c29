#include "ui/widgets/folding_group.h"

#include <QToolButton>
#include <QVBoxLayout>

#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

FoldingGroup::FoldingGroup(const QString& title, QWidget* content, QWidget* parent)
    : QWidget(parent), m_heading(new QToolButton(this)), m_content(content) {
    m_heading->setText(title);
    m_heading->setAutoRaise(true);
    m_heading->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_heading->setFocusPolicy(Qt::StrongFocus);
    QFont bold = m_heading->font();
    bold.setBold(true);
    m_heading->setFont(bold);
    auto* column = spaced(new QVBoxLayout(this), kSpacing / 2);
    column->addWidget(m_heading, 0, Qt::AlignLeft);
    column->addWidget(content);
    connect(m_heading, &QToolButton::clicked, this, [this] { unfold(!isUnfolded()); });
    m_heading->setIcon(icon("chevron-right"));
    m_content->hide();
}

bool FoldingGroup::isUnfolded() const {
    return !m_content->isHidden();
}

void FoldingGroup::unfold(bool isUnfolded) {
    m_content->setVisible(isUnfolded);
    m_heading->setIcon(icon(isUnfolded ? "chevron-down" : "chevron-right"));
}

}  // namespace gantry
