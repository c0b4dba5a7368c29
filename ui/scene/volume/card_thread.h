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

/// The graphics card's ray caster in a thread of its own, so that neither its pictures nor voxels
/// on their way to the card hold up the window. Where the display draws in the GUI thread only, it
/// is that one. Made, used and destroyed in the GUI thread; destruction waits for what runs.
/// Tests: tests/ui/scene/card_thread_test.cpp
class CardThread {
  public:
    using Work = std::function<void(GpuRayCaster&)>;
    using Cast = std::function<QImage(const RayCastRequest&, const std::stop_token&)>;

    CardThread();
    ~CardThread();
    CardThread(const CardThread&) = delete;
    CardThread& operator=(const CardThread&) = delete;

    /// Empty: all was well at first. Else why the card cannot be used, a sentence.
    [[nodiscard]] const QString& problem() const { return m_problem; }
    [[nodiscard]] bool isSoftware() const { return m_isSoftware; }
    [[nodiscard]] Index freeBytes() const { return m_freeBytes; }  ///< as GpuRayCaster has it
    /// To be used by what is posted.
    [[nodiscard]] GpuRayCaster& caster() { return m_caster; }
    /// Runs it there, after what was posted before.
    void post(Work work);
    /// Casts a fine picture and waits for it, in any thread but the GUI's; it may be called when
    /// this is gone.
    /// @throws Cancelled also when this goes; ResourceError when the card fails
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
