#pragma once

#include <QObject>
#include <QThread>
#include <functional>
#include <memory>

namespace gantry {

/// Loads the display's OpenGL driver in a thread of its own, before a context is made in the GUI
/// thread: the first time takes longer than a window may be blocked (Mesa's software renderer loads
/// a compiler of 100 MB). Made and destroyed in the GUI thread. Tests:
/// tests/ui/scene/vtk_view_test.cpp
class DriverLoading {
  public:
    /// loaded: called later, in the GUI thread, even if there is no driver; not called if this is
    /// destroyed before, which waits for the thread.
    explicit DriverLoading(const std::function<void()>& loaded);
    ~DriverLoading();
    DriverLoading(const DriverLoading&) = delete;
    DriverLoading& operator=(const DriverLoading&) = delete;

  private:
    QObject m_receiver;
    std::unique_ptr<QThread> m_thread;
};

}  // namespace gantry
