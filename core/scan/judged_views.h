#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/types.h"

namespace gantry {

struct OpenScan;

/// Which views of a scan are known to hold an image. Several threads may use it.
class JudgedViews {
  public:
    explicit JudgedViews(Index views) : m_areGood(static_cast<std::size_t>(views)) {}

    [[nodiscard]] bool isGood(Index view) const {
        return m_areGood[view].load(std::memory_order_relaxed);
    }
    void setGood(Index view) { m_areGood[view].store(true, std::memory_order_relaxed); }

  private:
    std::vector<std::atomic<bool>> m_areGood;
};

/// Stops at a view that holds no image: one without a usable pixel, or with one value in all of
/// them. rows, pixels: those that were read of it, as stored. They are enough for nearly every
/// view; only where they hold nothing, the whole view is read, once.
/// @throws ViewError naming the view
/// Tests: tests/core/scan/judged_views_test.cpp
void judgeView(const OpenScan& scan, Index view, IndexRange rows,
               std::span<const std::byte> pixels);

}  // namespace gantry
