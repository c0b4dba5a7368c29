#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/clock.h"

namespace gantry {

/// what: completes the message, "send to all ranks". @throws ResourceError where `code` is no
/// success
void check(int code, const char* what);

/// Keeps memory in which MPI may still write. Thread-safe.
class KeptMemory {
  public:
    void keep(std::shared_ptr<const void> memory) {
        const std::scoped_lock lock(m_mutex);
        m_all.push_back(std::move(memory));
    }

  private:
    std::mutex m_mutex;
    std::vector<std::shared_ptr<const void>> m_all;
};

/// Pauses between two polls of MPI. Data move only while MPI is called, a few pieces a call, so the
/// pause only yields as long as data arrive; a rank that waits for one that is computing must not
/// take a core from it.
class Pause {
  public:
    void take() {
        if (secondsSince(m_movedNs) < kSoonSeconds)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    /// States that data have arrived.
    void moved() { m_movedNs = nowNs(); }

  private:
    static constexpr double kSoonSeconds = 1e-3;
    std::int64_t m_movedNs = nowNs();
};

}  // namespace gantry
