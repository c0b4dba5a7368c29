#pragma once

#include <array>
#include <cstddef>

#include "core/base/types.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"

namespace gantry {

/// Views in host memory, each in one piece.
struct HostViews {
    const std::byte* first = nullptr;
    Index views = 0;
    Index viewBytes = 0;
    Index strideBytes = 0;  ///< from one view to the next
};

/// Two buffers in the memory of the device that was current when this was made: one is filled from
/// the host, on a stream of its own, while another stream reads the other one.
///     switchBuffer() → copy(…) → handTo(reader) → data() is read → release(reader)
///     → synchronize()
/// Not thread-safe. Tests: tests/gpu/engine/gpu_engine_test.cpp
class UploadStaging {
  public:
    /// Makes room for that many bytes in each buffer; to grow one it waits for what still uses it.
    void reserve(Index bytes);

    /// Switches to the other buffer; copies from now on wait until it has been read.
    void switchBuffer();
    /// Enqueues the copy; on the device the views lie one behind the other, from that byte on.
    void copy(const HostViews& views, Index toByte = 0);
    [[nodiscard]] const std::byte* data() const { return m_buffers[m_current].bytes.data(); }
    /// Makes work that is enqueued on `reader` from now on wait for the copy.
    void handTo(Stream& reader);
    /// States that all work that reads the buffer has been enqueued on `reader`.
    void release(const Stream& reader);
    /// Blocks until the copy is done, so that the host's memory may be used again.
    void synchronize() const;

    [[nodiscard]] const Stream& stream() const { return m_stream; }

  private:
    struct Buffer {
        DeviceBuffer<std::byte> bytes;
        Event copied;
        Event read;
    };

    Stream m_stream;
    std::array<Buffer, 2> m_buffers;
    std::size_t m_current = 0;
};

/// Waits for uploads, which read the host's memory, when its scope is left in whatever way.
class UploadGuard {
  public:
    explicit UploadGuard(const UploadStaging& staging) : m_staging(staging) {}
    ~UploadGuard();
    UploadGuard(const UploadGuard&) = delete;
    UploadGuard& operator=(const UploadGuard&) = delete;

  private:
    const UploadStaging& m_staging;
};

}  // namespace gantry
