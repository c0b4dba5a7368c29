#pragma once

#include <string>

#include "core/base/span3.h"
#include "core/io/projection_source.h"

namespace gantry {

/// Views that are in memory.
/// Tests: tests/core/recon/in_memory_test.cpp
class MemorySource final : public ProjectionSource {
  public:
    /// views: counts or line integrals; [s][v][u], v up, u fastest; outlive the source
    explicit MemorySource(Span3<const float> views);

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override;
    [[nodiscard]] std::string viewName(Index view) const override;

  private:
    Span3<const float> m_views;
    SourceInfo m_info;
};

}  // namespace gantry
