// Key and mouse input of a number field and its label.
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/fields/number_question.h"

namespace gantry {
namespace {

double modifierFactor(Qt::KeyboardModifiers modifiers) {
    if (modifiers & Qt::ControlModifier) return 0.1;
    return modifiers & Qt::ShiftModifier ? 10 : 1;
}

}  // namespace

bool NumberField::onEditEvent(QEvent* event) {
    switch (event->type()) {
        case QEvent::Resize:
        case QEvent::FontChange:
        case QEvent::StyleChange:
            showMarks();
            return false;
        case QEvent::FocusOut:
            take();
            return false;
        case QEvent::MouseButtonPress:
            m_isClicked = true;
            return false;
        case QEvent::Leave:
            m_isClicked = false;
            return false;
        case QEvent::ShortcutOverride:
            return takeBeforeCommand(*this, *m_edit, *static_cast<QKeyEvent*>(event));
        case QEvent::Wheel:
            return onWheel(event);
        case QEvent::KeyPress:
            return onKey(*static_cast<QKeyEvent*>(event));
        default:
            return false;
    }
}

bool NumberField::onWheel(QEvent* event) {
    auto* wheel = static_cast<QWheelEvent*>(event);
    wheel->setAccepted(m_isClicked && m_edit->hasFocus() && !m_edit->isReadOnly());
    // With Alt, X11 reports horizontal wheel movement.
    const double turned = wheel->angleDelta().y() / 120.0;
    if (wheel->isAccepted() && turned != 0)
        stepBy(turned * modifierFactor(wheel->modifiers()), false);
    return true;
}

bool NumberField::onKey(const QKeyEvent& key) {
    const double factor = modifierFactor(key.modifiers());
    switch (key.key()) {
        case Qt::Key_Up:
            stepBy(factor, false);
            return true;
        case Qt::Key_Down:
            if (m_question->isHidden())
                stepBy(-factor, false);
            else
                m_question->enter();
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (take()) m_edit->selectAll();
            return true;
        case Qt::Key_Escape:
            // There is nothing to restore, so the key goes to the field's parent.
            if (!m_edit->isModified()) return false;
            restore();
            return true;
        default:
            return false;
    }
}

bool NumberField::onLabelEvent(QEvent* event) {
    switch (event->type()) {
        case QEvent::MouseButtonPress:
        case QEvent::MouseMove:
        case QEvent::MouseButtonRelease:
            return isEnabled() && onDrag(static_cast<QMouseEvent*>(event));
        case QEvent::ToolTip:
            if (!m_label->toolTip().isEmpty() || toolTip().isEmpty()) return false;
            QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), toolTip(), m_label);
            return true;
        default:
            return false;
    }
}

// Handles a drag of the label; a click gives the field the focus.
bool NumberField::onDrag(QMouseEvent* event) {
    const double x = event->globalPosition().x();
    if (event->type() == QEvent::MouseButtonPress) {
        if (event->button() != Qt::LeftButton) return false;
        take();
        m_dragFromX = x;
        m_dragFromValue = m_value;
        m_dragSteps = 0;
        return true;
    }
    if (!m_dragFromX) return false;
    if (event->type() == QEvent::MouseMove) {
        m_dragSteps += (x - *m_dragFromX) * modifierFactor(event->modifiers());
        m_dragFromX = x;
        const double value = stepped(m_dragFromValue, m_dragSteps);
        if (value == m_value) return true;
        m_value = value;
        showValue();
        emit valueEdited(m_value, false);
        return true;
    }
    m_dragFromX.reset();
    if (m_dragSteps == 0) {
        m_edit->setFocus(Qt::MouseFocusReason);
        m_edit->selectAll();
    } else {
        emit valueEdited(m_value, true);
    }
    return true;
}

bool NumberField::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_edit) return onEditEvent(event);
    return watched == m_label ? onLabelEvent(event) : QWidget::eventFilter(watched, event);
}

}  // namespace gantry
