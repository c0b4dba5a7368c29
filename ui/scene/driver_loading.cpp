#include "ui/scene/driver_loading.h"

#include <QOpenGLContext>

namespace gantry {

DriverLoading::DriverLoading(const std::function<void()>& loaded) {
    // The display keeps its driver when this context is destroyed.
    m_thread.reset(QThread::create([] {
        if (QOpenGLContext::supportsThreadedOpenGL()) QOpenGLContext().create();
    }));
    QObject::connect(m_thread.get(), &QThread::finished, &m_receiver, loaded);
    m_thread->start();
}

DriverLoading::~DriverLoading() {
    m_thread->wait();
}

}  // namespace gantry
