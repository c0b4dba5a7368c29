#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <cstdint>

namespace gantry {

/// Measures how long the GUI thread did not return to its event loop: the longest time between two
/// ticks, minus the tick's own interval and the time in which the thread waited for a processor.
/// For the benchmark and the tests.
class StallWatch : public QObject {
    Q_OBJECT

  public:
    explicit StallWatch(QObject* parent = nullptr);
    void start();  ///< forgets earlier stalls
    void stop() { m_timer.stop(); }
    [[nodiscard]] double longestMs() const { return 1e-6 * static_cast<double>(m_longestNs); }
    /// Ends the current interval without counting it, because the delay was not the desktop's
    /// fault.
    void skip();

  private:
    void tick();

    QTimer m_timer;
    QElapsedTimer m_sinceTick;
    std::int64_t m_delayAtTick = 0;
    std::int64_t m_longestNs = 0;
};

}  // namespace gantry
