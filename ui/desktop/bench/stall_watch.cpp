#include "ui/desktop/bench/stall_watch.h"

#include <algorithm>
#include <fstream>

namespace gantry {

namespace {

constexpr int kTickMs = 2;

// How long this thread has been ready without running, ns; 0 if the system does not report it.
std::int64_t runDelayNs() {
    std::ifstream file("/proc/thread-self/schedstat");
    std::int64_t running = 0;
    std::int64_t delayed = 0;
    file >> running >> delayed;
    return file ? delayed : 0;
}

}  // namespace

StallWatch::StallWatch(QObject* parent) : QObject(parent) {
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(kTickMs);
    connect(&m_timer, &QTimer::timeout, this, &StallWatch::tick);
}

void StallWatch::start() {
    m_longestNs = 0;
    skip();
    m_timer.start();
}

void StallWatch::skip() {
    m_sinceTick.start();
    m_delayAtTick = runDelayNs();
}

void StallWatch::tick() {
    const std::int64_t passed = m_sinceTick.nsecsElapsed();
    const std::int64_t delayed = runDelayNs() - m_delayAtTick;
    m_longestNs = std::max(m_longestNs, passed - delayed - std::int64_t{kTickMs} * 1'000'000);
    skip();
}

}  // namespace gantry
