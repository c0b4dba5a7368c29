#include "ui/widgets/fields/text_field.h"

#include <QKeyEvent>

namespace gantry {

TextField::TextField(QWidget* parent) : QLineEdit(parent) {
    // A dropped file is to be opened, not typed.
    setAcceptDrops(false);
    installEventFilter(this);
}

bool TextField::take() {
    if (isModified()) emit editingFinished();
    return !isModified();
}

void TextField::restore() {
    setText(m_applied);
    // The remark about the text no longer holds.
    emit textEdited(m_applied);
    selectAll();
}

bool TextField::eventFilter(QObject* watched, QEvent* event) {
    if (watched != this) return QLineEdit::eventFilter(watched, event);
    if (!isModified()) m_applied = text();
    if (event->type() == QEvent::ShortcutOverride)
        return takeBeforeCommand(*this, *this, *static_cast<QKeyEvent*>(event));
    if (event->type() != QEvent::KeyPress || !isModified() ||
        static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape)
        return false;
    restore();
    return true;
}

}  // namespace gantry
