#pragma once

#include <memory>
#include <type_traits>

#include "core/base/types.h"

namespace gantry {

namespace detail {
struct DeviceDeleter {
    void operator()(void* pointer) const noexcept;
};
struct PinnedDeleter {
    void operator()(void* pointer) const noexcept;
};
void* allocateDevice(Index bytes);
void* allocatePinned(Index bytes);
}  // namespace detail

/// Owns an uninitialised array in the memory of the device that was current when it was made.
/// Moves, never copies. @throws ResourceError naming the size when the memory cannot be had
/// Tests: tests/gpu/device/
template <class T>
class DeviceBuffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    DeviceBuffer() = default;
    explicit DeviceBuffer(Index count)
        : m_data(static_cast<T*>(detail::allocateDevice(count * static_cast<Index>(sizeof(T))))),
          m_count(count) {}

    /// Device address: only kernels and copies may follow it.
    [[nodiscard]] T* data() const { return m_data.get(); }
    [[nodiscard]] Index count() const { return m_data ? m_count : 0; }
    [[nodiscard]] Index sizeBytes() const { return count() * static_cast<Index>(sizeof(T)); }

    /// Makes room for that many: a buffer that is large enough is kept, another one is freed first.
    void reserve(Index count) {
        if (this->count() >= count) return;
        *this = {};
        *this = DeviceBuffer(count);
    }

  private:
    std::unique_ptr<T, detail::DeviceDeleter> m_data;
    Index m_count = 0;
};

/// Owns an uninitialised array in pinned host memory, which devices copy by DMA.
template <class T>
class PinnedBuffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    PinnedBuffer() = default;
    explicit PinnedBuffer(Index count)
        : m_data(static_cast<T*>(detail::allocatePinned(count * static_cast<Index>(sizeof(T))))),
          m_count(count) {}

    [[nodiscard]] T* data() const { return m_data.get(); }
    [[nodiscard]] Index count() const { return m_data ? m_count : 0; }

  private:
    std::unique_ptr<T, detail::PinnedDeleter> m_data;
    Index m_count = 0;
};

/// Pins memory that others own for as long as it lives, so that all devices copy it at full speed.
/// Where that memory cannot be pinned, copies are slower.
/// @throws ResourceError when no more memory may be locked
class PinnedRegion {
  public:
    PinnedRegion(void* data, Index bytes);
    ~PinnedRegion();
    PinnedRegion(const PinnedRegion&) = delete;
    PinnedRegion& operator=(const PinnedRegion&) = delete;

  private:
    void* m_data = nullptr;
};

/// Whether that host memory is pinned from its first byte to its last, by one region or buffer.
[[nodiscard]] bool isPinned(const void* data, Index bytes);

}  // namespace gantry
