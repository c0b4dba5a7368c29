#pragma once

#include <memory>
#include <vector>

#include "core/io/projection_source.h"

namespace gantry {

/// Some views of another source, in their order.
/// Tests: tests/core/io/open_views_test.cpp
class SelectedViews : public ProjectionSource {
  public:
    /// views: numbers in `all`, at least one
    SelectedViews(std::shared_ptr<const ProjectionSource> all, std::vector<Index> views);

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override;
    [[nodiscard]] std::string viewName(Index view) const override;

  private:
    [[nodiscard]] Index numberOf(Index view) const;

    std::shared_ptr<const ProjectionSource> m_all;
    std::vector<Index> m_views;
    SourceInfo m_info;
};

}  // namespace gantry
