#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/cluster/rank_group.h"
#include "core/project/space_peers.h"

namespace gantry {

/// Ranks that have the parts of a problem, in the order of their numbers.
///
/// Line integrals go directly between each two ranks that see the same rows, some views at a time;
/// each adds them in the order of the ranks. Parts lie above each other, so most rows are shared by
/// neighbours only, and that moves less than a reduction over all ranks would.
/// Tests: tests/core/recon/rank_peers_test.cpp, tests/cli/test_iterative_ranks.py
class RankPeers final : public SpacePeers {
  public:
    /// Runs work that moves so many bytes, and measures it.
    using Measure = std::function<void(Index bytes, const std::function<void()>& work)>;
    struct Options {
        Index columns = 0;  ///< of the detector
        Index views = 0;
        int threads = 1;
        Measure measure;
        std::stop_token stop{};  ///< ends waiting for others: Cancelled
    };
    /// parts: [rank of the group]; group: outlives it
    RankPeers(RankGroup& group, std::vector<SpacePart> parts, Options options);

    [[nodiscard]] IndexRange sharedRows() const override;
    [[nodiscard]] Index viewsAtOnce() const override { return m_viewsAtOnce; }
    void addRays(Span3<float> rays, Index firstRow = 0) override;
    void add(std::span<double> numbers) override;
    [[nodiscard]] double largest(double own) override;
    void pass(Towards towards, std::span<const float> give, std::span<float> take) override;
    void share(Index z, std::span<float> slice) override;

  private:
    using Floats = HostBuffer<float>;

    [[nodiscard]] IndexRange sharedRows(std::size_t other) const;
    void addViews(Span3<float> rays, Index firstRow);
    [[nodiscard]] std::vector<double> gathered(std::span<const double> numbers);
    void exchange(const std::vector<std::span<const std::byte>>& give,
                  const std::vector<std::span<std::byte>>& take);
    [[nodiscard]] std::shared_ptr<Floats> room(Index floats);

    RankGroup& m_group;
    const std::vector<SpacePart> m_parts;
    const std::size_t m_own;
    const Options m_options;
    const Index m_viewsAtOnce;
    /// What is given and taken: an abandoned exchange may still use it.
    std::shared_ptr<Floats> m_room;
};

}  // namespace gantry
