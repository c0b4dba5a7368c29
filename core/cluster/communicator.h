#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/cluster/rank_group.h"
#include "core/cluster/rank_line.h"

namespace gantry {

/// Text from another rank.
struct RankMessage {
    int from = 0;
    std::string text;
};

/// The processes (ranks) that work on a job together. One thread of each uses it, and no other; its
/// groups, through which views and voxels go, have threads of their own.
///
/// Collectives are called by all ranks, in the same order. They return when all that this rank
/// needs of them is done; until then they look about every millisecond whether `stop` is requested
/// and call `attend`, so that a rank that waits for one that has failed learns of it.
/// @throws Cancelled when `stop` is requested; what `attend` throws. Collectives must not be used
///         any more then
/// Tests: tests/core/cluster/communicator_test.cpp
class Communicator {
  public:
    /// What is to be done while one waits.
    struct Waiting {
        std::stop_token stop{};
        std::function<void()> attend{};
    };

    virtual ~Communicator() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    [[nodiscard]] bool isFirst() const { return rank() == 0; }

    /// Returns rank 0's text on every rank; the others' own is not looked at.
    [[nodiscard]] virtual std::string broadcast(const std::string& text,
                                                const Waiting& waiting) = 0;
    /// Returns every rank's text, in order, on rank 0; nothing on the others.
    [[nodiscard]] virtual std::vector<std::string> gather(const std::string& text,
                                                          const Waiting& waiting) = 0;
    /// Returns when all ranks have come here.
    virtual void barrier(const Waiting& waiting) = 0;

    /// Sends a text without waiting; texts from one rank to another arrive in order.
    virtual void send(int to, const std::string& text) = 0;
    /// A text that has arrived. Does not wait.
    [[nodiscard]] virtual std::optional<RankMessage> receive() = 0;

    /// Whether several threads may use MPI at once, as groups need it.
    [[nodiscard]] virtual bool hasGroups() const = 0;
    /// The ranks of these numbers, this one among them; they all name the same. No rank waits for
    /// another here. From any thread. The group must not outlive this.
    /// kind: 0 and up; of groups that have two ranks in common, each has another
    /// @throws ResourceError where there are no groups
    [[nodiscard]] virtual std::unique_ptr<RankGroup> group(std::vector<int> ranks, int kind) = 0;

    /// By which ranks ask each other. Must not outlive this. @throws ResourceError as group()
    [[nodiscard]] virtual std::unique_ptr<RankLine> line() = 0;

    /// Every rank says that it needs no other any more, and waits for the others, at most so long:
    /// false where one did not say so. Also after a failure.
    [[nodiscard]] virtual bool leave(double mostSeconds) = 0;
    /// Ends the processes of all ranks at once, this one too; for ranks that do not answer.
    [[noreturn]] virtual void abort(int exitCode) = 0;
};

}  // namespace gantry
