#include "ui/widgets/fields/pending_edit.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QKeyEvent>
#include <QLineEdit>
#include <QScrollArea>
#include <QTimer>
#include <algorithm>

#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

template <class T>
T* nextAround(const QWidget* widget) {
    for (QWidget* around = widget->parentWidget(); around; around = around->parentWidget())
        if (auto* found = qobject_cast<T*>(around)) return found;
    return nullptr;
}

// Whether it is a field of a form in use, even if its dock is hidden.
bool counts(const QWidget& field) {
    if (!field.isEnabled()) return false;
    if (field.isAncestorOf(QApplication::focusWidget()) || field.hasFocus()) return true;
    const auto* dock = nextAround<QDockWidget>(&field);
    return dock && dock->widget() && field.isVisibleTo(dock->widget());
}

QWidget* topOf(QWidget& widget) {
    QWidget* top = &widget;
    while (top->parentWidget())
        top = top->parentWidget();
    return top;
}

// Whether the key belongs to one of the window's actions; some also edit text.
bool isCommand(QWidget& field, const QKeyEvent& event) {
    const QKeySequence keys(event.keyCombination());
    const auto actions = topOf(field)->findChildren<QAction*>();
    return std::ranges::any_of(actions, [&](const QAction* action) {
        return action->shortcutContext() == Qt::WindowShortcut &&
               action->shortcuts().contains(keys);
    });
}

void scrollTo(QWidget& field) {
    constexpr int kAround = 3 * kSpacing;
    for (auto* area = nextAround<QScrollArea>(&field); area; area = nextAround<QScrollArea>(area))
        area->ensureWidgetVisible(&field, 0, kAround);
}

}  // namespace

bool takePendingEdits(QWidget& anyOfIt) {
    const QList<QWidget*> fields = topOf(anyOfIt)->findChildren<QWidget*>();
    for (QWidget* field : fields) {
        auto* edit = dynamic_cast<PendingEdit*>(field);
        if (!edit || !edit->isPending() || !counts(*field) || edit->take()) continue;
        focusField(*field);
        return false;
    }
    return true;
}

void focusField(QWidget& field) {
    if (auto* dock = nextAround<QDockWidget>(&field)) {
        dock->show();
        dock->setProperty("folded", false);
        dock->raise();
    }
    field.window()->activateWindow();
    // With this reason the text is selected, so that typing replaces it.
    field.setFocus(Qt::ShortcutFocusReason);
    scrollTo(field);
    // Scrolls again when what was hidden has been laid out.
    QTimer::singleShot(0, &field, [&field] { scrollTo(field); });
}

bool takeBeforeCommand(PendingEdit& field, QLineEdit& edit, QKeyEvent& event) {
    if (event.matches(QKeySequence::Undo) || event.matches(QKeySequence::Redo)) {
        if (field.isPending() && !field.take()) return false;
    } else if (!isCommand(edit, event)) {
        return false;
    } else if (field.isPending()) {
        field.take();
    }
    event.ignore();
    return true;
}

}  // namespace gantry
