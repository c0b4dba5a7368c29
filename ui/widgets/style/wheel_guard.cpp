#include "ui/widgets/style/wheel_guard.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>
#include <QLineEdit>
#include <QScrollBar>

namespace gantry {
namespace {

bool isGuarded(const QObject* object) {
    return qobject_cast<const QAbstractSpinBox*>(object) ||
           qobject_cast<const QComboBox*>(object) ||
           (qobject_cast<const QAbstractSlider*>(object) &&
            !qobject_cast<const QScrollBar*>(object));
}

}  // namespace

void WheelGuard::watch(QWidget& widget) {
    // A click into a spin box goes to the text inside it.
    const bool isTextOfOne = qobject_cast<QLineEdit*>(&widget) && isGuarded(widget.parent());
    if (!isGuarded(&widget) && !isTextOfOne) return;
    widget.installEventFilter(this);
    if (widget.focusPolicy() == Qt::WheelFocus) widget.setFocusPolicy(Qt::StrongFocus);
}

bool WheelGuard::eventFilter(QObject* watched, QEvent* event) {
    auto* widget = static_cast<QWidget*>(watched);
    const bool isWhole = isGuarded(widget);
    switch (event->type()) {
        case QEvent::MouseButtonPress:
            m_clicked = isWhole ? widget : widget->parentWidget();
            return false;
        case QEvent::Leave:
            if (widget == m_clicked) m_clicked.clear();
            return false;
        case QEvent::Wheel:
            if (!isWhole || widget == m_clicked) return false;
            event->ignore();
            return true;
        default:
            return false;
    }
}

}  // namespace gantry
