#include "ui/scene/volume/picture_worker.h"

#include <QThreadPool>
#include <mutex>
#include <utility>

#include "core/base/error.h"

namespace gantry {

// Where a thread leaves its result; outlives the worker.
struct PictureWorker::Mailbox {
    std::mutex mutex;
    PictureWorker* owner = nullptr;
};

PictureWorker::PictureWorker(QObject* parent)
    : QObject(parent),
      m_mailbox(std::make_shared<Mailbox>()),
      m_run([](auto job) { QThreadPool::globalInstance()->start(std::move(job)); }) {
    m_mailbox->owner = this;
}

PictureWorker::PictureWorker(Run run) : PictureWorker() {
    m_run = std::move(run);
}

PictureWorker::~PictureWorker() {
    m_stop.request_stop();
    const std::scoped_lock lock(m_mailbox->mutex);
    m_mailbox->owner = nullptr;
}

void PictureWorker::start(Work work) {
    m_stop = std::stop_source();
    m_isBusy = true;
    m_run([this, work = std::move(work), mailbox = m_mailbox, stop = m_stop.get_token()] {
        Done done;
        QString sentence;
        try {
            done = work(stop);
        } catch (const Cancelled&) {
        } catch (const std::exception& error) {
            sentence = QString::fromStdString(messageOf(error));
        }
        const std::scoped_lock lock(mailbox->mutex);
        if (!mailbox->owner) return;
        const auto deliver = [this, done, sentence, stop] {
            m_isBusy = false;
            if (done && !stop.stop_requested()) done();
            emit finished(sentence);
        };
        QMetaObject::invokeMethod(mailbox->owner, deliver, Qt::QueuedConnection);
    });
}

}  // namespace gantry
