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

/// Memory in which MPI may still write. Thread-safe.
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

/// Between two looks at what MPI has done. Data move while MPI is called, a few pieces at a call,
/// so that there is no pause but for others as long as something comes; a rank that waits for one
/// which is at work must not take a core from it.
class Pause {
  public:
    void take() {
        if (secondsSince(m_movedNs) < kSoonSeconds)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    /// Something has come.
    void moved() { m_movedNs = nowNs(); }

  private:
    static constexpr double kSoonSeconds = 1e-3;
    std::int64_t m_movedNs = nowNs();
};

}  // namespace gantry
