#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>

namespace gantry {

/// Some of the ranks of a run, in the order of their numbers: a row or a column of their grid. One
/// thread uses a group; other threads may use other groups and the Communicator at the same time.
/// Tests: tests/core/cluster/rank_group_test.cpp
class RankGroup {
  public:
    virtual ~RankGroup() = default;

    /// The number of this process within the group.
    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;

    /// Each rank of the group sends every other one a block, and receives one from it. All ranks
    /// call it in the same order. Returns when everything that this rank sends and receives has
    /// been moved. give:   [rank of the group] block for that rank; its own is ignored take: [rank
    /// of the group] block from that rank, exactly as long as what it sends memory: holds all
    /// blocks. An abandoned exchange may still write there, so it is kept for as long
    ///         as the communicator lives
    /// @throws Cancelled when `stop` is requested; ResourceError
    virtual void exchange(std::span<const std::span<const std::byte>> give,
                          std::span<const std::span<std::byte>> take,
                          std::shared_ptr<const void> memory, const std::stop_token& stop) = 0;
};

}  // namespace gantry
