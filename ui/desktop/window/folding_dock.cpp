#include "ui/desktop/window/folding_dock.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/widgets/style/theme.h"

namespace gantry {

FoldingDock::FoldingDock(const QString& name, const QString& title, QWidget* panel, QWidget* parent)
    : QDockWidget(title, parent), m_panel(panel) {
    setObjectName(name);
    // The body stays when the panel is hidden: a dock without content could not be wider than its
    // line.
    auto* body = new QWidget(this);
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(panel);
    setWidget(body);
    setTitleBarWidget(makeLine(title));
    connect(this, &QDockWidget::topLevelChanged, this, &FoldingDock::showFold);
    showFold();
}

QWidget* FoldingDock::makeLine(const QString& title) {
    auto* line = new QWidget(this);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(kSpacing / 2, 2, kSpacing / 2, 2);
    row->setSpacing(kSpacing / 2);
    constexpr int kIcon = 14;
    const auto button = [&](const char* buttonName, const char* iconName, const QString& toolTip) {
        auto* made = new QToolButton(line);
        made->setObjectName(buttonName);
        made->setProperty("titleButton", true);
        made->setIconSize({kIcon, kIcon});
        if (*iconName) made->setIcon(icon(iconName, &Theme::muted));
        made->setToolTip(toolTip);
        made->setAccessibleName(toolTip);
        return made;
    };
    m_fold = button("fold", "", {});
    m_fold->setFocusPolicy(Qt::TabFocus);
    auto* text = new QLabel(title, line);
    text->setProperty("muted", true);
    auto* afloat =
        button("float", "dock", tr("Take %1 out of the window, or put it back").arg(title));
    auto* closing =
        button("close", "close", tr("Hide %1; the View menu brings it back").arg(title));
    for (QToolButton* each : {afloat, closing})
        each->setFocusPolicy(Qt::NoFocus);
    row->addWidget(m_fold);
    row->addWidget(text, 1);
    row->addWidget(afloat);
    row->addWidget(closing);
    connect(m_fold, &QToolButton::clicked, this, [this] {
        setFolded(!m_isFolded);
        emit foldedByHand(m_isFolded);
    });
    connect(afloat, &QToolButton::clicked, this, [this] { setFloating(!isFloating()); });
    connect(closing, &QToolButton::clicked, this, &QWidget::close);
    return line;
}

void FoldingDock::setFolded(bool isFolded) {
    if (isFolded == m_isFolded) return;
    m_isFolded = isFolded;
    showFold();
    emit foldedChanged(isFolded);
}

int FoldingDock::lineHeight() const {
    return titleBarWidget()->sizeHint().height();
}

// A floating window cannot be folded.
void FoldingDock::showFold() {
    m_fold->setVisible(!isFloating());
    m_panel->setVisible(!m_isFolded || isFloating());
    m_fold->setIcon(icon(m_isFolded ? "chevron-right" : "chevron-down", &Theme::muted));
    const QString what = m_isFolded ? tr("Open %1").arg(windowTitle())
                                    : tr("Fold %1 to one line").arg(windowTitle());
    m_fold->setToolTip(what);
    m_fold->setAccessibleName(what);
}

}  // namespace gantry
