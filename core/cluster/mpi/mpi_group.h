#pragma once

#include <mpi.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/cluster/rank_group.h"

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

/// The ranks of these numbers of a communicator. kept: outlives the group, and MPI
/// Tests: tests/core/cluster/rank_group_test.cpp
[[nodiscard]] std::unique_ptr<RankGroup> makeMpiGroup(MPI_Comm all, std::vector<int> ranks,
                                                      int kind, KeptMemory& kept);

}  // namespace gantry
