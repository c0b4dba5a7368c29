#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <stop_token>

#include "core/base/error.h"
#include "gpu/device/stream.h"

namespace gantry {

/// Lets the host be at most one piece of a stream's work ahead of the device, so that a stop is
/// noticed. Not thread-safe.
class Throttle {
  public:
    explicit Throttle(cudaStream_t stream) : m_stream(stream) {}

    /// Before each piece. @throws Cancelled
    void next(const std::stop_token& stop) {
        if (stop.stop_requested()) throw Cancelled();
        Event& before = m_begins[m_pieces % 2];
        if (m_pieces > 1) before.synchronize();
        before.record(m_stream);
        ++m_pieces;
    }

  private:
    cudaStream_t m_stream;
    std::array<Event, 2> m_begins;  // of the last two pieces
    std::size_t m_pieces = 0;
};

}  // namespace gantry
