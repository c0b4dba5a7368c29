#include "ui/desktop/window/field_actions.h"

#include <QAction>
#include <QCheckBox>
#include <QCoreApplication>
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QPointer>

#include "ui/widgets/fields/pending_edit.h"

namespace gantry {

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
