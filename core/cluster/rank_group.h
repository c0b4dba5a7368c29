#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>

namespace gantry {

/// Some of the ranks of a run, in the order of their numbers: a row or a column of their grid. One
/// thread uses a group; other threads may use other groups, and the Communicator, meanwhile.
/// Tests: tests/core/cluster/rank_group_test.cpp
class RankGroup {
  public:
    virtual ~RankGroup() = default;

    /// Of this process, within the group.
    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;

    /// All ranks of the group do this in the same order: each gives every other one a block, and
    /// takes one from it. Returns when all that this rank gives and takes is through.
    /// give:   [rank of the group]: for that one; of its own nothing is looked at
    /// take:   [rank of the group]: from that one, just as long as what it gives
    /// memory: holds all blocks. An exchange that is given up may still write there, so it is kept
    ///         for as long as the communicator lives
    /// @throws Cancelled when `stop` is requested; ResourceError
    virtual void exchange(std::span<const std::span<const std::byte>> give,
                          std::span<const std::span<std::byte>> take,
                          std::shared_ptr<const void> memory, const std::stop_token& stop) = 0;
};

}  // namespace gantry
