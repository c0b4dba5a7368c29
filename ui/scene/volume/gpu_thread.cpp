#include "ui/scene/volume/gpu_thread.h"

#include <QOpenGLContext>
#include <future>
#include <mutex>
#include <utility>

#include "core/base/error.h"

namespace gantry {

// Access for other threads, as long as it is open.
struct GpuThread::Door {
    std::mutex mutex;
    QObject* inside = nullptr;
    GpuRayCaster* caster = nullptr;
    std::stop_source closing;
};

GpuThread::GpuThread() : m_door(std::make_shared<Door>()) {
    m_problem = m_caster.problem();
    m_isSoftware = m_caster.isSoftware();
    m_freeBytes = m_caster.freeBytes();
    m_door->inside = &m_inside;
    m_door->caster = &m_caster;
    if (!m_problem.isEmpty() || !QOpenGLContext::supportsThreadedOpenGL()) return;
    m_caster.moveToThread(m_thread);
    m_inside.moveToThread(&m_thread);
    m_thread.setObjectName("card");
    m_thread.start();
}

GpuThread::~GpuThread() {
    {
        const std::scoped_lock lock(m_door->mutex);
        m_door->inside = nullptr;
    }
    m_door->closing.request_stop();
    if (!m_thread.isRunning()) return;
    // The card's resources are freed in the thread in which this is destroyed.
    QMetaObject::invokeMethod(
        &m_inside,
        [this, gui = QThread::currentThread()] {
            m_caster.moveToThread(*gui);
            m_inside.moveToThread(gui);
        },
        Qt::BlockingQueuedConnection);
    m_thread.quit();
    m_thread.wait();
}

void GpuThread::post(Work work) {
    QMetaObject::invokeMethod(
        &m_inside, [this, work = std::move(work)] { work(m_caster); }, Qt::QueuedConnection);
}

GpuThread::Cast GpuThread::waitingCast() const {
    return [door = m_door](const RayCastRequest& request, const std::stop_token& stop) {
        std::stop_source either;
        const auto stopIt = [&either] { either.request_stop(); };
        const std::stop_callback byCaller(stop, stopIt);
        const std::stop_callback byClosing(door->closing.get_token(), stopIt);
        // The future fails if the task is dropped without running.
        auto task = std::make_shared<std::packaged_task<QImage()>>(
            [caster = door->caster, request, token = either.get_token()] {
                QImage picture = caster->castInStrips(request, token);
                if (picture.isNull() && token.stop_requested()) throw Cancelled();
                if (picture.isNull()) throw ResourceError(caster->problem().toStdString());
                return picture;
            });
        std::future<QImage> picture = task->get_future();
        {
            const std::scoped_lock lock(door->mutex);
            if (!door->inside) throw Cancelled();
            QMetaObject::invokeMethod(
                door->inside, [task = std::exchange(task, nullptr)] { (*task)(); },
                Qt::QueuedConnection);
        }
        try {
            return picture.get();
        } catch (const std::future_error&) {
            throw Cancelled();
        }
    };
}

}  // namespace gantry
