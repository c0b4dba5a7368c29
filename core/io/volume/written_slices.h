#pragma once

#include <mutex>
#include <vector>

#include "core/base/error.h"
#include "core/base/types.h"

namespace gantry {

/// Which slices of a volume have been written, so that none is missing at the end. Thread-safe.
class WrittenSlices {
  public:
    /// @param all  what is there already, as in a volume that is resumed
    WrittenSlices(Index slices, bool all) : m_written(static_cast<std::size_t>(slices), all) {}

    void add(IndexRange range) {
        const std::lock_guard lock(m_mutex);
        for (Index z = range.begin; z < range.end; ++z)
            m_written[z] = true;
    }
    void requireAll() const {
        const std::lock_guard lock(m_mutex);
        for (const bool written : m_written)
            require(written, "a volume was to be completed before all its slices were written");
    }

  private:
    mutable std::mutex m_mutex;
    std::vector<bool> m_written;
};

}  // namespace gantry
