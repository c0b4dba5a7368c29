#include "ui/desktop/window/awaited_job.h"

#include <QApplication>
#include <QEvent>
#include <QWidget>

namespace gantry {

AwaitedJob::AwaitedJob(QWidget& window) : QObject(&window) {}

// Watches the whole program, whose dialogs and floating docks are windows of their own.
void AwaitedJob::begin(const QString& folder) {
    m_folder = folder;
    qApp->installEventFilter(this);
}

bool AwaitedJob::is(const QString& folder) const {
    return !m_folder.isEmpty() && m_folder == folder;
}

void AwaitedJob::end() {
    m_folder.clear();
    qApp->removeEventFilter(this);
}

bool AwaitedJob::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonDblClick:
        case QEvent::Wheel:
        case QEvent::KeyPress:
        case QEvent::ShortcutOverride:  // before the key of a command
        case QEvent::TouchBegin:
        case QEvent::TabletPress:
        case QEvent::DragEnter:
            end();
            break;
        default:
            break;
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace gantry
