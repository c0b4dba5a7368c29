#pragma once

#include <QImage>
#include <QObject>
#include <QString>
#include <QThread>
#include <functional>
#include <memory>
#include <stop_token>

#include "ui/scene/volume/gpu_ray_caster.h"

namespace gantry {

/// Runs the graphics card's ray caster in a thread of its own, so that neither its pictures nor
/// uploads of voxels block the window. If the display draws only in the GUI thread, that thread is
/// used. Made, used and destroyed in the GUI thread; destruction waits for running work. Tests:
/// tests/ui/scene/gpu_thread_test.cpp
class GpuThread {
  public:
    using Work = std::function<void(GpuRayCaster&)>;
    using Cast = std::function<QImage(const RayCastRequest&, const std::stop_token&)>;

    GpuThread();
    ~GpuThread();
    GpuThread(const GpuThread&) = delete;
    GpuThread& operator=(const GpuThread&) = delete;

    /// Why the card cannot be used, a sentence; empty: there was no problem at the start.
    [[nodiscard]] const QString& problem() const { return m_problem; }
    [[nodiscard]] bool isSoftware() const { return m_isSoftware; }
    [[nodiscard]] Index freeBytes() const { return m_freeBytes; }  ///< as in GpuRayCaster
    /// Only for work that is posted.
    [[nodiscard]] GpuRayCaster& caster() { return m_caster; }
    /// Runs work in that thread, after what was posted before.
    void post(Work work);
    /// Casts a fine picture and waits for it, in any thread except the GUI's; it may be called
    /// after this is destroyed.
    /// @throws Cancelled also when this is destroyed; ResourceError when the card fails
    [[nodiscard]] Cast waitingCast() const;

  private:
    struct Door;
    GpuRayCaster m_caster;
    QString m_problem;
    bool m_isSoftware = false;
    Index m_freeBytes = 0;
    QObject m_inside;  ///< lives in the thread
    std::shared_ptr<Door> m_door;
    QThread m_thread;
};

}  // namespace gantry
