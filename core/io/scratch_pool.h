#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/host_buffer.h"

namespace gantry {

/// Buffers that threads borrow in turn, so that reading view after view takes memory once a thread.
/// Thread-safe. Tests: tests/core/io/tiff_source_test.cpp
class ScratchPool {
  public:
    /// Some buffer that was given back, or an empty one.
    [[nodiscard]] HostBuffer<std::byte> take() {
        const std::lock_guard lock(m_mutex);
        if (m_free.empty()) return {};
        HostBuffer<std::byte> buffer = std::move(m_free.back());
        m_free.pop_back();
        return buffer;
    }
    void giveBack(HostBuffer<std::byte> buffer) {
        const std::lock_guard lock(m_mutex);
        m_free.push_back(std::move(buffer));
    }

  private:
    std::mutex m_mutex;
    std::vector<HostBuffer<std::byte>> m_free;
};

}  // namespace gantry
