#pragma once

#include <span>

#include "core/base/span3.h"
#include "core/base/types.h"
#include "core/project/space_part.h"

namespace gantry {

/// What a space that has a part of a problem needs of those that have the others. All parts call
/// the same functions in the same order, each with one thread, and add numbers in the order of the
/// parts, so that all get the same bits, every time.
/// @throws Cancelled, ResourceError
/// Tests: tests/core/recon/rank_peers_test.cpp
class SpacePeers {
  public:
    SpacePeers(const SpacePart& part, Index allSlices) : m_part(part), m_allSlices(allSlices) {}
    virtual ~SpacePeers() = default;
    SpacePeers(const SpacePeers&) = delete;
    SpacePeers& operator=(const SpacePeers&) = delete;

    [[nodiscard]] const SpacePart& part() const { return m_part; }
    [[nodiscard]] Index allSlices() const { return m_allSlices; }
    [[nodiscard]] bool hasBelow() const { return m_part.slices.begin > 0; }
    [[nodiscard]] bool hasAbove() const { return m_part.slices.end < m_allSlices; }

    /// The smallest range of this part's rows that has all which other parts see, too; counted from
    /// the part's first.
    [[nodiscard]] virtual IndexRange sharedRows() const = 0;
    /// Views whose rays are exchanged at a time: who adds rays in several calls makes them of so
    /// many views each, as parts may be of different kinds.
    [[nodiscard]] virtual Index viewsAtOnce() const = 0;
    /// Adds the line integrals of the other parts to those of this part, [s][v][u]. rays: the
    /// part's rows, or those of sharedRows(); firstRow: of the part, that they begin with
    virtual void addRays(Span3<float> rays, Index firstRow = 0) = 0;
    /// Each number becomes its sum over all parts.
    virtual void add(std::span<double> numbers) = 0;
    [[nodiscard]] virtual double largest(double own) = 0;
    enum class Towards { above, below };
    /// Gives values to the next part in that direction, and takes as many from the part behind; at
    /// an end of the volume nothing is given, or `take` stays as it is.
    virtual void pass(Towards towards, std::span<const float> give, std::span<float> take) = 0;
    /// All get slice z of the whole volume from the part that has it.
    virtual void share(Index z, std::span<float> slice) = 0;

  private:
    SpacePart m_part;
    Index m_allSlices;
};

/// The only part, which is the whole.
class NoPeers final : public SpacePeers {
  public:
    NoPeers(Index slices, Index rows) : SpacePeers({{0, slices}, {0, rows}, {0, rows}}, slices) {}
    [[nodiscard]] IndexRange sharedRows() const override { return {}; }
    [[nodiscard]] Index viewsAtOnce() const override { return 1; }
    void addRays(Span3<float> /*rays*/, Index /*firstRow*/) override {}
    void add(std::span<double> /*numbers*/) override {}
    [[nodiscard]] double largest(double own) override { return own; }
    void pass(Towards /*towards*/, std::span<const float> /*give*/,
              std::span<float> /*take*/) override {}
    void share(Index /*z*/, std::span<float> /*slice*/) override {}
};

}  // namespace gantry
