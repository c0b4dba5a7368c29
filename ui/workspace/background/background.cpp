#include "ui/workspace/background/background.h"

#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>
#include <algorithm>
#include <mutex>
#include <new>

namespace gantry {

namespace {

// Work here waits for disks and other work as much as it computes, so quick answers must not queue
// behind slow ones because the machine has few processors.
constexpr int kMinThreads = 8;

}  // namespace

struct Background::Mailbox {
    std::mutex mutex;
    Background* owner = nullptr;  // null once it has been destroyed
};

Background::Background(QObject* parent) : QObject(parent), m_mailbox(std::make_shared<Mailbox>()) {
    m_mailbox->owner = this;
    QThreadPool& pool = *QThreadPool::globalInstance();
    pool.setMaxThreadCount(std::max(pool.maxThreadCount(), kMinThreads));
}

Background::~Background() {
    m_stop.request_stop();
    const std::scoped_lock lock(m_mailbox->mutex);
    m_mailbox->owner = nullptr;
}

void Background::cancel() {
    m_stop.request_stop();
    ++m_generation;
    setBusy(false);
}

void Background::launch(std::function<Answer(const std::stop_token&)> work) {
    m_stop.request_stop();
    m_stop = std::stop_source();
    const quint64 generation = ++m_generation;
    setBusy(true);
    QThreadPool::globalInstance()->start(
        [work = std::move(work), mailbox = m_mailbox, stop = m_stop.get_token(), generation] {
            Answer answer = stop.stop_requested() ? Answer() : work(stop);
            const std::scoped_lock lock(mailbox->mutex);
            if (!mailbox->owner) return;
            Background* owner = mailbox->owner;
            QMetaObject::invokeMethod(
                owner, [owner, generation, answer] { owner->deliver(generation, answer); },
                Qt::QueuedConnection);
        });
}

void Background::deliver(quint64 generation, const Answer& answer) {
    if (generation != m_generation) return;
    // A receiver of busyChanged() may start other work, or destroy this object.
    const QPointer<Background> self(this);
    setBusy(false);
    if (self && generation == m_generation && answer) answer();
}

QString Background::sentenceOf(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return tr("The memory does not suffice: close other programs, or open something smaller.");
    return QString::fromStdString(messageOf(error));
}

void Background::setBusy(bool busy) {
    if (busy == m_busy) return;
    m_busy = busy;
    emit busyChanged(busy);
}

}  // namespace gantry
