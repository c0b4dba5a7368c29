#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/base/error.h"
#include "core/base/types.h"

namespace gantry {

/// A bounded queue that passes slots from one stage's thread to the next. A full ring makes the
/// producer wait, an empty one the consumer; a stop request wakes both. Thread-safe. Tests:
/// tests/core/pipeline/ring_buffer_test.cpp
template <class T>
class RingBuffer {
  public:
    explicit RingBuffer(Index capacity) : m_capacity(static_cast<std::size_t>(capacity)) {}

    /// Waits for room. @throws Cancelled when `stop` is requested
    void push(T item, const std::stop_token& stop) {
        std::unique_lock lock(m_mutex);
        if (!m_changed.wait(lock, stop, [&] { return m_items.size() < m_capacity; }) ||
            stop.stop_requested())
            throw Cancelled();
        m_items.push_back(std::move(item));
        lock.unlock();
        m_changed.notify_all();
    }

    /// Waits for an item; nothing when the ring is closed and empty.
    /// @throws Cancelled when `stop` is requested
    std::optional<T> pop(const std::stop_token& stop) {
        std::unique_lock lock(m_mutex);
        if (!m_changed.wait(lock, stop, [&] { return !m_items.empty() || m_closed; }) ||
            stop.stop_requested())
            throw Cancelled();
        if (m_items.empty()) return std::nullopt;
        std::optional<T> item(std::move(m_items.front()));
        m_items.pop_front();
        lock.unlock();
        m_changed.notify_all();
        return item;
    }

    /// States that no more items will come.
    void close() {
        {
            const std::scoped_lock lock(m_mutex);
            m_closed = true;
        }
        m_changed.notify_all();
    }

  private:
    const std::size_t m_capacity;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<T> m_items;
    bool m_closed = false;
};

}  // namespace gantry
