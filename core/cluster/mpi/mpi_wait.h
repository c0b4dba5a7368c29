#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

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

/// Between two looks at what MPI has done: at first short, as most comes soon; a rank that waits
/// must not take a core from one that works.
class Pause {
  public:
    void take() {
        if (m_taken < kShort) {
            ++m_taken;
            std::this_thread::yield();
            return;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }

  private:
    static constexpr int kShort = 50;
    int m_taken = 0;
};

}  // namespace gantry
