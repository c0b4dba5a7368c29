#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace gantry {

/// Requests and answers between ranks while they work, for example to the rank that reads or writes
/// files for all. Several threads may ask and serve at once. It is abstract only to keep MPI out of
/// the rooms that use it. Tests: tests/core/cluster/rank_requests_test.cpp
class RankRequests {
  public:
    using Bytes = std::vector<std::byte>;
    /// Computes the answer to a question. What it throws is thrown by ask() too.
    using Answer = std::function<Bytes(std::span<const std::byte> question)>;

    virtual ~RankRequests() = default;

    /// Waits for the answer of that rank, which may not be this one. @throws InputError,
    /// ResourceError as the answer did; Cancelled when `stop` is requested
    [[nodiscard]] virtual Bytes ask(int rank, Bytes question, const std::stop_token& stop) = 0;
    /// Answers other ranks' questions until `stop` is requested; it is the body of a thread.
    /// @throws ResourceError
    virtual void serve(const Answer& answer, const std::stop_token& stop) = 0;
};

}  // namespace gantry
