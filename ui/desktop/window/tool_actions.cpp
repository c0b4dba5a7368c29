#include "ui/desktop/window/tool_actions.h"

#include <QAction>
#include <QCheckBox>
#include <QCoreApplication>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QToolButton>
#include <QVariant>

#include "ui/widgets/fields/pending_edit.h"
#include "ui/widgets/folding_group.h"

namespace gantry {

namespace {

QAbstractButton* openerOf(const QWidget& widget) {
    return qobject_cast<QAbstractButton*>(widget.property(kOpenerProperty).value<QWidget*>());
}

FoldingGroup* foldAround(const QWidget& widget) {
    return qobject_cast<FoldingGroup*>(widget.parentWidget());
}

// Whether it is shown with its tab, once everything about it is unfolded.
bool isReachable(const QWidget& tool, const QWidget& page) {
    for (const QWidget* each = &tool; each && each != &page; each = each->parentWidget())
        if (each->isHidden() && !openerOf(*each) && !foldAround(*each)) return false;
    return true;
}

void reveal(QWidget& tool, const QWidget& page) {
    for (QWidget* each = &tool; each && each != &page; each = each->parentWidget()) {
        if (!each->isHidden()) continue;
        if (QAbstractButton* opener = openerOf(*each)) opener->setChecked(true);
        if (FoldingGroup* fold = foldAround(*each)) fold->unfold(true);
    }
}

void use(QWidget& tool) {
    focusField(tool);
    auto* const withMenu = qobject_cast<QToolButton*>(&tool);
    if (withMenu && withMenu->menu())
        withMenu->showMenu();
    else if (auto* const button = qobject_cast<QAbstractButton*>(&tool);
             button && !qobject_cast<QCheckBox*>(button))
        button->click();
}

QString nameOfTool(const QAbstractButton& button) {
    const QString name = button.text().isEmpty() ? button.accessibleName() : button.text();
    return QString(name).remove('&').remove(QStringLiteral("…"));
}

class ToolFinder {
  public:
    ToolFinder(const QTabWidget& tabs, int tab, const std::function<void(int)>& showTab)
        : m_title(tabs.tabText(tab)), m_page(*tabs.widget(tab)), m_tab(tab), m_showTab(showTab) {}

    [[nodiscard]] QList<QAction*> find() {
        for (auto* button : m_page.findChildren<QAbstractButton*>())
            if (qobject_cast<QPushButton*>(button) || qobject_cast<QCheckBox*>(button) ||
                qobject_cast<QToolButton*>(button))
                add(*button, nameOfTool(*button));
        for (const auto* label : m_page.findChildren<QLabel*>())
            if (label->buddy()) add(*label->buddy(), QString(label->text()).remove('&'));
        return m_actions;
    }

  private:
    void add(QWidget& tool, const QString& name) {
        const bool isFoldsHeading = foldAround(tool) != nullptr;
        if (name.isEmpty() || isFoldsHeading || tool.window() != m_page.window()) return;
        // Buttons such as Cancel come only when there is something for them.
        if (tool.isHidden()) return;
        auto* action =
            new QAction(QCoreApplication::translate("ToolAction", "%1: %2").arg(m_title, name));
        action->setEnabled(tool.isEnabledTo(&m_page) && isReachable(tool, m_page));
        QObject::connect(
            action, &QAction::triggered, &tool,
            [tab = m_tab, showTab = m_showTab, page = &m_page, it = &tool] {
                showTab(tab);
                reveal(*it, *page);
                use(*it);
            },
            Qt::QueuedConnection);
        m_actions << action;
    }

    QString m_title;
    const QWidget& m_page;
    int m_tab;
    std::function<void(int)> m_showTab;
    QList<QAction*> m_actions;
};

}  // namespace

QList<QAction*> toolActions(const QTabWidget& tabs, const std::function<void(int)>& showTab) {
    QList<QAction*> actions;
    for (int tab = 0; tab < tabs.count(); ++tab)
        actions += ToolFinder(tabs, tab, showTab).find();
    return actions;
}

}  // namespace gantry
