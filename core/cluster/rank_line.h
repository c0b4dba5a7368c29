#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace gantry {

/// By which ranks ask each other while they work, as the one that reads or writes files for all.
/// Several threads may ask and serve at once. Tests: tests/core/cluster/rank_line_test.cpp
class RankLine {
  public:
    using Bytes = std::vector<std::byte>;
    /// What a question gets. What it throws, the one who has asked gets.
    using Answer = std::function<Bytes(std::span<const std::byte> question)>;

    virtual ~RankLine() = default;

    /// Waits for the answer of that rank, which may not be this one.
    /// @throws InputError, ResourceError as the answer has; Cancelled when `stop` is requested
    [[nodiscard]] virtual Bytes ask(int rank, Bytes question, const std::stop_token& stop) = 0;
    /// Answers other ranks' questions until `stop` is requested: the body of a thread.
    /// @throws ResourceError
    virtual void serve(const Answer& answer, const std::stop_token& stop) = 0;
};

}  // namespace gantry
