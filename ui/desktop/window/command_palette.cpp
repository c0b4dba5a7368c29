#include "ui/desktop/window/command_palette.h"

#include <QAction>
#include <QCheckBox>
#include <QCoreApplication>
#include <QDockWidget>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMainWindow>
#include <QPointer>
#include <QVBoxLayout>

#include "ui/widgets/fields/pending_edit.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

QString nameOf(const QAction& action) {
    QString name = action.text();
    return name.remove('&');
}

// Whether every typed word is in the name.
bool matches(const QString& name, const QString& text) {
    for (const QString& word : text.split(' ', Qt::SkipEmptyParts))
        if (!name.contains(word, Qt::CaseInsensitive)) return false;
    return true;
}

}  // namespace

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent, Qt::Popup), m_actions(actions) {
    setObjectName("commandPalette");
    setAttribute(Qt::WA_DeleteOnClose);
    for (QAction* action : actions)
        if (!action->parent()) action->setParent(this);
    resize(480, 360);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kSpacing, kSpacing, kSpacing, kSpacing);
    m_edit = new QLineEdit;
    m_edit->setPlaceholderText(tr("Search actions and fields"));
    m_edit->addAction(icon("search"), QLineEdit::LeadingPosition);
    m_list = new QListWidget;
    layout->addWidget(m_edit);
    layout->addWidget(m_list);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_edit, &QLineEdit::returnPressed, this, &CommandPalette::choose);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::choose);
    filter({});
    m_edit->setFocus();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (step != 0) {
            m_list->setCurrentRow(
                qBound(0, m_list->currentRow() + step, qMax(0, m_list->count() - 1)));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

void CommandPalette::filter(const QString& text) {
    m_list->clear();
    for (QAction* action : m_actions) {
        const QString name = nameOf(*action);
        if (!matches(name, text)) continue;
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        auto* item = new QListWidgetItem(
            action->icon(), keys.isEmpty() ? name : tr("%1   (%2)").arg(name, keys), m_list);
        item->setData(Qt::UserRole, QVariant::fromValue<QObject*>(action));
        if (!action->isEnabled()) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::choose() {
    const QListWidgetItem* item = m_list->currentItem();
    if (!item || !(item->flags() & Qt::ItemIsEnabled)) return;
    auto* action = qobject_cast<QAction*>(item->data(Qt::UserRole).value<QObject*>());
    close();
    if (action) action->trigger();
}

namespace {

QAction* actionFor(const QDockWidget& dock, QString label, QWidget& field) {
    label.remove('&');
    auto* action = new QAction(
        QCoreApplication::translate("FieldAction", "%1: %2").arg(dock.windowTitle(), label));
    action->setEnabled(field.isEnabledTo(dock.widget()));
    QObject::connect(action, &QAction::triggered, &field, [&field] { focusField(field); });
    return action;
}

}  // namespace

QList<QAction*> fieldActions(const QMainWindow& window) {
    QList<QAction*> actions;
    const auto docks = window.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly);
    for (const QDockWidget* dock : docks) {
        const QWidget& form = *dock->widget();
        for (const QLabel* label : form.findChildren<QLabel*>()) {
            QWidget* field = label->buddy();
            if (!field || !field->isVisibleTo(&form)) continue;
            const QString name = label->accessibleName();
            actions << actionFor(*dock, name.isEmpty() ? label->text() : name, *field);
        }
        for (QCheckBox* box : form.findChildren<QCheckBox*>())
            if (!box->text().isEmpty() && box->isVisibleTo(&form))
                actions << actionFor(*dock, box->text(), *box);
    }
    return actions;
}

}  // namespace gantry
