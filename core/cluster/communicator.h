#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/cluster/rank_group.h"
#include "core/cluster/rank_requests.h"

namespace gantry {

/// Text from another rank.
struct RankMessage {
    int from = 0;
    std::string text;
};

/// The processes (ranks) that work on a job together. Only one thread of each uses it; its groups,
/// through which views and voxels go, have threads of their own.
///
/// All ranks call collectives in the same order. A collective returns when everything that this
/// rank needs of it is done; until then it checks about every millisecond whether `stop` is
/// requested, and calls `attend`, so that a rank that waits for one that has failed learns of it.
/// @throws Cancelled when `stop` is requested; what `attend` throws. Collectives must not be used
///         after that
/// Tests: tests/core/cluster/communicator_test.cpp
class Communicator {
  public:
    /// What a rank does while it waits in a collective.
    struct Waiting {
        std::stop_token stop{};
        std::function<void()> attend{};
    };

    virtual ~Communicator() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    [[nodiscard]] bool isFirst() const { return rank() == 0; }

    /// Returns rank 0's text on every rank; the text of other ranks is ignored.
    [[nodiscard]] virtual std::string broadcast(const std::string& text,
                                                const Waiting& waiting) = 0;
    /// Returns every rank's text, in order, on rank 0; nothing on the others.
    [[nodiscard]] virtual std::vector<std::string> gather(const std::string& text,
                                                          const Waiting& waiting) = 0;
    /// Returns when all ranks have called it.
    virtual void barrier(const Waiting& waiting) = 0;

    /// Sends a text without waiting; texts from one rank to another arrive in order.
    virtual void send(int to, const std::string& text) = 0;
    /// Returns a text that has arrived, if any. Does not wait.
    [[nodiscard]] virtual std::optional<RankMessage> receive() = 0;

    /// Whether several threads may use MPI at once, which groups need.
    [[nodiscard]] virtual bool hasGroups() const = 0;
    /// The group of the ranks of these numbers, of which this is one; all of them call it with the
    /// same list. No rank waits for another here. Safe from any thread. The group must not outlive
    /// this. kind: 0 and up; groups that have two ranks in common need different kinds
    /// @throws ResourceError where there are no groups
    [[nodiscard]] virtual std::unique_ptr<RankGroup> group(std::vector<int> ranks, int kind) = 0;

    /// A channel by which ranks ask each other. It must not outlive this. @throws ResourceError as
    /// group()
    [[nodiscard]] virtual std::unique_ptr<RankRequests> line() = 0;

    /// States that this rank needs no other any more, and waits until all have done so, at most
    /// `maxSeconds`: false where one has not. It may be called after a failure too.
    [[nodiscard]] virtual bool leave(double maxSeconds) = 0;
    /// Ends the processes of all ranks at once, including this one, if ranks do not answer.
    [[noreturn]] virtual void abort(int exitCode) = 0;
};

}  // namespace gantry
