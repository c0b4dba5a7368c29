#pragma once

#include <memory>
#include <span>
#include <type_traits>

#include "core/base/types.h"

namespace gantry {

namespace detail {
struct AlignedDeleter {
    void operator()(void* pointer) const noexcept;
};
/// @throws ResourceError naming the size, when the memory cannot be had
void* allocateAligned(Index count, Index elementBytes);
}  // namespace detail

/// Owns an uninitialised array in host memory, aligned to 64 bytes (a cache line and the widest
/// SIMD register). Moves, never copies.
/// @throws ResourceError when the memory cannot be had
/// Tests: tests/core/base/host_buffer_test.cpp
template <class T>
requires std::is_trivially_copyable_v<T>
class HostBuffer {
  public:
    HostBuffer() = default;
    explicit HostBuffer(Index count)
        : m_data(static_cast<T*>(detail::allocateAligned(count, sizeof(T)))), m_count(count) {}

    [[nodiscard]] T* data() { return m_data.get(); }
    [[nodiscard]] const T* data() const { return m_data.get(); }
    [[nodiscard]] Index count() const { return m_data ? m_count : 0; }
    [[nodiscard]] Index sizeBytes() const { return count() * static_cast<Index>(sizeof(T)); }
    [[nodiscard]] std::span<T> span() { return {data(), static_cast<std::size_t>(count())}; }
    [[nodiscard]] std::span<const T> span() const {
        return {data(), static_cast<std::size_t>(count())};
    }
    T& operator[](Index i) { return m_data.get()[i]; }
    const T& operator[](Index i) const { return m_data.get()[i]; }

  private:
    std::unique_ptr<T, detail::AlignedDeleter> m_data;
    Index m_count = 0;
};

}  // namespace gantry
